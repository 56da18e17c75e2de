internal import HummingbirdCore
internal import LatchkeyEnrollmentStore
internal import Logging
internal import NIOCore
internal import NIOPosix
internal import ServiceLifecycle

/// A separate port for health and metrics: plain HTTP/1.1, so that a probe needs neither certificate nor trust, and load on the
/// public port does not block it.
struct OperationsListener: Sendable {
  let bound = BoundPort()
  private let address: OperationsAddress
  private let services: Services
  private let table: ConnectionTable
  private let answering: RequestAnswering

  init(services: Services, address: OperationsAddress) {
    self.address = address
    let services = services.onPortOfItsOwn()
    self.services = services
    var limits = services.limits
    limits.connections = 256
    limits.connectionsPerAddress = 64
    table = ConnectionTable(limits: limits, metrics: services.metrics)
    answering = RequestAnswering(services, AllRoutes.operational(services))
  }

  /// Serves until canceled; refuses new connections from graceful shutdown on.
  ///
  /// - Throws: ``OperationsListenerError``.
  func run() async throws {
    let server = PlainChannel(table: table, metrics: services.metrics, limits: services.limits) {
      [answering] request, writer, channel in try await answering.answer(request, writer, channel)
    }
    .server(
      configuration: HummingbirdCore.ServerConfiguration(
        address: .hostname(address.host, port: address.port), backlog: 64),
      onServerRunning: { [bound] channel in bound.set(channel.localAddress?.port ?? 0) },
      eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: services.logger)
    try await withThrowingTaskGroup { group in
      group.addTask { try await serve(server) }
      group.addTask { [table] in await table.sweep() }
      // The sweep runs until canceled, so that a port that was closed gracefully does not end the server early.
      for try await _ in group {}
    }
  }

  private func serve(_ server: any Service) async throws {
    do {
      try await server.run()
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      throw OperationsListenerError(cause: "\(error)")
    }
  }
}

/// The port of health and metrics cannot be bound.
public struct OperationsListenerError: Error, CustomStringConvertible {
  /// The cause.
  public let cause: String
  /// The error with its remedy.
  public var description: String { "the port of health and metrics cannot be listened on: \(cause)" }
}
