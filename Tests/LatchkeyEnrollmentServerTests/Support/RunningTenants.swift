import Foundation
import LatchkeyCertificateAuthority
import LatchkeyEnrollmentStore
import LatchkeyServerTestSupport
import Logging
import NIOSSL
import ServiceLifecycle

@testable import LatchkeyEnrollmentServer

/// Two tenants, `red` and `blue`, on one port of loopback. Each has a user `demo`; the passwords differ.
final class RunningTenants: Sendable {
  struct Bench: Sendable {
    let name: String
    let authority: CertificateAuthority
    let store: RefusingStore
    let folder: URL
    var host: String { "\(name).example.org" }
    /// The authority's certificate, DER.
    var root: [UInt8] { authority.chain[0] }
    var password: String { name == "red" ? RunningServer.password : "another password of \(name)" }

    /// TLS of a client that believes the tenant's authority.
    func clientTLS(_ device: TestDevice? = nil) throws -> TLSConfiguration {
      var tls = TLSConfiguration.makeClientConfiguration()
      tls.trustRoots = .certificates([try NIOSSLCertificate(bytes: root, format: .der)])
      try device.map { try tls.show($0) }
      return tls
    }

    /// A device, registered without any ceremony.
    func device(serial: [UInt8] = RunningServer.serial()) async throws -> TestDevice {
      try await TestDevice.made(in: store, by: authority, serial: serial)
    }

    /// A server's certificate of the tenant's authority and its key, for its own names or others.
    func certificate(_ names: [String]? = nil, now: Date = Date()) throws -> (chain: [[UInt8]], key: [UInt8]) {
      let key = FileAuthorityKey()
      let leaf = try authority.issueServer(
        names: names ?? [host, "\(name).example.net"], publicKey: key.publicKey, serial: RunningServer.serial(),
        notBefore: now.addingTimeInterval(-3600), notAfter: now.addingTimeInterval(7 * 24 * 3600))
      return ([leaf], key.pkcs8)
    }

    fileprivate init(_ name: String, in folder: URL, store: any EnrollmentStore) throws {
      (self.name, self.folder) = (name, folder)
      authority = try CertificateAuthority(
        name: "Authority of \(name)", key: FileAuthorityKey(), now: Date(), serial: RunningServer.serial())
      self.store = RefusingStore(store)
    }
  }

  let red: Bench
  let blue: Bench
  let server: TenantServer
  let port: Int
  private let folder: URL
  private let group: ServiceGroup
  private let running: Task<Void, any Error>

  var all: [Bench] { [red, blue] }

  /// Starts a server, runs `body` with it, and stops it gracefully.
  ///
  /// - Parameters:
  ///   - shared: whether both tenants have one store.
  ///   - before: called with both before the start.
  ///   - open: opens the store of a tenant; left out, SQLite.
  static func with<T: Sendable>(
    shared: Bool = false, _ change: (inout TenantServerConfiguration) throws -> Void = { _ in },
    before: (Bench, Bench) async throws -> Void = { _, _ in },
    open: ((String) throws -> any EnrollmentStore)? = nil,
    _ body: (RunningTenants) async throws -> T
  ) async throws -> T {
    let server = try await RunningTenants(shared: shared, change, before: before, open: open)
    do {
      let result = try await body(server)
      try await server.stop()
      return result
    } catch {
      try? await server.stop()
      throw error
    }
  }

  init(
    shared: Bool = false, _ change: (inout TenantServerConfiguration) throws -> Void = { _ in },
    before: (Bench, Bench) async throws -> Void = { _, _ in },
    open: ((String) throws -> any EnrollmentStore)? = nil
  ) async throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("latchkey-tenants-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let place = folder
    let open =
      open ?? { name in
        try SQLiteStore(path: place.appendingPathComponent("\(shared ? "red" : name).db").path, node: "test")
      }
    red = try Bench("red", in: folder, store: open("red"))
    blue = try Bench("blue", in: folder, store: open("blue"))
    let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
    let tenants = try [red, blue].map { bench in
      let tls = try bench.certificate()
      var configuration = ServerConfiguration(
        certificateChain: tls.chain, privateKey: tls.key, authority: bench.authority, answerKey: FileAuthorityKey(),
        store: bench.store, node: "test", logger: logger)
      configuration.policy.passwordCost = 10
      Self.wait(&configuration.limits)
      return Tenant(
        name: bench.name, serverNames: [bench.host, "\(bench.name).example.net"], configuration: configuration)
    }
    var configuration = TenantServerConfiguration(tenants: tenants, logger: logger)
    configuration.port = 0
    Self.wait(&configuration.limits)
    configuration.patience = 600
    try change(&configuration)
    for bench in [red, blue] where !shared || bench.name == "red" {
      try await Operator(bench.store, passwordCost: 10).addUser("demo", password: bench.password)
    }
    try await before(red, blue)
    server = try TenantServer(configuration)
    group = ServiceGroup(
      configuration: .init(
        services: [.init(service: server, successTerminationBehavior: .gracefullyShutdownGroup)], logger: logger))
    running = Task { [group] in try await group.run() }
    do {
      port = try await server.port
    } catch {
      try await running.value
      throw error
    }
  }

  /// On a busy machine logins wait, and a test may take minutes between two steps of a connection.
  private static func wait(_ limits: inout ServerLimits) {
    (limits.passwordWait, limits.handshakeTimeout) = (600, 600)
    (limits.requestTimeout, limits.answerTimeout) = (600, 600)
  }

  func stop() async throws {
    await beginToStop()
    try await running.value
    try? FileManager.default.removeItem(at: folder)
  }

  func beginToStop() async { await group.triggerGracefulShutdown() }

  /// Runs `body` with a client of a tenant, which calls it by its name, or by another.
  func withClient<T>(
    _ bench: Bench, _ device: TestDevice? = nil, host: String? = nil, http2: Bool = false,
    _ body: (TestClient) async throws -> T
  ) async throws -> T {
    let host = host ?? bench.host
    return try await TestClient.with(
      bench.clientTLS(device), url: "https://\(host):\(port)", http2: http2, loopback: host, body)
  }

  /// Connects by a server name, or none, with the tenant's trust but for names.
  func connect(_ bench: Bench, _ device: TestDevice? = nil, serverName: String?) async throws -> RawConnection {
    var tls = try bench.clientTLS(device)
    tls.certificateVerification = .noHostnameVerification
    return try await RawConnection(port: port, context: NIOSSLContext(configuration: tls), serverName: serverName)
  }
}
