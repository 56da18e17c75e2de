import LatchkeyLedger
import LatchkeyServerTestSupport
import Crypto
import Foundation
import LatchkeyByteCoding
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeyPKCS12
import LatchkeySealedMessages
import NIOSSL
import Testing

@testable import LatchkeyEnrollmentServer

/// A running server with the old service's routes, a user with a password and two accounts, and another user with one.
struct LegacyEnrollmentServer {
  static let checking = "123123456456"
  static let savings = "654654123123"
  static let foreign = "777777777777"
  static let house = "000000000001"
  static let password = "pass:word"

  let server: RunningServer
  let keys: LegacyEnvelopeKeys

  static func keys() throws -> LegacyEnvelopeKeys {
    try LegacyEnvelopeKeys(
      encryption: "0123456789abcdef0123456789abcdef", authentication: "fedcba9876543210fedcba9876543210")
  }

  static func with(
    _ change: (inout LegacyEnrollmentService) -> Void = { _ in }, _ body: (LegacyEnrollmentServer) async throws -> Void
  ) async throws {
    let keys = try keys()
    var service = LegacyEnrollmentService(keys: keys)
    change(&service)
    try await RunningServer.with({ $0.services = [try LedgerService(legacy: service)] }) { server in
      let legacy = LegacyEnrollmentServer(server: server, keys: keys)
      try await legacy.addUsers()
      try await body(legacy)
    }
  }

  private func addUsers() async throws {
    let hash = try PasswordHash(
      of: SecretBytes(password: Self.password), salt: [UInt8](repeating: 7, count: 16), cost: .init(logarithm: 10)
    ).text
    try await server.store.write { store in
      #expect(try store.addUser(UserRecord(name: "nick", passwordHash: hash)))
      #expect(try store.addUser(UserRecord(name: "other", passwordHash: hash)))
      for (number, user, name, overdraft): (String, UserName, String, Int64) in [
        (Self.house, "", "House", Int64.max), (Self.checking, "nick", "Checking", 0), (Self.savings, "nick", "Büro", 0),
        (Self.foreign, "other", "Foreign", 0),
      ] {
        #expect(
          try store.addAccount(
            AccountRecord(
              number: number, user: user, name: name, currency: "EUR", balance: 0, overdraft: overdraft)))
      }
      for number in [Self.checking, Self.savings] {
        let result = try store.book(
          Booking(
            id: .random(), from: Self.house, to: number, amount: 500_000, currency: "EUR", notes: "", booked: 0,
            device: nil))
        #expect(result != .insufficientFunds && result != .noSuchAccounts)
      }
    }
  }

  func balance(_ number: String) async throws -> Int64? {
    try await server.store.read { try $0.account(number)?.balance }
  }

  static func basic(_ user: String = "nick", _ password: String = password) -> (String, String) {
    ("authorization", "Basic " + Data("\(user):\(password)".utf8).base64EncodedString())
  }

  /// Registers as the old client does; gives the token, and the device of the file.
  func register(pin: String = "4711") async throws -> (token: String, device: TestDevice) {
    let answer = try await server.withClient {
      try await $0.request("POST", LegacyEnrollment.authenticate + "?register=true&pin=\(pin)", headers: [Self.basic()])
    }
    #expect(answer.status == 200)
    let members = try answer.decoded([String: String].self)
    let encoded = try #require(members["certificate"])
    let file = try PKCS12File(reading: #require(Data(base64Encoded: encoded)), password: pin)
    let identity = try #require(file.identities.first)
    let key = try P256.Signing.PrivateKey(derRepresentation: identity.key.pkcs8)
    let fingerprint = Fingerprint(SHA256.hash(data: identity.certificate.der))
    let found = try #require(await server.store.read { try $0.certificate(fingerprint: fingerprint)?.device })
    return (
      try #require(members["token"]),
      TestDevice(id: found.id, user: found.user, key: key, certificate: identity.certificate.der)
    )
  }

  /// A device with a session of its own, without the ceremony's cost.
  func session(of user: UserName = "nick") async throws -> (token: String, device: TestDevice) {
    let device = try await server.device(of: user)
    let session = SessionToken(
      user: user, device: device.id, random: (0..<32).map { _ in .random(in: .min ... .max) },
      now: Int64(server.clock.now.timeIntervalSince1970), policy: ServerPolicy())
    try await server.store.write { try $0.addToken(session.record) }
    return (session.text, device)
  }

  func transfer(
    to: String = checking, from: String = savings, amount: String = "23.23", date: Int64? = nil, notes: String = "Book"
  ) throws -> LegacyTransfer {
    LegacyTransfer(
      toAccount: to, fromAccount: from,
      transferDate: try LegacyDate.text(date ?? Int64(server.clock.now.timeIntervalSince1970)),
      transferNotes: notes, amount: amount)
  }

  func sealed(_ transfer: LegacyTransfer, token: String? = nil) throws -> [UInt8] {
    try LegacyEnvelope.seal(transfer, keys: keys, token: token) { count in
      (0..<count).map { _ in .random(in: .min ... .max) }
    }
  }

  func send(_ body: [UInt8], over device: TestDevice?, token: String?) async throws -> TestAnswer {
    try await server.withClient(device) {
      try await $0.request(
        "POST", LegacyEnrollment.transferFunds,
        headers: [("accept", "application/json"), ("content-type", "application/x-www-form-urlencoded")]
          + (token.map { [(LegacyEnrollment.tokenHeader, $0)] } ?? []), body: body)
    }
  }
}

extension TestAnswer {
  /// Whether it is the old service's answer to whatever is wrong with a sealed request.
  func expectIntegrityError(_ location: SourceLocation = #_sourceLocation) {
    #expect(status == 400, sourceLocation: location)
    #expect(text == #"{"result":"ERROR","additional_info":"Message Integrity Error"}"#, sourceLocation: location)
  }
}
