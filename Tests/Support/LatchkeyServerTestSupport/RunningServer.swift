package import Foundation
package import LatchkeyCertificateAuthority
import LatchkeyEnrollmentProtocol
package import LatchkeyEnrollmentServer
package import LatchkeyEnrollmentStore
import LatchkeyLedger
import Logging
import ServiceLifecycle
import Synchronization

/// A server on loopback for one test: any free port, SQLite in a temporary folder, a throw-away authority, the user `demo` without accounts.
package final class RunningServer: Sendable {
  /// The password of `demo`.
  package static let password = "correct horse battery staple"
  private static let passwordHash =
    "$scrypt$ln=10,r=8,p=1$bGF0Y2hrZXkgdGVzdCBzYQ$4oOorFo2rPSlUoPJV5BIRzp9eDC0hAkTKBgkZmKIxtM"

  package let port: Int
  package let authority: CertificateAuthority
  /// The key that signs the server's answers.
  package let answerKey: FileAuthorityKey
  package let store: any EnrollmentStore
  package let clock: MovableClock
  package let server: EnrollmentServer
  package let folder: URL
  private let group: ServiceGroup
  private let running: Task<Void, any Error>

  package var url: String { "https://localhost:\(port)" }
  /// The authority's certificate, DER: the root that clients trust.
  package var root: [UInt8] { authority.chain[0] }

  /// Starts a server, runs `body` with it, and stops it gracefully.
  ///
  /// - Parameter clock: another server's, for a second one of the same store.
  package static func with<T: Sendable>(
    clock: MovableClock = MovableClock(), _ change: (inout ServerConfiguration) throws -> Void = { _ in },
    _ body: (RunningServer) async throws -> T
  ) async throws -> T {
    let server = try await RunningServer(clock: clock, change)
    do {
      let result = try await body(server)
      try await server.stop()
      return result
    } catch {
      try? await server.stop()
      throw error
    }
  }

  package init(
    clock: MovableClock = MovableClock(), _ change: (inout ServerConfiguration) throws -> Void = { _ in }
  ) async throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("latchkey-server-\(UUID().uuidString)")
    let key = FileAuthorityKey()
    authority = try CertificateAuthority(
      name: "Test authority", key: key, now: clock.now, serial: Self.serial())
    answerKey = FileAuthorityKey()
    let tls = try Self.certificate(of: authority, now: clock.now)
    var configuration = ServerConfiguration(
      certificateChain: tls.chain, privateKey: tls.key, authority: authority, answerKey: answerKey,
      store: try SQLiteStore(path: folder.appendingPathComponent("server.db").path, node: "test"), node: "test",
      logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
    configuration.port = 0
    configuration.services = [try LedgerService()]
    configuration.clock = { clock.now }
    // Hashes stay cheap, since tests log in hundreds of times.
    configuration.policy.passwordCost = 10
    // On a busy machine logins wait in the queue, and a test may take minutes between two steps of a connection.
    configuration.limits.passwordWait = 600
    configuration.limits.handshakeTimeout = 600
    configuration.limits.requestTimeout = 600
    configuration.limits.answerTimeout = 600
    try change(&configuration)
    self.clock = clock
    store = configuration.store
    server = try EnrollmentServer(configuration)
    group = ServiceGroup(
      configuration: .init(
        services: [.init(service: server, successTerminationBehavior: .gracefullyShutdownGroup)],
        logger: configuration.logger))
    running = Task { [group] in try await group.run() }
    port = try await server.port
    _ = try await store.write { store in
      try store.addUser(UserRecord(name: "demo", passwordHash: Self.passwordHash))
    }
  }

  /// Stops the server gracefully, waits for its end, and removes the folder.
  package func stop() async throws {
    await beginToStop()
    try await running.value
    try? FileManager.default.removeItem(at: folder)
  }

  /// Begins a graceful shutdown: requests in progress finish, and idle connections close.
  package func beginToStop() async { await group.triggerGracefulShutdown() }

  /// A server's certificate and its key, for `localhost` and loopback.
  package static func certificate(
    of authority: CertificateAuthority, now: Date
  ) throws -> (chain: [[UInt8]], key: [UInt8]) {
    let key = FileAuthorityKey()
    let leaf = try authority.issueServer(
      names: ["localhost", "127.0.0.1", "::1"], publicKey: key.publicKey, serial: serial(),
      notBefore: now.addingTimeInterval(-3600), notAfter: now.addingTimeInterval(7 * 24 * 3600))
    return ([leaf], key.pkcs8)
  }

  /// A valid serial number for a certificate.
  package static func serial() -> [UInt8] { [0x40] + (0..<15).map { _ in UInt8.random(in: .min ... .max) } }
}

/// A clock that only a test advances; it starts at the system's time.
package final class MovableClock: Sendable {
  private let time = Mutex(Date())

  package init() {}

  package var now: Date { time.withLock { $0 } }

  /// Advances the clock by so many seconds.
  package func advance(by seconds: TimeInterval) { time.withLock { $0 = $0.addingTimeInterval(seconds) } }
}
