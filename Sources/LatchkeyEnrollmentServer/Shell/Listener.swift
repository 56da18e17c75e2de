internal import Logging
internal import NIOCore
internal import NIOPosix
internal import ServiceLifecycle

/// Sets up the connections of a port.
protocol ConnectionSetup: Sendable {
  /// The open connections, which the listener ends.
  var table: ConnectionTable { get }
  /// Adds the handlers of a connection, on its event loop; a connection whose future fails is closed.
  func setUp(_ channel: any Channel, logger: Logger) -> EventLoopFuture<Void>
}

/// One port: binds an address or takes an open socket, accepts connections, and ends them gracefully.
///
/// A connection that is accepted serves itself, on its event loop or in tasks that its ``ConnectionTable`` counts; the listener has no
/// task for each. If the process has no file descriptors left, accepting pauses for a second and then continues.
struct Listener: Sendable {
  /// What a listener listens on.
  enum Place: Sendable {
    case address(host: String, port: Int)
    case socket(ListeningSocket)
  }

  let place: Place
  /// The number of connections that the kernel keeps until they are accepted; a socket that is open already has its own.
  let backlog: Int32
  let bound: BoundPort
  let logger: Logger

  /// Serves until graceful shutdown or cancellation. At shutdown it accepts nothing more, closes idle connections, and returns once those
  /// with requests in progress are closed.
  ///
  /// - Throws: if the port cannot be bound.
  func run(_ setup: some ConnectionSetup) async throws {
    let table = setup.table
    let channel = try await open(setup)
    await withTaskCancellationHandler {
      await withGracefulShutdownHandler {
        bound.set(channel.localAddress?.port ?? 0)
        logger.info("listening", metadata: ["address": "\(channel.localAddress?.description ?? "")"])
        try? await channel.closeFuture.get()
        await table.drained()
      } onGracefulShutdown: {
        channel.close(promise: nil)
        table.quiesce()
      }
    } onCancel: {
      channel.close(promise: nil)
      table.quiesce()
    }
  }

  private func open(_ setup: some ConnectionSetup) async throws -> any Channel {
    let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.backlog, value: backlog)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .serverChannelInitializer { [logger] channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandlers([
            AcceptFailures(logger: logger), AcceptBackoffHandler(shouldForwardIOErrorCaught: false),
          ])
        }
      }
      .childChannelInitializer { [logger] in setup.setUp($0, logger: logger) }
    switch place {
    case .address(let host, let port): return try await bootstrap.bind(host: host, port: port).get()
    case .socket(let socket): return try await bootstrap.withBoundSocket(socket.descriptor).get()
    }
  }
}

/// Logs why a connection could not be accepted, once a minute at most.
private final class AcceptFailures: ChannelInboundHandler {
  typealias InboundIn = any Channel

  private let logger: Logger
  private var next = NIODeadline.now()

  init(logger: Logger) { self.logger = logger }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if error is IOError, .now() >= next {
      next = .now() + .minutes(1)
      logger.error("connections cannot be accepted; accepting pauses for a second", metadata: ["error": "\(error)"])
    }
    context.fireErrorCaught(error)
  }
}
