internal import NIOCore
internal import NIOHTTP1

/// Follows the parser of an HTTP/1.1 connection: reports heads and ends to its gate, refuses heads that the parser accepts
/// against RFC 9112, marks the last response of a connection, and sends responses that need no task (`DirectAnswers`).
final class RequestHeads: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  private let gate: RequestGate
  private let direct: DirectAnswers?
  /// Bytes that this handler writes bypass the encoder, whose place in the pipeline this is.
  private let encoder: ChannelHandlerContext?
  private var isRefused = false
  private var isLast = false
  /// The response to the request that is being parsed.
  private var response: ByteBuffer?
  private enum Sending { case nothing, now, later }
  /// Whether a direct response is being written, or the kernel has not accepted all of it.
  private var sending = Sending.nothing
  /// The start of shutdown, held back while a direct response is being sent: handlers that do not see it would close.
  private var heldEvent: ChannelShouldQuiesceEvent?

  init(_ gate: RequestGate, direct: DirectAnswers? = nil, encoder: ChannelHandlerContext? = nil) {
    self.gate = gate
    self.direct = direct
    self.encoder = encoder
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isRefused else { return }
    switch unwrapInboundIn(data) {
    case .head(var head):
      if let fault = Self.fault(of: head) {
        isRefused = true
        return context.fireErrorCaught(fault)
      }
      gate.began(head)
      response = directResponse(to: head)
      guard response == nil else { return }
      // HTTP/1.0 has no interim responses (RFC 9110 15.2).
      if head.version.minor < 1 { head.headers.remove(name: "expect") }
      if !head.isKeepAlive {
        isLast = true
        // Normalized, since the loop that serves the connection recognizes only this one of many forms.
        head.headers.replaceOrAdd(name: "connection", value: "close")
      }
      context.fireChannelRead(wrapInboundOut(.head(head)))
    case .body: context.fireChannelRead(data)
    case .end:
      gate.ended()
      if let response {
        self.response = nil
        return send(response, context)
      }
      context.fireChannelRead(data)
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if sending != .nothing, let event = event as? ChannelShouldQuiesceEvent {
      heldEvent = event
    } else {
      context.fireUserInboundEventTriggered(event)
    }
  }

  // MARK: Direct responses

  private func directResponse(to head: HTTPRequestHead) -> ByteBuffer? {
    guard let direct, encoder != nil, !isLast, !gate.isEnding, !gate.owner.isClosing else { return nil }
    return direct.response(to: head, over: gate.owner.connection)
  }

  private func send(_ response: ByteBuffer, _ context: ChannelHandlerContext) {
    guard let encoder else { return }
    let connection = gate.owner.connection
    let held = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
    let sent = context.eventLoop.makePromise(of: Void.self)
    sending = .now
    sent.futureResult.whenComplete { _ in held.value.handler.sent(held.value.context) }
    encoder.writeAndFlush(NIOAny(response), promise: sent)
    // The kernel nearly always accepts all of it at once; otherwise the limits for slow readers apply.
    if sending == .now {
      sending = .later
      connection.answeringDirectly(on: context.channel, now: .now())
    }
  }

  private func sent(_ context: ChannelHandlerContext) {
    let connection = gate.owner.connection
    if sending == .later {
      connection.departed(on: context.channel, now: .now())
    } else {
      connection.answeredDirectly(now: .now())
    }
    sending = .nothing
    gate.answeredDirectly()
    guard let heldEvent else { return }
    self.heldEvent = nil
    context.fireUserInboundEventTriggered(heldEvent)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard isLast || gate.isEnding, case .head(var head) = unwrapOutboundIn(data), head.status.code >= 200 else {
      return context.write(data, promise: promise)
    }
    head.headers.replaceOrAdd(name: "connection", value: "close")
    context.write(wrapOutboundOut(.head(head)), promise: promise)
  }

  /// The defect of an invalid head (the parser has verified that its major version is 1): RFC 9112 3.2 (exactly one Host with
  /// HTTP/1.1, at most one before), 6.1 (no transfer coding before).
  private static func fault(of head: HTTPRequestHead) -> HTTPParserError? {
    let hosts = head.headers[canonicalForm: "host"].count
    if head.version.minor > 0 { return hosts == 1 ? nil : .invalidHeaderToken }
    return hosts > 1 || head.headers.contains(name: "transfer-encoding") ? .invalidHeaderToken : nil
  }
}
