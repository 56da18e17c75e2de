import LatchkeyEnrollmentServer
import LatchkeyLedger
import LatchkeyServerTestSupport
import Crypto
import CryptoExtras
import Foundation
import LatchkeyEnrollment
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import Security

/// The real server with a user who has money.
enum RealService {
  static let checking = "123123456456"
  static let savings = "654654123123"
  /// A transfer that needs an approval.
  static let largeTransfer = Transfer(
    from: checking, to: savings, amount: Amount(minorUnits: 100_000), currency: "EUR")

  /// Runs `body` with a server, and what a client needs to know of it.
  static func with<T: Sendable>(
    _ change: (inout ServerConfiguration) throws -> Void = { _ in },
    _ body: (RunningServer, EnrollmentConfiguration) async throws -> T
  ) async throws -> T {
    try await RunningServer.with(change) { server in
      let hash = try passwordHash(RunningServer.password)
      let now = Int64(server.clock.now.timeIntervalSince1970)
      try await server.store.write { store in
        try store.updateUser(UserRecord(name: "demo", passwordHash: hash))
        guard try store.serviceVersion(LedgerService.name) != nil else { return }
        for (number, name, amount) in [(checking, "Checking", Int64(500_000)), (savings, "Savings", 100_000)] {
          _ = try store.addAccount(
            AccountRecord(number: number, user: "demo", name: name, currency: "EUR", balance: 0))
          _ = try store.book(
            Booking(
              id: .random(), from: store.houseAccount(currency: "EUR").number, to: number, amount: amount,
              currency: "EUR", notes: "", booked: now, device: nil))
        }
      }
      var configuration = EnrollmentConfiguration(
        server: try ServerAddress(server.url),
        trustRoots: [SecCertificateCreateWithData(nil, Data(server.root) as CFData)].compactMap(\.self))
      let clock = server.clock
      configuration.clock = { clock.now }
      configuration.sleep = { _ in }
      // Beside other tests an answer may take long.
      configuration.timeout = .seconds(300)
      return try await body(server, configuration)
    }
  }

  /// Logs a device of the user in.
  static func logIn(_ client: EnrollmentClient) async throws -> LoginOutcome {
    try await client.logIn(user: "demo", password: RunningServer.password, deviceName: "my device").value
  }

  /// scrypt at the least cost that is read.
  private static func passwordHash(_ password: String) throws -> String {
    let salt = [UInt8](repeating: 7, count: 16)
    let key = try KDF.Scrypt.deriveKey(
      from: Array(password.utf8), salt: salt, outputByteCount: 32, rounds: 1 << 10, blockSize: 8, parallelism: 1)
    func text(_ bytes: some ContiguousBytes) -> String {
      bytes.withUnsafeBytes { Data($0) }.base64EncodedString().replacing("=", with: "")
    }
    return "$scrypt$ln=10,r=8,p=1$\(text(salt))$\(text(key))"
  }
}
