internal import Foundation
package import Hummingbird
internal import LatchkeyCertificateAuthority
internal import LatchkeyEnrollmentStore
internal import Logging
internal import NIOSSL
public import ServiceLifecycle

/// The enrollment service: one TLS port, with client certificates optional at the handshake and required by route; and
/// optionally a plain port for health and metrics.
///
/// It speaks HTTP/2 and HTTP/1.1. Run it in a `ServiceGroup`, whose signals shut it down gracefully.
public struct EnrollmentServer: Service {
  let services: Services
  private let tls: TLSContext
  let table: ConnectionTable
  private let bound = BoundPort()
  private let operations: OperationsListener?
  private let publication: OperationsListener?
  /// Shares limits with the servers of one store.
  let sharedLimits: SharedLimits

  /// Creates a server; it does not listen before ``run()``.
  ///
  /// - Throws: if the certificate, its key or the authority are damaged or do not match; ``DeviceServiceError``.
  public init(_ configuration: ServerConfiguration) throws { try self.init(configuration, tenant: nil) }

  /// - Parameter tenant: the names of the tenant that it is, among several on one port.
  init(_ configuration: ServerConfiguration, tenant: TenantNames?) throws {
    try ServiceChecks.check(configuration)
    // From here on only TLS holds the key.
    var retained = configuration
    retained.privateKey = []
    let services = Services(retained)
    self.services = services
    table = ConnectionTable(limits: configuration.limits, metrics: services.metrics)
    sharedLimits = SharedLimits(services: services)
    operations = try configuration.operations.map {
      try OperationsListener(services: services, address: $0, privateKey: configuration.privateKey)
    }
    publication = try configuration.publicListener.map {
      try OperationsListener.publishing(services: services, address: $0)
    }
    let groups = AllRoutes.groups(services)
    let answering = RequestAnswering(services, groups, tenant: tenant)
    tls = try TLSContext(
      ServerTLS.configuration(
        certificateChain: configuration.certificateChain, privateKey: configuration.privateKey,
        authorities: configuration.trusted),
      limits: configuration.limits,
      direct: DirectAnswers(services, observers: answering.observers, groups, tenant: tenant), answering)
  }

  /// All routes. Requests pass through `RequestAnswering` first.
  package static func router(_ services: Services) -> Router<ServerContext> {
    RequestAnswering.router(AllRoutes.groups(services))
  }

  /// Serves until graceful shutdown: refuses new requests, finishes those in progress, then closes the store.
  ///
  /// - Throws: if the port cannot be bound; ``OperationsListenerError``; ``NodeNameError``;
  ///   `EnrollmentStoreError` if the tables of a service cannot be made; ``DeviceServiceError/notReturned(_:)`` if it was stopped, and a
  ///   service holds a thread still.
  public func run() async throws {
    try await ending { lease in
      try await lease?.claim()
      try await services.configuration.bringServicesForward()
      let configuration = services.configuration
      let listener = Listener(place: configuration.place, backlog: 1024, bound: bound, logger: configuration.logger)
      try await serve(lease) { try await listener.run(channels) }
    }
  }

  /// The connections of the TLS port.
  var channels: SecureChannel {
    SecureChannel(context: tls, table: table, metrics: services.metrics, proxies: services.configuration.proxies)
  }

  /// How long a stop waits for closures of services whose time is over and whose statements have been ended.
  private static let serviceGrace = Duration.seconds(2)

  /// Runs the body, and ends what belongs to this server: its name among others, its store, and callers that wait for ports.
  func ending(_ body: (NodeLease?) async throws -> Void) async throws {
    let lease = services.configuration.nodeHolder.map { NodeLease(services: services, holder: $0) }
    let ports = [bound, operations?.bound, publication?.bound].compactMap { $0 }
    do {
      try await body(lease)
    } catch {
      for port in ports { port.fail(error) }
      await lease?.release()
      await services.store.close()
      throw error
    }
    for port in ports { port.fail(CancellationError()) }
    await lease?.release()
    await services.store.close()
    let overdue = await services.serviceWatch.overdue(after: Self.serviceGrace)
    guard overdue.isEmpty else { throw DeviceServiceError.notReturned(overdue) }
  }

  /// Serves its ports and maintains its store until all ports have ended.
  ///
  /// - Parameter port: serves the TLS port.
  func serve(_ lease: NodeLease?, _ port: @escaping @Sendable () async throws -> Void) async throws {
    try await withThrowingTaskGroup { group in
      group.addTask {
        try await port()
        return true
      }
      let others = [operations, publication].compactMap { $0 }
      for other in others {
        group.addTask {
          try await other.run()
          return true
        }
      }
      group.addTask { [table] in
        await table.sweep()
        return false
      }
      group.addTask { [services] in
        await Maintenance(services: services).run()
        return false
      }
      group.addTask { [services] in
        await services.serviceWatch.watch()
        return false
      }
      if let lease {
        group.addTask {
          await lease.hold()
          return false
        }
        // Servers without a claimed name do not know of each other.
        group.addTask { [sharedLimits] in
          await sharedLimits.run()
          return false
        }
      }
      defer { group.cancelAll() }
      // All ports close gracefully, each when its own requests are finished; to cancel one that closes would be an error in the log.
      var open = 1 + others.count
      for try await isPort in group {
        open -= 1
        guard isPort, open > 0 else { return }
      }
    }
  }

  /// The bound port; waits until the server listens.
  ///
  /// - Throws: the error that kept the server from listening.
  public var port: Int { get async throws { try await bound.value } }

  /// The port of health and metrics; waits until the server listens. Nil if they have no separate port.
  ///
  /// - Throws: the error that kept the server from listening.
  public var operationsPort: Int? { get async throws { try await operations?.bound.value } }

  /// The plain port of certificates, revocation lists and OCSP; waits until the server listens. Nil if there is none.
  ///
  /// - Throws: the error that kept the server from listening.
  public var publicPort: Int? { get async throws { try await publication?.bound.value } }

  /// Uses another certificate for new connections. Open connections keep the old one; its TLS sessions are not resumed.
  ///
  /// - Parameters:
  ///   - certificateChain: DER, leaf first.
  ///   - privateKey: PKCS#8, DER. A secret.
  /// - Throws: if they are damaged or do not match; the old ones stay.
  public func reload(certificateChain: [[UInt8]], privateKey: [UInt8]) throws {
    try tls.replace(
      with: ServerTLS.configuration(
        certificateChain: certificateChain, privateKey: privateKey, authorities: services.configuration.trusted))
    try operations?.reload(certificateChain: certificateChain, privateKey: privateKey)
    services.acmeHosts.note(certificate: certificateChain.first)
    services.readiness.note(
      certificates: Array(certificateChain.prefix(1)) + services.configuration.authority.chain.prefix(1))
  }
}

extension ServerConfiguration {
  /// What the TLS port listens on.
  fileprivate var place: Listener.Place { listeningSocket.map { .socket($0) } ?? .address(host: host, port: port) }

  /// The certificates that are trusted to issue devices' certificates.
  fileprivate var trusted: [[UInt8]] {
    let others = namedAuthorities.sorted { $0.key < $1.key }.map(\.value) + previousAuthorities
    return authority.chain + others.flatMap(\.chain) + alsoTrusted
  }
}

extension EnrollmentServer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Omits the content, because a `ServiceGroup` logs its services.
  public var description: String { "EnrollmentServer" }
  /// Omits the content.
  public var debugDescription: String { description }
  /// Omits the content.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
