internal import HTTPTypes
internal import HummingbirdCore
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypes

/// Runs the requests of an HTTP/1.1 connection in a task each. Between two requests a connection has no task: an idle device
/// costs the state of its TLS and its parser.
///
/// A body that is complete when its task begins is passed as bytes; one that is still arriving as a sequence, for which the
/// connection is read no faster than the request consumes it. `RequestGate` and `RequestHeads` admit one request at a time.
final class RequestTasks: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias OutboundIn = Never
  typealias OutboundOut = HTTPResponsePart

  private let answering: RequestAnswering
  private let connection: ClientConnection
  /// A request whose task has not begun, and what has arrived of its body.
  private var arriving: (head: HTTPRequest, body: ByteBuffer)?
  /// The rest of a body, for the task that consumes it.
  private var rest: RequestRest?
  private var isRunning = false
  /// Whether the connection ends after the response.
  private var isLast = false
  /// Whether the server is shutting down.
  private var isEnding = false
  /// Whether the peer sends nothing more, or nothing that can be parsed.
  private var isInputOver = false
  /// Whether the last response was sent.
  private var isOver = false
  private var wantsRead = false

  init(_ answering: RequestAnswering, on connection: ClientConnection) {
    self.answering = answering
    self.connection = connection
  }

  // MARK: What arrives

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      arriving = (head, ByteBuffer())
      isLast = head.headerFields[.connection] == "close"
    case .body(let bytes):
      if arriving != nil { arriving?.body.writeImmutableBuffer(bytes) } else { rest?.add(bytes) }
    case .end:
      if let arriving {
        begin(arriving.head, RequestBody(buffer: arriving.body), context)
      } else {
        rest?.end()
        rest = nil
      }
    }
  }

  /// Begins a request whose body is still to come.
  func channelReadComplete(context: ChannelHandlerContext) {
    guard let arriving else { return }
    let handler = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
    let (body, rest) = RequestRest.sequence { [eventLoop = context.eventLoop] in
      eventLoop.execute { handler.value.handler.readOn(handler.value.context) }
    }
    if arriving.body.readableBytes > 0 { rest.add(arriving.body) }
    self.rest = rest
    begin(arriving.head, body, context)
  }

  func read(context: ChannelHandlerContext) {
    if rest?.isFull == true { wantsRead = true } else { context.read() }
  }

  /// Reads again after the request has consumed its body so far, or has been answered without it.
  private func readOn(_ context: ChannelHandlerContext) {
    rest?.isFull = false
    guard wantsRead else { return }
    wantsRead = false
    context.read()
  }

  private func begin(_ head: HTTPRequest, _ body: RequestBody, _ context: ChannelHandlerContext) {
    arriving = nil
    isRunning = true
    let sender = ConnectionSender(NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop))
    Task { [answering, connection] in
      do {
        try await answering.answer(
          Request(head: head, body: body), sender, channel: connection.channel, of: connection)
      } catch {
        sender.fail(error)
      }
    }
  }

  // MARK: What ends

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    isInputOver = true
    if isRunning {
      rest?.end(error)
      rest = nil
    } else if !isOver {
      fail(error, context)
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event {
    case ChannelEvent.inputClosed: isInputOver = true
    case is ChannelShouldQuiesceEvent: isEnding = true
    default: return context.fireUserInboundEventTriggered(event)
    }
    if !isRunning, arriving == nil { context.close(promise: nil) }
  }

  func channelInactive(context: ChannelHandlerContext) {
    rest?.end(ChannelError.inputClosed)
    rest = nil
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    rest?.end(ChannelError.inputClosed)
    rest = nil
  }

  // MARK: What is sent

  fileprivate func send(interim head: HTTPResponse, _ context: ChannelHandlerContext) {
    context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
  }

  fileprivate func send(_ head: HTTPResponse, _ body: ByteBuffer, _ context: ChannelHandlerContext) {
    isRunning = false
    rest?.end()
    rest = nil
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    if body.readableBytes > 0 { context.write(wrapOutboundOut(.body(body)), promise: nil) }
    context.write(wrapOutboundOut(.end(nil)), promise: nil)
    // Before the response is sent, after which the gate would admit the next request.
    isOver = isEnding || isLast || isInputOver
    if isOver { context.close(mode: isEnding ? .all : .output, promise: nil) }
    context.flush()
    readOn(context)
  }

  /// Ends the connection, after a refusal if its bytes were no request (`RequestArrivals` gives it its body).
  fileprivate func fail(_ error: any Error, _ context: ChannelHandlerContext) {
    arriving = nil
    guard error is HTTPParserError else { return context.close(promise: nil) }
    isInputOver = true
    let head = HTTPResponse(status: .badRequest, headerFields: [.connection: "close", .contentLength: "0"])
    send(head, ByteBuffer(), context)
  }
}

/// Sends the response of one request from its task.
private struct ConnectionSender: ResponseSender, Sendable {
  private let handler: NIOLoopBound<(handler: RequestTasks, context: ChannelHandlerContext)>

  init(_ handler: NIOLoopBound<(handler: RequestTasks, context: ChannelHandlerContext)>) { self.handler = handler }

  func sendInterim(_ head: HTTPResponse) { onLoop { $0.send(interim: head, $1) } }

  func send(_ head: HTTPResponse, _ body: ResponseBody) async throws {
    let whole = WholeBody()
    try await body.write(whole)
    let bytes = whole.bytes
    onLoop { $0.send(head, bytes, $1) }
  }

  func fail(_ error: any Error) { onLoop { $0.fail(error, $1) } }

  private func onLoop(_ body: @escaping @Sendable (RequestTasks, ChannelHandlerContext) -> Void) {
    handler.eventLoop.execute { body(handler.value.handler, handler.value.context) }
  }
}

/// Collects a response's body. The bodies of this server are bytes, of which a writer gets all at once.
private final class WholeBody: ResponseBodyWriter {
  private(set) var bytes = ByteBuffer()

  func write(_ buffer: ByteBuffer) { bytes.writeImmutableBuffer(buffer) }
  func finish(_ trailers: HTTPFields?) {}
}
