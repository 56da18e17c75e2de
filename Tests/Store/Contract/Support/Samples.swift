import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeyLedger

// The records that the rules write.

extension UserRecord {
  static let ann = UserRecord(name: "ann", passwordHash: "$scrypt$ln=17,r=8,p=1$c2FsdA$aGFzaA")
  static let ben = UserRecord(name: "ben", passwordHash: nil)
}

extension DeviceRecord {
  static func sample(_ user: UserName = "ann", created: Int64 = 1) -> DeviceRecord {
    DeviceRecord(
      id: .random(), user: user, name: "Ann's phone", created: created, identityKey: [4] + bytes(64),
      approvalKey: [4] + bytes(64), approvalEvidence: "tpm", approvalSince: 3, identityEvidence: "tpm")
  }
}

extension CertificateRecord {
  static func sample(of device: Identifier, notAfter: Int64 = 1000) -> CertificateRecord {
    CertificateRecord(fingerprint: Fingerprint(bytes(32)), serial: bytes(16), device: device, notAfter: notAfter)
  }
}

extension ChallengeRecord {
  static func sample(expires: Int64 = 100) -> ChallengeRecord {
    ChallengeRecord(
      id: .random(), value: bytes(32), device: .random(), purpose: .transfer, content: ApprovedDigest(bytes(32)),
      expires: expires)
  }
}

extension AccountRecord {
  static func sample(
    _ number: String, user: UserName = "ann", currency: String = "EUR", overdraft: Int64 = 0
  ) -> AccountRecord {
    AccountRecord(
      number: number, user: user, name: "Checking", currency: currency, balance: 0, overdraft: overdraft)
  }
}

extension Booking {
  static func sample(
    from: String, to: String, _ amount: Int64, currency: String = "EUR", id: Identifier = .random(),
    valueDate: Int64? = nil
  ) -> Booking {
    Booking(
      id: id, from: from, to: to, amount: amount, currency: currency, notes: "rent", booked: 7, valueDate: valueDate,
      device: .random())
  }
}

extension StoredAnswer {
  static func sample(_ status: Int = 201, expires: Int64 = 100) -> StoredAnswer {
    StoredAnswer(digest: RequestDigest(bytes(32)), status: status, body: Array("{}".utf8), expires: expires)
  }
}

/// So many bytes that no other sample has.
func bytes(_ count: Int) -> [UInt8] {
  var generator = SystemRandomNumberGenerator()
  return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
}

let checking = "123123456456"
let savings = "654654123123"

extension EnrollmentStore {
  /// Two accounts of ann's, with so much in each, from the house account.
  func openAccounts(_ amounts: [String: Int64] = [checking: 100_000, savings: 500_000]) async throws {
    try await write { transaction in
      _ = try transaction.addUser(.ann)
      for (number, amount) in amounts {
        _ = try transaction.addAccount(.sample(number))
        let house = try transaction.houseAccount(currency: "EUR")
        if amount > 0 { _ = try transaction.book(.sample(from: house.number, to: number, amount)) }
      }
    }
  }

  func balance(_ number: String) async throws -> Int64? { try await read { try $0.account(number)?.balance } }
}
