internal import Foundation
package import Hummingbird
internal import HummingbirdCore
internal import LatchkeyCertificateAuthority
internal import LatchkeyEnrollmentStore
internal import Logging
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
public import ServiceLifecycle

/// The enrollment service: one TLS port, client certificates optional at the handshake and required by route; and a plain one for
/// health and metrics, where it is wanted.
///
/// HTTP/2 and HTTP/1.1, as the client wishes. Run it in a `ServiceGroup`, whose signals end it gracefully.
public struct EnrollmentServer: Service {
  let services: Services
  private let tls: TLSContext
  let table: ConnectionTable
  private let bound = BoundPort()
  private let operations: OperationsListener?

  /// A server; nothing listens before ``run()``.
  ///
  /// - Throws: when the certificate, its key or the authority are damaged or do not fit together.
  public init(_ configuration: ServerConfiguration) throws {
    // The key is TLS's from here on.
    var kept = configuration
    kept.privateKey = []
    let services = Services(kept)
    self.services = services
    table = ConnectionTable(limits: configuration.limits, metrics: services.metrics)
    operations = configuration.operations.map { OperationsListener(services: services, address: $0) }
    let answering = RequestAnswering(services, AllRoutes.groups(services))
    tls = try TLSContext(
      ServerTLS.configuration(
        certificateChain: configuration.certificateChain, privateKey: configuration.privateKey,
        authorities: configuration.trusted),
      limits: configuration.limits
    ) { request, writer, channel in
      try await answering.answer(request, writer, channel)
    }
  }

  /// All routes. What each request passes through before them is `RequestAnswering`'s.
  package static func router(_ services: Services) -> Router<ServerContext> {
    RequestAnswering.router(AllRoutes.groups(services))
  }

  /// Serves until graceful shutdown: no new requests, those under way end, then the store is closed.
  ///
  /// - Throws: when the port cannot be listened on; ``OperationsListenerError``; ``NodeNameError``.
  public func run() async throws {
    let lease = services.configuration.nodeHolder.map { NodeLease(services: services, holder: $0) }
    do {
      try await lease?.claim()
      do {
        try await serve(lease)
      } catch {
        await lease?.release()
        throw error
      }
    } catch {
      bound.fail(error)
      operations?.bound.fail(error)
      await services.store.close()
      throw error
    }
    bound.fail(CancellationError())
    operations?.bound.fail(CancellationError())
    await lease?.release()
    await services.store.close()
  }

  private func serve(_ lease: NodeLease?) async throws {
    let configuration = services.configuration
    let server = SecureChannel(context: tls, table: table, metrics: services.metrics).server(
      configuration: HummingbirdCore.ServerConfiguration(
        address: .hostname(configuration.host, port: configuration.port), backlog: 1024),
      onServerRunning: { [bound] channel in bound.set(channel.localAddress?.port ?? 0) },
      eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: configuration.logger)
    try await withThrowingTaskGroup { group in
      group.addTask { try await server.run() }
      if let operations { group.addTask { try await operations.run() } }
      group.addTask { [table] in await table.sweep() }
      group.addTask { [services] in await Maintenance(services: services).run() }
      if let lease { group.addTask { await lease.hold() } }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  /// The port that is listened on; waits until it is.
  ///
  /// - Throws: what kept the server from listening.
  public var port: Int { get async throws { try await bound.value } }

  /// The port of health and metrics; waits until it is listened on. Nil where they have none of their own.
  ///
  /// - Throws: what kept the server from listening.
  public var operationsPort: Int? { get async throws { try await operations?.bound.value } }

  /// Gives new connections another certificate. Those that are open keep the old one; sessions of it are not resumed.
  ///
  /// - Parameters:
  ///   - certificateChain: DER, leaf first.
  ///   - privateKey: PKCS#8, DER. A secret.
  /// - Throws: when they are damaged or do not fit together; the old ones stay.
  public func reload(certificateChain: [[UInt8]], privateKey: [UInt8]) throws {
    try tls.replace(
      with: ServerTLS.configuration(
        certificateChain: certificateChain, privateKey: privateKey, authorities: services.configuration.trusted))
    services.readiness.note(
      certificates: Array(certificateChain.prefix(1)) + services.configuration.authority.chain.prefix(1))
  }
}

extension ServerConfiguration {
  /// Who vouches for devices.
  fileprivate var trusted: [[UInt8]] { authority.chain + alsoTrusted }
}

extension EnrollmentServer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Nothing of what it holds: a `ServiceGroup` prints its services into its log.
  public var description: String { "EnrollmentServer" }
  /// Nothing of what it holds.
  public var debugDescription: String { description }
  /// Nothing of what it holds.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
