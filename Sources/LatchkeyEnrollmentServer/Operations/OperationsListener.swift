internal import LatchkeyEnrollmentStore
internal import Logging

/// A separate port for health, metrics and administration, so that load on the public port does not block it. Plain HTTP/1.1, so
/// that a probe needs neither certificate nor trust; or TLS, where administrators show certificates.
struct OperationsListener: Sendable {
  let bound = BoundPort()
  private let address: OperationsAddress
  private let services: Services
  private let table: ConnectionTable
  private let answering: RequestAnswering
  private let tls: TLSContext?
  private let isPublic: Bool

  /// The listener for what is public and signed, plain HTTP.
  static func publishing(services: Services, address: OperationsAddress) throws -> OperationsListener {
    try OperationsListener(
      services: services, address: address, routes: AllRoutes.published, limits: services.limits, privateKey: [],
      isPublic: true)
  }

  /// - Parameter privateKey: the key of the server's certificate, for a listener with TLS.
  /// - Throws: if the authorities are damaged.
  init(services: Services, address: OperationsAddress, privateKey: [UInt8]) throws {
    var limits = services.limits
    limits.connections = 256
    limits.connectionsPerAddress = 64
    try self.init(
      services: services, address: address, routes: { AllRoutes.administrative($0, address) }, limits: limits,
      privateKey: privateKey, isPublic: false)
  }

  private init(
    services: Services, address: OperationsAddress, routes: (Services) -> [any RouteGroup], limits: ServerLimits,
    privateKey: [UInt8], isPublic: Bool
  ) throws {
    self.address = address
    self.isPublic = isPublic
    let services = services.onPortOfItsOwn()
    self.services = services
    table = ConnectionTable(limits: limits, metrics: services.metrics)
    // Clients of another plain listener can use its address as well, and it has no administration.
    let isGuarded = !isPublic && address.authorities == nil && address.hasAdministration
    let answering = RequestAnswering(
      services, routes(services), names: isGuarded ? ListenerNames(address: address.host, names: address.names) : nil)
    self.answering = answering
    tls = try address.authorities.map {
      try TLSContext(
        ServerTLS.configuration(
          certificateChain: services.configuration.certificateChain, privateKey: privateKey, authorities: $0),
        limits: limits, answering)
    }
  }

  /// Uses another certificate for new connections.
  func reload(certificateChain: [[UInt8]], privateKey: [UInt8]) throws {
    guard let tls, let authorities = address.authorities else { return }
    try tls.replace(
      with: ServerTLS.configuration(
        certificateChain: certificateChain, privateKey: privateKey, authorities: authorities))
  }

  /// Serves until graceful shutdown, from which on it refuses new connections, and until its connections are closed.
  ///
  /// - Throws: ``OperationsListenerError``.
  func run() async throws {
    try await withThrowingTaskGroup { group in
      group.addTask { try await serve() }
      group.addTask { [table] in await table.sweep() }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  private func serve() async throws {
    let listener = Listener(place: address.place, backlog: 64, bound: bound, logger: services.logger)
    do {
      if let tls {
        try await listener.run(SecureChannel(context: tls, table: table, metrics: services.metrics))
      } else {
        try await listener.run(
          PlainChannel(
            table: table, metrics: services.metrics,
            http: HTTP1Connections(answering: answering, limits: services.limits)))
      }
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      let error = OperationsListenerError(cause: "\(error)", isPublic: isPublic)
      bound.fail(error)
      throw error
    }
  }
}

extension OperationsAddress {
  fileprivate var place: Listener.Place { socket.map { .socket($0) } ?? .address(host: host, port: port) }
}

/// The admin listener's port, or that of what is public, cannot be bound.
public struct OperationsListenerError: Error, CustomStringConvertible {
  /// The cause.
  public let cause: String
  /// Whether it is the port of certificates, revocation lists and OCSP (``ServerConfiguration/publicListener``).
  public let isPublic: Bool
  /// The error with its remedy.
  public var description: String {
    "the port of \(isPublic ? "certificates and their status" : "health, metrics and administration") cannot be listened on: "
      + cause
  }
}
