import Glibc
import LatchkeyEnrollmentProtocol
import LatchkeyServerTestSupport
import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import NIOSSL
import Testing

/// A connection of HTTP/2 that begins requests by their frames, and need not end them.
struct FrameConnection {
  /// The frames of a stream, as far as tests look at them.
  enum Event: Equatable {
    case status(Int)
    case end
    case reset(Int)
  }

  private let channel: any Channel
  private var frames: AsyncStream<HTTP2Frame>.Iterator
  /// The next of the odd numbers that a client's streams have.
  private var nextStream = 1

  init(to server: RunningServer) async throws {
    var tls = try server.clientTLS()
    tls.applicationProtocols = ["h2"]
    let context = try NIOSSLContext(configuration: tls)
    let (stream, continuation) = AsyncStream.makeStream(of: HTTP2Frame.self)
    frames = stream.makeAsyncIterator()
    channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: "localhost"))
          // What is malformed is sent, too.
          var settings = NIOHTTP2Handler.ConnectionConfiguration()
          settings.headerBlockValidation = .disabled
          settings.contentLengthValidation = .disabled
          try pipeline.addHandler(
            NIOHTTP2Handler(mode: .client, connectionConfiguration: settings, streamConfiguration: .init()))
          try pipeline.addHandler(FrameCollector(continuation))
        }
      }
      .connect(host: "127.0.0.1", port: server.port).get()
  }

  /// Sends a request's head and so many bytes of its body on a new stream, and its end if it has one; gives what comes on that
  /// stream up to its reset, or up to its end if the request has one.
  mutating func request(_ method: String, _ path: String, bytes: Int, isWhole: Bool) async throws -> [Event] {
    let id = HTTP2StreamID(nextStream)
    nextStream += 2
    let head: HPACKHeaders = [
      ":method": method, ":scheme": "https", ":authority": "localhost", ":path": path,
    ]
    channel.write(HTTP2Frame(streamID: id, payload: .headers(.init(headers: head))), promise: nil)
    let body = ByteBuffer(repeating: 0x20, count: bytes)
    // A part that the server does not accept fails here.
    channel.writeAndFlush(
      HTTP2Frame(streamID: id, payload: .data(.init(data: .byteBuffer(body), endStream: isWhole))), promise: nil)
    return await events(of: id, goesOn: !isWhole)
  }

  /// Begins a stream with these fields as they are.
  ///
  /// - Returns: its number.
  mutating func begin(_ fields: [(String, String)], endsStream: Bool) -> HTTP2StreamID {
    let id = HTTP2StreamID(nextStream)
    nextStream += 2
    send(fields, on: id, endsStream: endsStream)
    return id
  }

  /// Sends fields as they are: a head, or trailers.
  func send(_ fields: [(String, String)], on id: HTTP2StreamID, endsStream: Bool) {
    channel.writeAndFlush(
      HTTP2Frame(streamID: id, payload: .headers(.init(headers: HPACKHeaders(fields), endStream: endsStream))),
      promise: nil)
  }

  /// Sends so many bytes of a body.
  func send(bytes: Int, on id: HTTP2StreamID, endsStream: Bool) {
    send(ByteBuffer(repeating: 0x20, count: bytes), on: id, endsStream: endsStream)
  }

  /// Sends a part of a body.
  func send(_ part: ByteBuffer, on id: HTTP2StreamID, endsStream: Bool) {
    channel.writeAndFlush(
      HTTP2Frame(streamID: id, payload: .data(.init(data: .byteBuffer(part), endStream: endsStream))), promise: nil)
  }

  /// What comes on a stream, up to its reset, or up to its end; less where the connection ends before.
  ///
  /// - Parameter goesOn: whether a reset is to follow the end.
  mutating func events(of id: HTTP2StreamID, goesOn: Bool = false) async -> [Event] {
    var events: [Event] = []
    while let frame = await frames.next() {
      guard frame.streamID == id else { continue }
      switch frame.payload {
      case .headers(let content):
        events.append(.status(content.headers.first(name: ":status").flatMap { Int($0) } ?? 0))
        if content.endStream { events.append(.end) }
      case .data(let content): if content.endStream { events.append(.end) }
      case .rstStream(let code): events.append(.reset(code.networkCode))
      default: break
      }
      switch events.last {
      case .end where !goesOn: return events
      case .reset: return events
      default: break
      }
    }
    return events
  }

  func close() async { try? await channel.close().get() }

  /// Ends the connection as the system does for a process that is killed with unread bytes: by a reset, without TLS's goodbye.
  func cut() async throws {
    let socket = try #require(channel as? any SocketOptionProvider)
    try await socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
    try await channel.eventLoop.submit { [channel] in
      try channel.pipeline.syncOperations.context(handlerType: NIOSSLClientHandler.self).close(promise: nil)
    }.get()
  }
}

private final class FrameCollector: ChannelInboundHandler {
  typealias InboundIn = HTTP2Frame

  private let frames: AsyncStream<HTTP2Frame>.Continuation

  init(_ frames: AsyncStream<HTTP2Frame>.Continuation) { self.frames = frames }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) { frames.yield(unwrapInboundIn(data)) }

  func channelInactive(context: ChannelHandlerContext) { frames.finish() }

  // Errors of one stream, which its frames report.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {}
}
