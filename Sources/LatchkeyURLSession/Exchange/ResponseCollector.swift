internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import NIOTLS

/// A response, whole.
struct ResponseMessage: Sendable {
  let status: Int
  let fields: [(name: String, value: String)]
  let body: Data
}

/// Sends a request when the handshake is complete, and collects the response.
final class ResponseCollector: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart
  typealias OutboundOut = HTTPClientRequestPart

  private let request: RequestMessage
  private let origin: Origin
  private let limit: HandshakeLimit
  /// The limit of a body, in bytes.
  private let longestBody: Int
  private let response: OneAnswer<ResponseMessage>
  private var isConnected = false
  private var isSent = false
  private var head: HTTPResponseHead?
  private var body = Data()

  init(
    _ request: RequestMessage, to origin: Origin, limit: HandshakeLimit, longestBody: Int,
    response: OneAnswer<ResponseMessage>
  ) {
    self.request = request
    self.origin = origin
    self.limit = limit
    self.longestBody = longestBody
    self.response = response
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .handshakeCompleted? = event as? TLSUserEvent {
      send(context)
    } else if event is IdleStateHandler.IdleStateEvent {
      fail(context, origin.error(.timedOut, "nothing was sent or received for the request's time limit"))
    } else {
      context.fireUserInboundEventTriggered(event)
    }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      self.head = head
      if let length = head.headers.first(name: "content-length").flatMap({ Int($0) }), length > longestBody,
        request.head.method != .HEAD
      {
        failForLength(context)
      }
    case .body(let part):
      guard part.readableBytes <= longestBody - body.count else { return failForLength(context) }
      body.append(contentsOf: part.readableBytesView)
    case .end:
      guard let head else { return }
      response.give(
        ResponseMessage(
          status: Int(head.status.code), fields: head.headers.map { ($0.name, $0.value) }, body: body))
      context.close(promise: nil)
    }
  }

  func channelActive(context: ChannelHandlerContext) {
    isConnected = true
    context.fireChannelActive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // Of several addresses one may fail and the next be reached: the connection says what became of all.
    if isConnected { fail(context, error) }
  }

  func channelInactive(context: ChannelHandlerContext) {
    guard isConnected else { return }
    fail(context, origin.error(.networkConnectionLost, "the server closed the connection"))
  }

  private func send(_ context: ChannelHandlerContext) {
    guard !isSent else { return }
    isSent = true
    limit.end()
    context.write(wrapOutboundOut(.head(request.head)), promise: nil)
    if request.body.readableBytes > 0 {
      context.write(wrapOutboundOut(.body(.byteBuffer(request.body))), promise: nil)
    }
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
  }

  private func failForLength(_ context: ChannelHandlerContext) {
    fail(context, origin.error(.dataLengthExceedsMaximum, "the response has more than \(longestBody) bytes"))
  }

  private func fail(_ context: ChannelHandlerContext, _ error: any Error) {
    response.fail(error)
    body = Data()
    context.close(promise: nil)
  }
}
