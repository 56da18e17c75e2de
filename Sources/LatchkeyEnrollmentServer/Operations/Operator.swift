public import Foundation
import LatchkeyByteCoding
public import LatchkeyCertificateAuthority
public import LatchkeyEnrollmentProtocol
public import LatchkeyEnrollmentStore

/// The operator's actions on a store, offline or while a server runs: users, accounts, devices. Each is recorded in the audit
/// chain.
public struct Operator: Sendable {
  let store: any EnrollmentStore
  private let clock: @Sendable () -> Date
  private let passwordCost: Int
  /// Who acts, as the audit log has it.
  private let actor: String

  /// Creates an operator of `store`.
  ///
  /// - Parameters:
  ///   - passwordCost: the cost of new hashes, as ``ServerPolicy/passwordCost``.
  ///   - actor: who acts, in the audit log.
  public init(
    _ store: any EnrollmentStore, passwordCost: Int = ServerPolicy().passwordCost, actor: String = "operator",
    clock: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.store = store
    self.actor = actor
    self.passwordCost = passwordCost
    self.clock = clock
  }

  var now: Int64 { Int64(clock().timeIntervalSince1970.rounded(.down)) }

  /// An entry of the audit log about what is done now.
  func entry(_ event: String, _ fields: [String: String]) -> AuditEntry {
    AuditEntry(event: event, time: now, fields: fields.merging(["by": actor]) { own, _ in own })
  }

  /// A password of a length that is allowed.
  static func checked(password: String) throws -> SecretBytes {
    let secret = SecretBytes(password: password)
    guard (8...Passwords.longest).contains(secret.count) else {
      throw OperatorError.invalid("a password has 8 to \(Passwords.longest) bytes")
    }
    return secret
  }

  func hash(_ password: String) throws -> String {
    let secret = try Self.checked(password: password)
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

  // MARK: Stored records

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
