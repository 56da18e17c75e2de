import LatchkeyTestSupport
import Crypto
import Foundation
import LatchkeyAttestation
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeySealedMessages
import Testing

@testable import LatchkeyEnrollmentServer
@testable import LatchkeyLedger

@Suite("One transfer, decided in one transaction")
struct TransferCeremonyTests {
  /// A store with a user, a device that approves, and two accounts with 1 000.00 and nothing.
  final class Bank: Sendable {
    static let mine = "654654123123"
    static let other = "123123456456"
    static let foreign = "111111111111"
    let store: SQLiteStore
    let device: DeviceRecord
    let identityKey = P256.Signing.PrivateKey()
    let approvalKey = P256.Signing.PrivateKey()
    let certificate = Fingerprint([UInt8](repeating: 1, count: 32))
    private let folder: URL

    init(approves: Bool = true) async throws {
      folder = FileManager.default.temporaryDirectory.appendingPathComponent("latchkey-\(UUID())")
      store = try SQLiteStore(path: folder.appendingPathComponent("bank.db").path, node: "test")
      device = DeviceRecord(
        id: .random(), user: "anna", name: "phone", created: 1,
        identityKey: Array(identityKey.publicKey.x963Representation),
        approvalKey: approves ? Array(approvalKey.publicKey.x963Representation) : nil, approvalSince: 50)
      let (device, certificate) = (device, certificate)
      try await LedgerService().makeTables(in: store)
      try await store.write { transaction in
        for user in ["anna", "bert"] as [UserName] {
          _ = try transaction.addUser(UserRecord(name: user, passwordHash: nil))
        }
        try transaction.addDevice(device)
        try transaction.addCertificate(
          CertificateRecord(fingerprint: certificate, serial: [1], device: device.id, notAfter: 1000))
        let house = try transaction.houseAccount(currency: "EUR")
        for (number, user, currency): (String, UserName, String) in [
          (Self.mine, "anna", "EUR"), (Self.other, "bert", "EUR"), (Self.foreign, "bert", "USD"),
        ] {
          _ = try transaction.addAccount(
            AccountRecord(number: number, user: user, name: "", currency: currency, balance: 0))
        }
        _ = try transaction.book(
          Booking(
            id: .random(), from: house.number, to: Self.mine, amount: 100_000, currency: "EUR", notes: "", booked: 1,
            device: nil))
      }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Another device of the same user, with a certificate of its own.
    func secondDevice(of user: UserName = "anna") async throws -> (device: DeviceRecord, certificate: Fingerprint) {
      let other = DeviceRecord(
        id: .random(), user: user, name: "laptop", created: 2,
        identityKey: Array(identityKey.publicKey.x963Representation))
      let fingerprint = Fingerprint(Identifier.random().bytes)
      try await store.write { transaction in
        try transaction.addDevice(other)
        try transaction.addCertificate(
          CertificateRecord(fingerprint: fingerprint, serial: fingerprint.bytes, device: other.id, notAfter: 1000))
      }
      return (other, fingerprint)
    }

    /// The statement of a verified signature: made by signing, since nothing else makes one.
    func signature(
      nonce: String, device: Identifier? = nil, now: Int64 = 100
    ) throws -> SealedProfile.Verified {
      var message = HTTPRequestMessage(method: "POST", targetURI: "https://bank/v1/transfers", fields: HTTPFields([]))
      let (key, device) = (identityKey, device ?? self.device.id)
      try SealedProfile.sign(&message, body: [], keyID: device.description, nonce: nonce, now: now) {
        Array(try key.signature(for: $0).derRepresentation)
      }
      let publicKey = Array(key.publicKey.x963Representation)
      return try SealedProfile.verify(message, body: [], now: now) { (_: String) throws(SealedMessageError) in publicKey
      }
    }

    func ceremony(
      key: String = "0123456789abcdef", nonce: String = Base64URL.encode(Identifier.random().bytes),
      approval: Approval? = nil, now: Int64 = 100, threshold: Int64 = 50_000, certificate: Fingerprint? = nil,
      device: Identifier? = nil, policy: ServerPolicy = ServerPolicy(),
      ledger: LedgerPolicy = LedgerPolicy(),
      _ change: (inout Transfer) -> Void = { _ in }
    ) throws -> Asked {
      var transfer = Transfer(from: Self.mine, to: Self.other, amount: Amount(minorUnits: 2323), currency: "EUR")
      change(&transfer)
      var limits = ledger
      limits.approvalFrom = AmountsByCurrency(threshold)
      let decision = TransferCeremony(
        transfer: transfer, booking: .random(), clockSkew: policy.window.skew, policy: limits)
      return Asked(
        transfer: transfer,
        ceremony: SealedCeremony(
          service: LedgerService.name, key: try #require(IdempotencyKey(field: key)),
          digest: RequestDigest(transfer.digest), certificate: certificate ?? self.certificate,
          signature: try signature(nonce: nonce, device: device, now: now), approval: approval,
          challenge: ChallengeRecord(
            id: .random(), value: [UInt8](repeating: 9, count: 32), device: self.device.id, purpose: .transfer,
            content: nil, expires: now + 60),
          now: now, policy: policy, decide: decision.decide))
    }

    /// A transfer, and the request that asks for it.
    struct Asked {
      let transfer: Transfer
      let ceremony: SealedCeremony
    }

    func run(_ asked: Asked) async throws -> SealedCeremony.Outcome {
      try await asked.ceremony.perform(in: store)
    }

    func balance(_ number: String = Bank.mine) async throws -> Int64? {
      try await store.read { try $0.account(number)?.balance }
    }

    func approval(_ challenge: Challenge, _ transfer: Transfer, key: P256.Signing.PrivateKey? = nil) throws -> Approval
    {
      let message = challenge.signedMessage(purpose: .transfer, content: transfer.digest)
      return Approval(
        challengeID: challenge.id,
        signature: Base64Bytes(try (key ?? approvalKey).signature(for: message).derRepresentation))
    }
  }

  private func refusal(_ outcome: SealedCeremony.Outcome) -> Problem? {
    if case .refused(let problem) = outcome { problem } else { nil }
  }

  @Test("The transfer is booked, and its answer is stored")
  func books() async throws {
    let bank = try await Bank()
    guard case .decided(201, let body) = try await bank.run(bank.ceremony()) else {
      Issue.record("not booked")
      return
    }
    let receipt = try JSONDecoder().decode(TransferReceipt.self, from: Data(body))
    #expect(receipt.balance == Amount(minorUnits: 97_677))
    #expect(try await bank.balance() == 97_677)
    #expect(try await bank.balance(Bank.other) == 2323)
    #expect(try await bank.store.read { try $0.ledgerSums() } == ["EUR": 0, "USD": 0])
  }

  @Test("Sent again with its key, it is answered as before and not booked again")
  func replays() async throws {
    let bank = try await Bank()
    guard case .decided(let status, let body) = try await bank.run(bank.ceremony()) else {
      Issue.record("not booked")
      return
    }
    for nonce in (0..<2).map({ _ in Base64URL.encode(Identifier.random().bytes) }) {
      guard case .replayed(status, body) = try await bank.run(bank.ceremony(nonce: nonce, now: 500)) else {
        Issue.record("not the same answer")
        return
      }
    }
    #expect(try await bank.balance() == 97_677)
  }

  @Test("The date is stored in the booking, the audit entry and the receipt, and the money moves at once")
  func dated() async throws {
    let bank = try await Bank()
    guard case .decided(201, let body) = try await bank.run(bank.ceremony { $0.date = 86_400 }) else {
      Issue.record("not booked")
      return
    }
    let receipt = try JSONDecoder().decode(TransferReceipt.self, from: Data(body))
    #expect(receipt.date == 86_400 && receipt.booked == 100)
    #expect(try await bank.balance() == 97_677)
    let id = try #require(Identifier(receipt.transfer))
    let (kept, entries) = try await bank.store.read {
      (try $0.transfer(id), try $0.auditEntries(node: "test", after: 0, limit: 9).map(\.entry))
    }
    #expect(kept?.valueDate == 86_400)
    #expect(entries.last { $0.event == "ledger.transfer.booked" }?.fields["date"] == "86400")
    // Without one there is nothing of it anywhere.
    guard case .decided(201, let plain) = try await bank.run(bank.ceremony(key: "another-key-0123456789")) else {
      Issue.record("not booked")
      return
    }
    #expect(!String(decoding: plain, as: UTF8.self).contains("date"))
    let last = try await bank.store.read { try $0.auditEntries(node: "test", after: 0, limit: 9).last?.entry.fields }
    #expect(last?["transfer"] != nil && last?["date"] == nil)
  }

  @Test("Its key with another date is refused; once booked it is answered as before, though its date has passed")
  func datedAgain() async throws {
    let bank = try await Bank()
    let day: Int64 = 86_400
    try await bank.store.write { store in
      let (certificate, device) = try #require(try store.certificate(fingerprint: bank.certificate))
      try store.addCertificate(
        CertificateRecord(
          fingerprint: Fingerprint([UInt8](repeating: 2, count: 32)), serial: [2], device: device.id,
          notAfter: certificate.notAfter + 9 * day))
    }
    let lasting = Fingerprint([UInt8](repeating: 2, count: 32))
    func ceremony(
      _ date: Int64?, key: String = "0123456789abcdef", now: Int64 = 100
    ) throws -> Bank.Asked {
      try bank.ceremony(key: key, now: now, certificate: lasting) { $0.date = date }
    }
    guard case .decided(201, let body) = try await bank.run(ceremony(0)) else {
      Issue.record("not booked")
      return
    }
    for date in [nil, 1, day] as [Int64?] {
      #expect(refusal(try await bank.run(ceremony(date)))?.code == .idempotencyMismatch)
    }
    guard case .replayed(201, body) = try await bank.run(ceremony(0, now: day + 1000)) else {
      Issue.record("not the same answer")
      return
    }
    // A new one of that day is too late, and one of a year ahead too early; neither refusal is stored.
    #expect(
      refusal(try await bank.run(ceremony(0, key: "late-key-0123456789", now: day + 1000)))?.code == .invalidTransfer)
    let early = try await bank.run(ceremony(91 * day + 400, key: "early-key-0123456789"))
    #expect(refusal(early)?.code == .invalidTransfer)
    guard
      case .decided(201, _) = try await bank.run(ceremony(91 * day + 400, key: "early-key-0123456789", now: day + 100))
    else {
      Issue.record("the refusal was kept")
      return
    }
    #expect(try await bank.balance() == 100_000 - 2 * 2323)
  }

  @Test("An approval of one date is none of another, and none of no date")
  func approvedDate() async throws {
    let bank = try await Bank()
    for other in [nil, 86_401] as [Int64?] {
      let asked = try await bank.run(bank.ceremony(threshold: 1) { $0.date = 86_400 })
      let challenge = try #require(refusal(asked)?.challenge)
      var approved = Transfer(from: Bank.mine, to: Bank.other, amount: Amount(minorUnits: 2323), currency: "EUR")
      approved.date = 86_400
      let approval = try bank.approval(challenge, approved)
      let altered = try await bank.run(bank.ceremony(approval: approval, threshold: 1) { $0.date = other })
      #expect(refusal(altered)?.code != nil)
    }
    #expect(try await bank.balance() == 100_000)
    let challenge = try #require(
      refusal(try await bank.run(bank.ceremony(threshold: 1) { $0.date = 86_400 }))?.challenge)
    var transfer = Transfer(from: Bank.mine, to: Bank.other, amount: Amount(minorUnits: 2323), currency: "EUR")
    transfer.date = 86_400
    let approval = try bank.approval(challenge, transfer)
    guard
      case .decided(201, _) = try await bank.run(bank.ceremony(approval: approval, threshold: 1) { $0.date = 86_400 })
    else {
      Issue.record("not booked")
      return
    }
  }

  @Test("The same key with another transfer is refused, and so is a nonce that came before")
  func mismatches() async throws {
    let bank = try await Bank()
    let nonce = Base64URL.encode(Identifier.random().bytes)
    _ = try await bank.run(bank.ceremony(nonce: nonce))
    let other = try await bank.run(bank.ceremony { $0.amount = Amount(minorUnits: 1) })
    #expect(refusal(other)?.code == .idempotencyMismatch)
    let again = try await bank.run(bank.ceremony(key: "another-key-0123456789", nonce: nonce))
    #expect(refusal(again)?.code == .replayed)
    #expect(try await bank.balance() == 97_677)
  }

  @Test("A key that the device has no more moves nothing, though its signature was verified")
  func otherKey() async throws {
    let bank = try await Bank()
    let verified = try bank.ceremony()
    var device = bank.device
    device.identityKey = Array(P256.Signing.PrivateKey().publicKey.x963Representation)
    let changed = device
    try await bank.store.write { try $0.updateDevice(changed) }
    guard case .otherKey = try await bank.run(verified) else {
      Issue.record("the old key moved money")
      return
    }
    guard case .otherKey = try await bank.run(bank.ceremony(device: .random())) else {
      Issue.record("another device's signature moved money")
      return
    }
    #expect(try await bank.balance() == 100_000)
  }

  @Test(
    "A transfer is the user's: sent again by the user's next device it is answered as before, by another user's it is another"
  )
  func nextDevice() async throws {
    let bank = try await Bank()
    guard case .decided(201, let body) = try await bank.run(bank.ceremony()) else {
      Issue.record("not booked")
      return
    }
    let id = bank.device.id
    _ = try await bank.store.write { try $0.revokeDevice(id, at: 101, reason: 5) }
    let (next, certificate) = try await bank.secondDevice()
    guard case .replayed(201, body) = try await bank.run(bank.ceremony(certificate: certificate, device: next.id))
    else {
      Issue.record("booked twice, or not answered")
      return
    }
    let (other, others) = try await bank.secondDevice(of: "bert")
    guard case .decided(422, _) = try await bank.run(bank.ceremony(certificate: others, device: other.id)) else {
      Issue.record("another user was told of it")
      return
    }
    #expect(try await bank.balance() == 97_677)
  }

  @Test("Users whose names Unicode holds for equal do not own each other's accounts")
  func canonicalEquivalence() async throws {
    let bank = try await Bank()
    try await bank.store.write { transaction in
      for user in ["jos\u{E9}", "jose\u{301}"] as [UserName] {
        #expect(try transaction.addUser(UserRecord(name: user, passwordHash: nil)))
      }
      _ = try transaction.addAccount(
        AccountRecord(
          number: "222222222222", user: "jos\u{E9}", name: "", currency: "EUR", balance: 0, overdraft: 9_000))
    }
    let (device, certificate) = try await bank.secondDevice(of: "jose\u{301}")
    let ceremony = try bank.ceremony(certificate: certificate, device: device.id) { $0.from = "222222222222" }
    guard case .decided(422, _) = try await bank.run(ceremony) else {
      Issue.record("another user's account gave")
      return
    }
    #expect(try await bank.balance("222222222222") == 0)
  }

  @Test("Small transfers need an approval once they are more than a day's sum, and nothing goes beyond the day's most")
  func sums() async throws {
    let bank = try await Bank()
    var sums = LedgerPolicy()
    sums.dailyUnapprovedSum = AmountsByCurrency(5_000)
    sums.dailySum = AmountsByCurrency(60_000)
    let policy = sums
    for number in 0..<2 {
      guard case .decided(201, _) = try await bank.run(bank.ceremony(key: "small-0123456789-\(number)", ledger: policy))
      else {
        Issue.record("not booked: \(number)")
        return
      }
    }
    let third = try bank.ceremony(key: "small-0123456789-3", ledger: policy)
    let challenge = try #require(refusal(try await bank.run(third))?.challenge)
    let approval = try bank.approval(challenge, third.transfer)
    let approved = try bank.ceremony(key: "small-0123456789-3", approval: approval, ledger: policy)
    guard case .decided(201, _) = try await bank.run(approved) else {
      Issue.record("not booked with an approval")
      return
    }
    // An approved transfer does not count as small.
    let tooMuch = try bank.ceremony(key: "large-0123456789", ledger: policy) { $0.amount = Amount(minorUnits: 60_000) }
    guard case .decided(403, let body) = try await bank.run(tooMuch) else {
      Issue.record("more than the day's most")
      return
    }
    #expect(try JSONDecoder().decode(Problem.self, from: Data(body)).code == .notPermitted)
    #expect(try await bank.balance() == 100_000 - 3 * 2323)
    // The hours go on: a day later all is free again, for the certificate's life here is not looked at.
    let spent = try await bank.store.read { try $0.spending(of: Bank.mine, now: 100 + 24 * 3600) }
    #expect(spent == Spending(approved: 2323, unapproved: 2 * 2323))
    #expect(try await bank.store.read { try $0.spending(of: Bank.mine, now: 100 + 25 * 3600) }.unapproved == 0)
  }

  @Test("A new approval key does not count before its time, and no key of before has to wait")
  func coolDown() async throws {
    let bank = try await Bank()
    let large: (inout Transfer) -> Void = { $0.amount = Amount(minorUnits: 60_000) }
    var waiting = ServerPolicy()
    waiting.approvalCoolDown = 60
    let policy = waiting
    // No approval is asked for that would not count, and the refusal is not stored under the key.
    let early = try bank.ceremony(key: "other-0123456789", now: 109, policy: policy, large)
    let refused = refusal(try await bank.run(early))
    #expect(refused?.code == .notPermitted && refused?.challenge == nil)
    let again = try bank.ceremony(key: "other-0123456789", now: 110, policy: policy, large)
    let second = try #require(refusal(try await bank.run(again))?.challenge)
    let late = try bank.ceremony(
      key: "other-0123456789", approval: bank.approval(second, again.transfer), now: 110, policy: policy, large)
    guard case .decided(201, _) = try await bank.run(late) else {
      Issue.record("a key that is old enough did not approve")
      return
    }
  }

  @Test("An approval key of before, which is not attested as the policy wants, approves nothing")
  func unattested() async throws {
    let bank = try await Bank()
    var demanding = ServerPolicy()
    demanding.attestationPolicy = AttestationPolicy()
    let asked = try bank.ceremony(policy: demanding) { $0.amount = Amount(minorUnits: 60_000) }
    let refused = refusal(try await bank.run(asked))
    #expect(refused?.code == .notPermitted && refused?.challenge == nil)
    #expect(try await bank.balance() == 100_000)
  }

  @Test("A refusal is an answer, too: money that comes later does not change it")
  func keepsRefusals() async throws {
    let bank = try await Bank()
    let large = try bank.ceremony(threshold: .max) { $0.amount = Amount(minorUnits: 100_001) }
    guard case .decided(422, let body) = try await bank.run(large) else {
      Issue.record("not refused")
      return
    }
    #expect(try JSONDecoder().decode(Problem.self, from: Data(body)).code == .insufficientFunds)
    try await bank.store.write { transaction in
      let house = try transaction.houseAccount(currency: "EUR")
      _ = try transaction.book(
        Booking(
          id: .random(), from: house.number, to: Bank.mine, amount: 1_000_000, currency: "EUR", notes: "", booked: 2,
          device: nil))
    }
    let again = try bank.ceremony(threshold: .max) { $0.amount = Amount(minorUnits: 100_001) }
    guard case .replayed(422, body) = try await bank.run(again) else {
      Issue.record("not the same answer")
      return
    }
  }

  @Test("Another's account gives nothing, and accounts that are not there or of another currency get nothing")
  func foreignAccounts() async throws {
    let bank = try await Bank()
    let changes: [@Sendable (inout Transfer) -> Void] = [
      { ($0.from, $0.to) = (Bank.other, Bank.mine) }, { $0.from = "999999999999" }, { $0.to = "999999999999" },
      { $0.to = Bank.foreign }, { $0.currency = "USD" }, { $0.from = "000000000001" },
    ]
    for (number, change) in changes.enumerated() {
      let outcome = try await bank.run(bank.ceremony(key: "key-0123456789-\(number)-", change))
      guard case .decided(422, let body) = outcome else {
        Issue.record("not refused: \(number)")
        continue
      }
      #expect(try JSONDecoder().decode(Problem.self, from: Data(body)).code == .unknownAccount)
    }
    #expect(try await bank.balance() == 100_000)
  }

  @Test("A device that was revoked since its request came, a certificate that has ended or is not known: nothing moves")
  func revoked() async throws {
    let bank = try await Bank()
    #expect(refusal(try await bank.run(bank.ceremony(now: 1000)))?.code == .notAuthenticated)
    #expect(refusal(try await bank.run(bank.ceremony(certificate: Fingerprint([7]))))?.code == .notAuthenticated)
    let id = bank.device.id
    _ = try await bank.store.write { try $0.revokeDevice(id, at: 50, reason: 1) }
    #expect(refusal(try await bank.run(bank.ceremony()))?.code == .revoked)
    #expect(try await bank.balance() == 100_000)
  }

  @Test("A large transfer needs the approval key's signature over just this transfer, in time, once")
  func approvals() async throws {
    let bank = try await Bank()
    let large: (inout Transfer) -> Void = { $0.amount = Amount(minorUnits: 60_000) }
    let asked = try bank.ceremony(large)
    let challenge = try #require(refusal(try await bank.run(asked))?.challenge)
    #expect(challenge.expiresIn == 60)

    let stranger = try bank.approval(challenge, asked.transfer, key: P256.Signing.PrivateKey())
    let wrongKey = refusal(try await bank.run(bank.ceremony(approval: stranger, large)))
    #expect(wrongKey?.code == .approvalRequired)
    // A wrong signature used the challenge up: the right one comes too late for it.
    let late = try bank.approval(challenge, asked.transfer)
    let next = try #require(refusal(try await bank.run(bank.ceremony(approval: late, large)))?.challenge)

    var smaller = asked.transfer
    smaller.to = Bank.foreign
    let otherContent = try bank.approval(next, smaller)
    let third = try #require(refusal(try await bank.run(bank.ceremony(approval: otherContent, large)))?.challenge)

    let right = try bank.approval(third, asked.transfer)
    let tooLate = refusal(try await bank.run(bank.ceremony(approval: right, now: 161, large)))
    let fourth = try #require(tooLate?.challenge)
    #expect(try await bank.balance() == 100_000)

    let inTime = try bank.approval(fourth, asked.transfer)
    guard case .decided(201, _) = try await bank.run(bank.ceremony(approval: inTime, now: 170, large)) else {
      Issue.record("not booked")
      return
    }
    // The same approval for a second transfer of the same content.
    let second = try await bank.run(bank.ceremony(key: "another-key-0123456789", approval: inTime, now: 171, large))
    #expect(refusal(second)?.code == .approvalRequired)
    #expect(try await bank.balance() == 40_000)
  }

  @Test("Without an approval key a large transfer is not permitted at all")
  func noApprovalKey() async throws {
    let bank = try await Bank(approves: false)
    let outcome = try await bank.run(bank.ceremony { $0.amount = Amount(minorUnits: 60_000) })
    #expect(refusal(outcome)?.code == .notPermitted)
  }

  @Test("Twenty transfers, each sent six times at once, are booked once each")
  func atOnce() async throws {
    let bank = try await Bank()
    let outcomes = try await withThrowingTaskGroup(of: (Int, [UInt8]).self) { group in
      for send in 0..<120 {
        group.addTask {
          switch try await bank.run(bank.ceremony(key: "key-0123456789-\(send % 20)")) {
          case .decided(201, let body), .replayed(201, let body): (send % 20, body)
          default: (send % 20, [])
          }
        }
      }
      var bodies: [Int: Set<[UInt8]>] = [:]
      for try await (number, body) in group { bodies[number, default: []].insert(body) }
      return bodies
    }
    #expect(outcomes.count == 20)
    #expect(outcomes.values.allSatisfy { $0.count == 1 && $0.first?.isEmpty == false })
    #expect(try await bank.balance() == 100_000 - 20 * 2323)
    #expect(try await bank.store.read { try $0.ledgerSums() } == ["EUR": 0, "USD": 0])
  }
}
