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

/// A store with a user, a device that approves, and two accounts with 1 000.00 and nothing.
final class TransferBank: Sendable {
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

  func balance(_ number: String = TransferBank.mine) async throws -> Int64? {
    try await store.read { try $0.account(number)?.balance }
  }

  func approval(_ challenge: Challenge, _ transfer: Transfer, key: P256.Signing.PrivateKey? = nil) throws -> Approval {
    let message = challenge.signedMessage(purpose: .transfer, content: transfer.digest)
    return Approval(
      challengeID: challenge.id,
      signature: Base64Bytes(try (key ?? approvalKey).signature(for: message).derRepresentation))
  }

  /// The problem of a refused request.
  static func refusal(_ outcome: SealedCeremony.Outcome) -> Problem? {
    if case .refused(let problem) = outcome { problem } else { nil }
  }
}
