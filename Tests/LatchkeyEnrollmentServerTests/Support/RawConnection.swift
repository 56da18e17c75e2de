import LatchkeyServerTestSupport
import LatchkeyEnrollmentProtocol
import NIOCore
import NIOPosix
import NIOSSL

/// A connection that sends what it likes, when it likes: TLS or none, no HTTP of its own.
struct RawConnection: Sendable {
  let channel: any Channel
  private let received: EventLoopFuture<[UInt8]>

  /// Connects to a server; with `tls`, once the handshake is over.
  init(to server: RunningServer, tls: Bool = true, device: TestDevice? = nil) async throws {
    let context = tls ? try NIOSSLContext(configuration: try server.clientTLS(device)) : nil
    try await self.init(port: server.port, context: context)
  }

  /// Connects to a port of this machine; without a context, without TLS.
  init(port: Int, context: NIOSSLContext? = nil, serverName: String? = "localhost") async throws {
    let group = MultiThreadedEventLoopGroup.singleton
    let done = group.next().makePromise(of: [UInt8].self)
    do {
      channel = try await ClientBootstrap(group: group)
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            if let context {
              try channel.pipeline.syncOperations.addHandler(
                NIOSSLClientHandler(context: context, serverHostname: serverName))
            }
            try channel.pipeline.syncOperations.addHandler(Collector(done: done))
          }
        }
        .connect(host: "127.0.0.1", port: port).get()
    } catch {
      done.fail(error)
      throw error
    }
    received = done.futureResult
  }

  func send(_ text: String) async throws {
    try await channel.writeAndFlush(ByteBuffer(string: text)).get()
  }

  /// Sends a request's head, and of its body what is given: the head may announce more.
  func begin(
    _ method: String = "POST", _ path: String = Routes.login, fields: [(name: String, value: String)] = [("host", "a")],
    length: Int, body: String = ""
  ) async throws {
    let lines = (fields + [("content-length", "\(length)")]).map { "\($0.name): \($0.value)\r\n" }.joined()
    try await send("\(method) \(path) HTTP/1.1\r\n\(lines)\r\n\(body)")
  }

  /// The same, where the peer may have closed already.
  func trySend(_ text: String) async throws { try? await send(text) }

  /// Waits until the peer closes; gives all that it sent.
  func untilClosed() async throws -> String { String(decoding: try await received.get(), as: UTF8.self) }

  /// Receives nothing more from the peer.
  func stopReading() async throws { try await channel.setOption(.autoRead, value: false).get() }

  /// Whether neither side has closed it.
  var isOpen: Bool { channel.isActive }

  /// Closes the socket alone: TLS says no goodbye.
  func cut() async throws {
    try await channel.eventLoop.submit { [channel] in
      try channel.pipeline.syncOperations.context(handlerType: NIOSSLClientHandler.self).close(promise: nil)
    }.get()
    try await channel.closeFuture.get()
  }

  func close() async throws { try? await channel.close().get() }
}

private final class Collector: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let done: EventLoopPromise<[UInt8]>
  private var bytes: [UInt8] = []

  init(done: EventLoopPromise<[UInt8]>) { self.done = done }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    bytes += Array(buffer: unwrapInboundIn(data))
  }

  func channelInactive(context: ChannelHandlerContext) { done.succeed(bytes) }

  // A peer that closes without TLS's goodbye is an error of TLS; here it is the end.
  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
