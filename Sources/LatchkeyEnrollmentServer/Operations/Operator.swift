public import Foundation
import LatchkeyByteCoding
public import LatchkeyCertificateAuthority
public import LatchkeyEnrollmentProtocol
public import LatchkeyEnrollmentStore

/// The operator's actions on a store, offline or while a server runs: users, accounts, devices. Each is recorded in the audit
/// chain.
public struct Operator: Sendable {
  private let store: any EnrollmentStore
  private let clock: @Sendable () -> Date
  private let passwordCost: Int

  /// Creates an operator of `store`.
  ///
  /// - Parameter passwordCost: the cost of new hashes, as ``ServerPolicy/passwordCost``.
  public init(
    _ store: any EnrollmentStore, passwordCost: Int = ServerPolicy().passwordCost,
    clock: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.store = store
    self.passwordCost = passwordCost
    self.clock = clock
  }

  private var now: Int64 { Int64(clock().timeIntervalSince1970.rounded(.down)) }

  // MARK: Users

  /// Adds a user who logs in with `password`.
  ///
  /// - Throws: ``OperatorError``: `.exists`, or `.invalid` for an invalid name or password.
  public func addUser(_ name: String, password: String) async throws {
    let hash = try hash(password)
    let user = UserRecord(name: try Self.checkedName(name), passwordHash: hash)
    let entered = name
    let time = now
    let isNew = try await store.write { store in
      // Also refused if the name exists in an earlier version's form.
      guard try store.user(entered: entered) == nil, try store.addUser(user) else { return false }
      try store.audit(AuditEntry(event: "user.added", time: time, fields: ["user": user.name.text]))
      return true
    }
    guard isNew else { throw OperatorError.exists("there is a user \(name) already") }
  }

  /// Sets a user's password, ends a lock, and deletes the known login origins. Devices stay.
  ///
  /// - Parameter endsSessions: whether to end sessions; otherwise they continue until they expire.
  /// - Throws: ``OperatorError``: `.notFound`, `.invalid`.
  public func setPassword(_ password: String, of name: String, endsSessions: Bool = false) async throws {
    let hash = try hash(password)
    let time = now
    let isKnown = try await store.write { store in
      guard var user = try store.user(entered: name) else { return false }
      user.passwordHash = hash
      user.failures = 0
      user.lockedUntil = nil
      try store.updateUser(user)
      // An intruder may have logged in with the old password.
      try store.forgetLoginPlaces(of: user.name)
      var fields = ["user": user.name.text]
      if endsSessions { fields["sessions"] = "\(try store.forgetTokens(of: user.name))" }
      try store.audit(AuditEntry(event: "user.password", time: time, fields: fields))
      return true
    }
    guard isKnown else { throw OperatorError.noUser(name) }
  }

  /// Ends a user's lock, and deletes the wrong passwords that led to it. Origins that guessed stay locked out.
  ///
  /// - Throws: ``OperatorError``: `.notFound`.
  public func unlock(_ name: String) async throws {
    let time = now
    let isKnown = try await store.write { store in
      guard var user = try store.user(entered: name) else { return false }
      user.failures = 0
      user.lockedUntil = nil
      try store.updateUser(user)
      try store.audit(AuditEntry(event: "user.unlocked", time: time, fields: ["user": user.name.text]))
      return true
    }
    guard isKnown else { throw OperatorError.noUser(name) }
  }

  private static func checkedName(_ name: String) throws -> UserName {
    do throws(UserNameError) { return try UserName(entered: name) } catch { throw OperatorError.invalid("\(error)") }
  }

  private func hash(_ password: String) throws -> String {
    let secret = SecretBytes(password: password)
    guard (8...Passwords.longest).contains(secret.count) else {
      throw OperatorError.invalid("a password has 8 to \(Passwords.longest) bytes")
    }
    var generator = SystemRandomNumberGenerator()
    let salt = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    return try PasswordHash(of: secret, salt: salt, cost: PasswordHash.Cost(clamping: passwordCost)).text
  }

  // MARK: Accounts

  /// Opens an account and makes a deposit from the bank's own account.
  ///
  /// - Parameters:
  ///   - number: 12 digits; nil for any free one.
  ///   - amount: the deposit; zero or more.
  /// - Returns: the account's number.
  /// - Throws: ``OperatorError``: `.notFound`, `.exists`, `.invalid`.
  public func openAccount(
    of user: String, number: String? = nil, name: String, currency: String, amount: Amount
  ) async throws -> String {
    let isCurrency = currency.utf8.count == 3 && currency.utf8.allSatisfy { (0x41...0x5A).contains($0) }
    guard isCurrency else { throw OperatorError.invalid("a currency has three capital letters, such as EUR") }
    guard amount.minorUnits >= 0 else { throw OperatorError.invalid("what is paid in is zero or above") }
    let isNumber = number.map { $0.utf8.count == 12 && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } } ?? true
    guard isNumber else { throw OperatorError.invalid("an account's number has 12 digits") }
    let time = now
    let booking = Identifier.random()
    // Lower numbers belong to the bank.
    let numbers =
      number.map { [$0] } ?? (0..<32).map { _ in String(Int64.random(in: 100_000_000_000...999_999_999_999)) }
    return try await store.write { store in
      guard let owner = try store.user(entered: user)?.name else { throw OperatorError.noUser(user) }
      let opened = try numbers.first {
        try store.addAccount(AccountRecord(number: $0, user: owner, name: name, currency: currency, balance: 0))
      }
      guard let opened else { throw OperatorError.exists("there is such an account already: take another number") }
      if amount.minorUnits > 0 {
        let house = try store.houseAccount(currency: currency)
        let result = try store.book(
          Booking(
            id: booking, from: house.number, to: opened, amount: amount.minorUnits, currency: currency,
            notes: "Opening", booked: time, device: nil))
        guard case .booked = result else { throw OperatorError.invalid("so much cannot be paid in") }
      }
      var fields = ["account": opened, "user": owner.text, "currency": currency, "amount": "\(amount)"]
      if amount.minorUnits > 0 { fields["transfer"] = booking.description }
      try store.audit(AuditEntry(event: "account.opened", time: time, fields: fields))
      return opened
    }
  }

  // MARK: Devices

  /// A user's devices, oldest first.
  ///
  /// - Throws: ``OperatorError``: `.notFound`.
  public func devices(of user: String) async throws -> [DeviceRecord] {
    try await store.read { store in
      guard let owner = try store.user(entered: user)?.name else { throw OperatorError.noUser(user) }
      return try store.devices(of: owner)
    }
  }

  /// Revokes a device with all its certificates. Servers that share the store refuse it within their staleness.
  ///
  /// - Throws: ``OperatorError``: `.notFound`, also if it was revoked before.
  public func revokeDevice(_ text: String) async throws {
    guard let id = Identifier(text) else { throw OperatorError.invalid("a device's identifier has 32 digits 0-9 a-f") }
    let time = now
    let isRevoked = try await store.write { store in
      // CRLReason cessationOfOperation (RFC 5280 5.3.1): the operator states no other reason.
      guard try store.revokeDevice(id, at: time, reason: 5) else { return false }
      try store.audit(AuditEntry(event: "device.revoked", time: time, fields: ["device": text, "by": "operator"]))
      return true
    }
    guard isRevoked else { throw OperatorError.notFound("there is no device \(text), or it was revoked before") }
  }

  /// Revokes one certificate by its serial number. Servers that share the store refuse it within their staleness.
  ///
  /// - Parameter serial: hexadecimal digits, with or without colons, as `openssl x509 -serial` prints it.
  /// - Throws: ``OperatorError``: `.notFound`, also if it was revoked before.
  public func revokeCertificate(serial text: String) async throws {
    guard let serial = SerialNumber(text) else {
      throw OperatorError.invalid("a serial number has 2 to 40 hexadecimal digits")
    }
    let time = now
    let isRevoked = try await store.write { store in
      guard let certificate = try store.certificate(serial: serial.bytes),
        try store.revokeCertificate(fingerprint: certificate.fingerprint, at: time, reason: 5)
      else { return false }
      try store.audit(
        AuditEntry(
          event: "certificate.revoked", time: time,
          fields: ["device": certificate.device.description, "serial": "\(serial)", "by": "operator"]))
      return true
    }
    guard isRevoked else {
      throw OperatorError.notFound("there is no certificate of that serial number, or it was revoked before")
    }
  }

  /// The certificates of a device, ordered by expiry, the latest last.
  ///
  /// - Throws: ``OperatorError``: `.notFound` for an unknown device.
  public func certificates(of text: String) async throws -> [CertificateRecord] {
    guard let id = Identifier(text) else { throw OperatorError.invalid("a device's identifier has 32 digits 0-9 a-f") }
    return try await store.read { store in
      guard try store.device(id) != nil else { throw OperatorError.notFound("there is no device \(text)") }
      return try store.certificates(of: id)
    }
  }

  // MARK: Stored records

  /// Verifies each audit chain against its own hashes, against the ends recorded by the others, and against those recorded in a
  /// file.
  ///
  /// - Returns: a report for each chain that exists or existed; one without a name if there is no log at all although there are
  ///   users, accounts or devices, each of which has an entry; none for a store that was never used.
  public func verifyAudit(against checkpoints: [AuditCheckpoint] = []) async throws -> [AuditChain.Report] {
    var reports = try await AuditChain.verify(store)
    for checkpoint in checkpoints {
      for found in try await checkpoint.faults(in: store) {
        if let place = reports.firstIndex(where: { $0.node.utf8.elementsEqual(found.node.utf8) }) {
          reports[place].fault = reports[place].fault ?? found.fault
        } else {
          reports.append(found)
        }
      }
    }
    if reports.isEmpty, try await store.read({ try $0.hasRecords() }) {
      reports.append(AuditChain.Report(node: "", entries: 0, fault: .gone(1)))
    }
    return reports
  }

  /// The current ends of the audit chains.
  public func auditCheckpoint() async throws -> AuditCheckpoint {
    let time = now
    return AuditCheckpoint(time: time, heads: try await store.read { try $0.auditHeads() })
  }

  /// Verifies every balance against its entries, every transfer and account against the audit chains in both directions, and
  /// the sum of all balances against zero.
  public func verifyLedger() async throws -> LedgerReport { try await store.read { try LedgerAudit.report(of: $0) } }

  // MARK: Lists

  /// Issues the revocation list that a server on this store would serve, DER.
  ///
  /// - Throws: ``EnrollmentStoreError``; `AuthorityError` if the authority's key does not sign.
  public func revocationList(by authority: CertificateAuthority) async throws -> [UInt8] {
    let policy = ServerPolicy()
    let issuer = CertificateIssuer(authority, lifetime: policy.certificateLifetime)
    return try await RevocationLists(store, issuer: issuer, lifetime: policy.revocationListLifetime).list(now: now)
  }

  // MARK: Demonstration

  /// Adds the user of a server without configuration, with two accounts; does nothing if the name exists.
  ///
  /// - Returns: whether the user was added, with this password.
  public func addDemo(_ name: String = "demo", password: String) async throws -> Bool {
    do {
      try await addUser(name, password: password)
    } catch OperatorError.exists {
      return false
    }
    _ = try await openAccount(
      of: name, number: "123123456456", name: "Checking", currency: "EUR", amount: Amount(minorUnits: 100_000))
    _ = try await openAccount(
      of: name, number: "654654123123", name: "Savings", currency: "EUR", amount: Amount(minorUnits: 500_000))
    return true
  }
}

/// The failure of an operator's action; each case states the remedy.
public enum OperatorError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The object exists already.
  case exists(String)
  /// The object does not exist.
  case notFound(String)
  /// The value is invalid.
  case invalid(String)

  static func noUser(_ name: String) -> OperatorError {
    .notFound("there is no user of that name: add one with latchkey-server user add \(name)")
  }

  /// The remedy.
  public var description: String {
    switch self {
    case .exists(let text), .notFound(let text), .invalid(let text): text
    }
  }
}
