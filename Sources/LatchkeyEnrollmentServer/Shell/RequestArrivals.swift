internal import HTTPTypes
internal import LatchkeyEnrollmentProtocol
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTP2
internal import NIOHTTPTypes
internal import NIOHTTPTypesHTTP2

/// Reports to a connection when requests arrive, when their bodies end, and when their responses were sent: per connection of
/// HTTP/1.1, per stream of HTTP/2.
///
/// A request counts from the parsing of its head, not from the start of its task, so that shutdown misses none; and until the
/// kernel has accepted its response's last byte, so that a peer that does not read is detected.
///
/// A stream that was answered before its request had ended is reset after the response, without an error (RFC 9113 8.1): its
/// peer stops sending, and the stream does not stay open until its time limit.
///
/// Input that the parser rejects has no task: the loop that serves the connection writes a bare 400, which gets the usual body
/// of refusals here.
final class RequestArrivals: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private let direct: DirectAnswers?
  private var owner: ConnectionHandler?
  private var gate: RequestGate?
  private var underWay = 0
  /// Whether the request is complete.
  private var isWhole = false
  private var isRefused = false
  private var fault: HTTPParserError?
  private var connection: ClientConnection? { owner?.connection }

  init(direct: DirectAnswers? = nil) { self.direct = direct }

  func handlerAdded(context: ChannelHandlerContext) {
    // The parent of a connection's channel is the listener, that of a stream's channel is the connection's.
    let pipeline = context.pipeline.syncOperations
    if let owner = try? pipeline.handler(type: ConnectionHandler.self) {
      self.owner = owner
      gate = RequestGate.install(in: pipeline, of: owner, direct: direct)
    } else {
      owner = try? context.channel.parent?.pipeline.syncOperations.handler(type: ConnectionHandler.self)
    }
  }

  func handlerRemoved(context: ChannelHandlerContext) { forget(on: context.channel) }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isRefused else { return }
    switch unwrapInboundIn(data) {
    case .head:
      // A request that arrived in the same read as the reason for closing would be executed, but never answered.
      guard owner?.isClosing != true else {
        isRefused = true
        return context.close(promise: nil)
      }
      underWay += 1
      isWhole = false
      connection?.arrived(on: context.channel, now: .now())
    case .body: break
    case .end:
      isWhole = true
      connection?.bodyEnded(on: context.channel)
    }
    context.fireChannelRead(data)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    fault = fault ?? error as? HTTPParserError
    context.fireErrorCaught(error)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head(let head):
      if let fault, head.status == .badRequest, head.headerFields[.contentLength] == "0" {
        return refuse(fault, context, promise)
      }
      if head.status.kind != .informational { connection?.answering(on: context.channel, now: .now()) }
      context.write(data, promise: promise)
    case .body: context.write(data, promise: promise)
    case .end:
      let left = promise ?? context.eventLoop.makePromise(of: Void.self)
      let held = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
      left.futureResult.whenComplete { _ in held.value.handler.answered(held.value.context) }
      context.write(data, promise: left)
    }
  }

  /// Head and body of the response to bytes that are no request; the connection ends after it.
  private func refuse(_ fault: HTTPParserError, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
    let detail =
      fault == .headerOverflow ? "send fewer or shorter fields" : "the bytes that came are no request (RFC 9112)"
    var (fields, body) = ProblemAnswer.content(of: Problem(.malformedRequest, detail: detail), requestID: nil)
    fields[.connection] = "close"
    fields[.contentLength] = "\(body.readableBytes)"
    fields[.date] = HTTPDates.shared.now
    context.write(wrapOutboundOut(.head(HTTPResponse(status: .badRequest, headerFields: fields))), promise: nil)
    context.write(wrapOutboundOut(.body(body)), promise: promise)
  }

  func channelInactive(context: ChannelHandlerContext) {
    forget(on: context.channel)
    context.fireChannelInactive()
  }

  private func answered(_ context: ChannelHandlerContext) {
    guard underWay > 0 else { return }
    underWay -= 1
    connection?.departed(on: context.channel, now: .now())
    if let gate { return gate.answered() }
    if !isWhole {
      context.triggerUserOutboundEvent(NIOHTTP2FramePayloadToHTTPEvent.reset(code: .noError), promise: nil)
    }
  }

  private func forget(on channel: any Channel) {
    for _ in 0..<underWay { connection?.departed(on: channel, now: .now()) }
    underWay = 0
    connection?.left(channel)
  }
}
