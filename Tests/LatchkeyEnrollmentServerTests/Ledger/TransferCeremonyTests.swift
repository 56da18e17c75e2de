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
  @Test("The transfer is booked, and its answer is stored")
  func books() async throws {
    let bank = try await TransferBank()
    guard case .decided(201, let body) = try await bank.run(bank.ceremony()) else {
      Issue.record("not booked")
      return
    }
    let receipt = try JSONDecoder().decode(TransferReceipt.self, from: Data(body))
    #expect(receipt.balance == Amount(minorUnits: 97_677))
    #expect(try await bank.balance() == 97_677)
    #expect(try await bank.balance(TransferBank.other) == 2323)
    #expect(try await bank.store.read { try $0.ledgerSums() } == ["EUR": 0, "USD": 0])
  }

  @Test("Sent again with its key, it is answered as before and not booked again")
  func replays() async throws {
    let bank = try await TransferBank()
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
    let bank = try await TransferBank()
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
    let bank = try await TransferBank()
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
    ) throws -> TransferBank.Asked {
      try bank.ceremony(key: key, now: now, certificate: lasting) { $0.date = date }
    }
    guard case .decided(201, let body) = try await bank.run(ceremony(0)) else {
      Issue.record("not booked")
      return
    }
    for date in [nil, 1, day] as [Int64?] {
      #expect(TransferBank.refusal(try await bank.run(ceremony(date)))?.code == .idempotencyMismatch)
    }
    guard case .replayed(201, body) = try await bank.run(ceremony(0, now: day + 1000)) else {
      Issue.record("not the same answer")
      return
    }
    // A new one of that day is too late, and one of a year ahead too early; neither refusal is stored.
    #expect(
      TransferBank.refusal(try await bank.run(ceremony(0, key: "late-key-0123456789", now: day + 1000)))?.code
        == .invalidTransfer)
    let early = try await bank.run(ceremony(91 * day + 400, key: "early-key-0123456789"))
    #expect(TransferBank.refusal(early)?.code == .invalidTransfer)
    guard
      case .decided(201, _) = try await bank.run(ceremony(91 * day + 400, key: "early-key-0123456789", now: day + 100))
    else {
      Issue.record("the refusal was kept")
      return
    }
    #expect(try await bank.balance() == 100_000 - 2 * 2323)
  }

  @Test("The same key with another transfer is refused, and so is a nonce that came before")
  func mismatches() async throws {
    let bank = try await TransferBank()
    let nonce = Base64URL.encode(Identifier.random().bytes)
    _ = try await bank.run(bank.ceremony(nonce: nonce))
    let other = try await bank.run(bank.ceremony { $0.amount = Amount(minorUnits: 1) })
    #expect(TransferBank.refusal(other)?.code == .idempotencyMismatch)
    let again = try await bank.run(bank.ceremony(key: "another-key-0123456789", nonce: nonce))
    #expect(TransferBank.refusal(again)?.code == .replayed)
    #expect(try await bank.balance() == 97_677)
  }

  @Test("A key that the device has no more moves nothing, though its signature was verified")
  func otherKey() async throws {
    let bank = try await TransferBank()
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
    let bank = try await TransferBank()
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
    let bank = try await TransferBank()
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

  @Test("A refusal is an answer, too: money that comes later does not change it")
  func keepsRefusals() async throws {
    let bank = try await TransferBank()
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
          id: .random(), from: house.number, to: TransferBank.mine, amount: 1_000_000, currency: "EUR", notes: "",
          booked: 2,
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
    let bank = try await TransferBank()
    let changes: [@Sendable (inout Transfer) -> Void] = [
      { ($0.from, $0.to) = (TransferBank.other, TransferBank.mine) }, { $0.from = "999999999999" },
      { $0.to = "999999999999" },
      { $0.to = TransferBank.foreign }, { $0.currency = "USD" }, { $0.from = "000000000001" },
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
    let bank = try await TransferBank()
    #expect(TransferBank.refusal(try await bank.run(bank.ceremony(now: 1000)))?.code == .notAuthenticated)
    #expect(
      TransferBank.refusal(try await bank.run(bank.ceremony(certificate: Fingerprint([7]))))?.code == .notAuthenticated)
    let id = bank.device.id
    _ = try await bank.store.write { try $0.revokeDevice(id, at: 50, reason: 1) }
    #expect(TransferBank.refusal(try await bank.run(bank.ceremony()))?.code == .revoked)
    #expect(try await bank.balance() == 100_000)
  }

  @Test("A user who was disabled since the request came moves nothing, and hears no kept answer, until enabled again")
  func disabled() async throws {
    let bank = try await TransferBank()
    let asked = try bank.ceremony()
    _ = try await bank.run(asked)
    _ = try await bank.store.write { try $0.setDisabled(60, of: "anna") }
    #expect(
      TransferBank.refusal(try await bank.run(bank.ceremony(key: "fedcba9876543210")))?.code == .notPermitted)
    #expect(TransferBank.refusal(try await bank.run(bank.ceremony()))?.code == .notPermitted)
    #expect(try await bank.balance() == 97_677)
    _ = try await bank.store.write { try $0.setDisabled(nil, of: "anna") }
    guard case .replayed = try await bank.run(bank.ceremony()) else {
      Issue.record("an enabled user's answer is not kept")
      return
    }
  }

  @Test("Twenty transfers, each sent six times at once, are booked once each")
  func atOnce() async throws {
    let bank = try await TransferBank()
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
