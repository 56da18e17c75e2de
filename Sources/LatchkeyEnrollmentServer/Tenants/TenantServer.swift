internal import LatchkeyEnrollmentStore
internal import Logging
internal import NIOCore
public import ServiceLifecycle

/// Several enrollment services on one TLS port, each an ``EnrollmentServer`` of its own. Clients choose the tenant by the TLS server name.
///
/// A client's certificate, session, token or TLS ticket of one tenant is unknown to all others. A request whose Host is another tenant's is
/// refused with 421. A tenant whose store does not answer is not ready, and the others serve.
public struct TenantServer: Service {
  private let configuration: TenantServerConfiguration
  private let tenants: [(name: String, server: EnrollmentServer)]
  private let channel: TenantChannel
  private let seats: [TenantSeat]
  private let bound = BoundPort()
  var table: ConnectionTable { channel.table }

  /// Creates a server; it does not listen before ``run()``.
  ///
  /// - Throws: ``TenantError``; what ``EnrollmentServer/init(_:)`` throws.
  public init(_ configuration: TenantServerConfiguration) throws {
    let all = configuration.tenants
    try TenantServerConfiguration.validate(
      names: all.map { ($0.name, $0.serverNames) }, defaultTenant: configuration.defaultTenant)
    var retained = configuration
    retained.tenants = []
    self.configuration = retained
    var (tenants, seats): ([(name: String, server: EnrollmentServer)], [TenantSeat]) = ([], [])
    var named: [String: TenantSeat] = [:]
    let portMetrics = PrometheusMetrics()
    let refusals = TenantRefusals(logger: configuration.logger, factory: portMetrics)
    for var tenant in all {
      tenant.configuration.portMetrics = portMetrics
      let others = all.filter { $0.name != tenant.name }.flatMap(\.serverNames)
      do {
        let server = try EnrollmentServer(
          tenant.configuration, tenant: TenantNames(own: tenant.serverNames, others: others))
        let seat = TenantSeat(name: tenant.name, channels: server.channels)
        tenants.append((tenant.name, server))
        seats.append(seat)
        for name in tenant.serverNames { named[ListenerNames.folded(name)] = seat }
      } catch {
        throw TenantError.notStarted(tenant: tenant.name, cause: "\(error)")
      }
    }
    (self.tenants, self.seats) = (tenants, seats)
    channel = TenantChannel(
      table: ConnectionTable(
        limits: configuration.limits,
        metrics: ServerMetrics(factory: PrometheusMetrics(), refusedConnections: refusals.portLimit), isShared: true),
      seats: named, unnamed: seats.first { $0.name == configuration.defaultTenant }, proxies: configuration.proxies,
      refusals: refusals)
  }

  /// Serves until graceful shutdown: refuses new requests, finishes those in progress, then closes all stores.
  ///
  /// - Throws: if the port cannot be bound; ``TenantError/notStarted(tenant:cause:)`` if a tenant cannot start for another reason than a
  ///   store that does not answer.
  public func run() async throws {
    do {
      try await serve()
    } catch {
      bound.fail(error)
      throw error
    }
    bound.fail(CancellationError())
  }

  private func serve() async throws {
    let listener = Listener(
      place: configuration.listeningSocket.map { .socket($0) }
        ?? .address(host: configuration.host, port: configuration.port), backlog: 1024, bound: bound,
      logger: configuration.logger)
    let (attempts, attempt) = AsyncStream.makeStream(of: Void.self)
    try await withThrowingTaskGroup { group in
      for (tenant, seat) in zip(tenants, seats) {
        group.addTask {
          do {
            try await tenant.server.run(as: seat) { attempt.yield() }
          } catch let error where !(error is CancellationError) {
            throw TenantError.notStarted(tenant: tenant.name, cause: "\(error)")
          }
          return true
        }
      }
      group.addTask { [channel] in
        // The port is opened when each tenant was tried once, so that a start which fails accepts nobody.
        await wait(for: tenants.count, attempts, attempt)
        try Task.checkCancellation()
        try await listener.run(channel)
        return true
      }
      group.addTask { [table] in
        await table.sweep()
        return false
      }
      defer { group.cancelAll() }
      var open = 1 + tenants.count
      for try await isPort in group where isPort {
        open -= 1
        guard open > 0 else { return }
      }
    }
  }

  /// Waits for so many attempts, within the configuration's patience.
  private func wait(for count: Int, _ attempts: AsyncStream<Void>, _ attempt: AsyncStream<Void>.Continuation) async {
    let patience = TimeAmount(configuration.patience)
    let limit = Task {
      do { try await Task.sleep(for: .nanoseconds(patience.nanoseconds)) } catch { return }
      attempt.finish()
    }
    defer { limit.cancel() }
    var left = count
    for await _ in attempts {
      left -= 1
      if left == 0 { return }
    }
  }

  /// The bound port; waits until the server listens.
  ///
  /// - Throws: the error that kept the server from listening.
  public var port: Int { get async throws { try await bound.value } }

  /// The port of a tenant's health, metrics and administration; waits until it listens. Nil if it has none, or is no tenant.
  ///
  /// - Throws: the error that kept the server from listening.
  public func operationsPort(of tenant: String) async throws -> Int? { try await server(of: tenant)?.operationsPort }

  /// The plain port of a tenant's certificates, revocation lists and OCSP; waits until it listens. Nil if it has none, or is no tenant.
  ///
  /// - Throws: the error that kept the server from listening.
  public func publicPort(of tenant: String) async throws -> Int? { try await server(of: tenant)?.publicPort }

  /// Uses another certificate for new connections of one tenant, as ``EnrollmentServer/reload(certificateChain:privateKey:)``.
  ///
  /// - Throws: ``TenantError/unknown(_:)``; if certificate and key are damaged or do not match, and the old ones stay.
  public func reload(tenant: String, certificateChain: [[UInt8]], privateKey: [UInt8]) throws {
    guard let server = server(of: tenant) else { throw TenantError.unknown(tenant) }
    try server.reload(certificateChain: certificateChain, privateKey: privateKey)
  }

  package func server(of tenant: String) -> EnrollmentServer? { tenants.first { $0.name == tenant }?.server }
}

extension TenantServer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The names alone, because a `ServiceGroup` logs its services.
  public var description: String { "TenantServer(\(tenants.map(\.name).joined(separator: ", ")))" }
  /// The names alone.
  public var debugDescription: String { description }
  /// Omits the content.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
