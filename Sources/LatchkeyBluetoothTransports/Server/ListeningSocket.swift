import NIOCore
import NIOPosix
import Synchronization

/// The listening socket of a server: at one place, from `start` to `close()`. Channels are of its event loop.
final class ListeningSocket: Sendable {
  private struct State {
    var isStarted = false
    var listener: (any Channel)?
    var file: UnixSocketFile?
    var isClosed = false
  }

  private let loop: any EventLoop
  private let state = Mutex(State())

  /// A socket that does not listen.
  init(on loop: any EventLoop) { self.loop = loop }

  /// Listens at `place`. The Unix socket of a server that has ended is replaced.
  ///
  /// - Parameter admit: prepares the channel of a connection, on the event loop.
  /// - Returns: the place, with the port that the system chose, if it was to choose.
  func start(
    at place: ListenSpecification, admit: @escaping @Sendable (any Channel) throws -> Void
  ) async throws(RadioServerError) -> ListenSpecification {
    let isFirst = state.withLock { state in
      defer { state.isStarted = true }
      return !state.isStarted
    }
    guard isFirst else { throw .alreadyStarted }
    if case .unix(let path) = place.endpoint { try await UnixSocketFile.clear(path, on: loop) }
    let listener: any Channel
    do {
      listener = try await listen(at: place.endpoint, admit)
    } catch {
      throw RadioServerError(error, at: place)
    }
    let isClosed = state.withLock { state in
      state.listener = listener
      if case .unix(let path) = place.endpoint { state.file = UnixSocketFile(at: path) }
      return state.isClosed
    }
    if isClosed { await close() }
    guard case .tcp(let host, _) = place.endpoint, let port = listener.localAddress?.port else { return place }
    return ListenSpecification(endpoint: .tcp(host: host, port: port))
  }

  /// Stops listening, and removes the file of a Unix socket. Connections stay.
  func close() async {
    let (listener, file) = state.withLock { state in
      state.isClosed = true
      defer { (state.listener, state.file) = (nil, nil) }
      return (state.listener, state.file)
    }
    try? await listener?.close()
    file?.remove()
  }

  private func listen(
    at endpoint: StreamEndpoint, _ admit: @escaping @Sendable (any Channel) throws -> Void
  ) async throws -> any Channel {
    let isTCP = endpoint.isTCP
    let bootstrap = ServerBootstrap(group: loop)
      .serverChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          if isTCP { try channel.syncOptions?.setOption(.socketOption(.so_reuseaddr), value: 1) }
        }
      }
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          if isTCP { try channel.syncOptions?.setOption(.tcpOption(.tcp_nodelay), value: 1) }
          try admit(channel)
        }
      }
    return switch endpoint {
    case .tcp(let host, let port): try await bootstrap.bind(host: host, port: port).get()
    case .unix(let path): try await bootstrap.bind(unixDomainSocketPath: path).get()
    }
  }
}
