internal import NIOCore
internal import NIOHTTP1

/// Follows the parser of an HTTP/1.1 connection: reports heads and ends to its gate, holds requests that were parsed before the
/// previous response was sent, refuses heads that the parser accepts against RFC 9112, marks the last response of a connection,
/// and sends responses that need no task (`DirectAnswers`).
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
  /// Whether a request was forwarded whose response was not sent; and whether all of that request was.
  private var (isUnderWay, isWhole) = (false, false)
  /// Requests that the parser found in the bytes behind a chunked body, and what it reported behind them.
  private var held = CircularBuffer<HTTPServerRequestPart>()
  private var heldFault: HTTPParserError?
  private var isInputClosed = false
  private var context: ChannelHandlerContext?
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

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func handlerRemoved(context: ChannelHandlerContext) {
    self.context = nil
    held = []
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let part = unwrapInboundIn(data)
    switch part {
    case .head(let head): gate.began(head)
    case .body: break
    case .end: gate.ended()
    }
    if held.isEmpty, !isUnderWay || !part.isHead { forward(part, context) } else { held.append(part) }
  }

  /// Forwards the next of the requests that were parsed before the previous response was sent.
  func continueHeld() {
    isUnderWay = false
    guard let context else { return }
    while let part = held.first, !isUnderWay || !part.isHead {
      held.removeFirst()
      forward(part, context)
    }
    guard held.isEmpty else { return }
    if let heldFault, !isUnderWay || !isWhole {
      self.heldFault = nil
      context.fireErrorCaught(heldFault)
    }
    if isInputClosed {
      isInputClosed = false
      context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // The parser reports what is behind all that it has forwarded.
    if let fault = error as? HTTPParserError, !held.isEmpty || (isUnderWay && isWhole) {
      heldFault = heldFault ?? fault
    } else {
      context.fireErrorCaught(error)
    }
  }

  private func forward(_ part: HTTPServerRequestPart, _ context: ChannelHandlerContext) {
    guard !isRefused else { return }
    switch part {
    case .head(var head):
      if let fault = Self.fault(of: head) {
        isRefused = true
        return context.fireErrorCaught(fault)
      }
      Self.applyTarget(of: &head)
      (isUnderWay, isWhole) = (true, false)
      response = directResponse(to: head)
      guard response == nil else { return }
      // HTTP/1.0 has no interim responses (RFC 9110 15.2).
      if head.version.minor < 1 { head.headers.remove(name: "expect") }
      // A client of HTTP/1.0 that asks to keep the connection would wait for its end, without a response that agrees.
      if !head.isKeepAlive || head.version.minor < 1 || Self.endsParsing(head) {
        isLast = true
        // Normalized, since the loop that serves the connection recognizes only this one of many forms.
        head.headers.replaceOrAdd(name: "connection", value: "close")
      }
      context.fireChannelRead(wrapInboundOut(.head(head)))
    case .body: context.fireChannelRead(wrapInboundOut(part))
    case .end:
      isWhole = true
      if let response {
        self.response = nil
        return send(response, context)
      }
      context.fireChannelRead(wrapInboundOut(part))
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if sending != .nothing, let event = event as? ChannelShouldQuiesceEvent {
      heldEvent = event
    } else if event as? ChannelEvent == .inputClosed, !held.isEmpty {
      isInputClosed = true
    } else {
      context.fireUserInboundEventTriggered(event)
    }
  }

  // MARK: Direct responses

  private func directResponse(to head: HTTPRequestHead) -> ByteBuffer? {
    guard let direct, encoder != nil, !isLast, !gate.isEnding, !gate.owner.isClosing, !Self.endsParsing(head) else {
      return nil
    }
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

  /// Whether the parser may take the bytes behind this request for another protocol's, and accumulate them: the server
  /// switches protocols for nobody (RFC 9110 7.8), and its response is the last.
  private static func endsParsing(_ head: HTTPRequestHead) -> Bool {
    head.method == .CONNECT || head.headers.contains(name: "upgrade")
  }

  /// Gives a head the host of its target, which counts in place of Host if the target is in absolute form (RFC 9112 3.2.2).
  private static func applyTarget(of head: inout HTTPRequestHead) {
    guard let authority = authority(ofTarget: head.uri) else { return }
    head.headers.replaceOrAdd(name: "host", value: String(authority))
  }

  /// The authority of a target in absolute form; nil for one in another form.
  private static func authority(ofTarget target: String) -> Substring? {
    guard target.utf8.first != UInt8(ascii: "/"), let scheme = target.firstRange(of: "://") else { return nil }
    return target[scheme.upperBound...].prefix { !"/?#".contains($0) }
  }

  /// The defect of an invalid head (the parser has verified that its major version is 1): RFC 9112 3.2 (exactly one Host with
  /// HTTP/1.1, at most one before, which is a host), 6.1 (no transfer coding before); RFC 9110 4.2 (the target has a host, and no user).
  private static func fault(of head: HTTPRequestHead) -> HTTPParserError? {
    let hosts = head.headers[canonicalForm: "host"]
    guard hosts.allSatisfy({ $0.utf8.allSatisfy(isOfHost) }) else { return .invalidHeaderToken }
    if let authority = authority(ofTarget: head.uri), authority.isEmpty || !authority.utf8.allSatisfy(isOfHost) {
      return .invalidURL
    }
    if head.version.minor > 0 { return hosts.count == 1 ? nil : .invalidHeaderToken }
    return hosts.count > 1 || head.headers.contains(name: "transfer-encoding") ? .invalidHeaderToken : nil
  }

  /// Whether a byte may be in `uri-host [":" port]` (RFC 3986 3.2.2): what ends or precedes a host in a URL may not.
  private static func isOfHost(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "-._~%:[]!$&'()*+,;=".utf8.contains(byte)
    }
  }
}

extension HTTPServerRequestPart {
  fileprivate var isHead: Bool { if case .head = self { true } else { false } }
}
