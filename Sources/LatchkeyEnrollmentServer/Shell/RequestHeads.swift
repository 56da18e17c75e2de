internal import NIOCore
internal import NIOHTTP1

/// Follows the parser of an HTTP/1.1 connection: reports heads and ends to its gate, refuses heads that the parser accepts
/// against RFC 9112, and marks the last response of a connection.
final class RequestHeads: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  private let gate: RequestGate
  private var isRefused = false
  private var isLast = false

  init(_ gate: RequestGate) { self.gate = gate }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isRefused else { return }
    switch unwrapInboundIn(data) {
    case .head(var head):
      if let fault = Self.fault(of: head) {
        isRefused = true
        return context.fireErrorCaught(fault)
      }
      gate.began(head)
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
      context.fireChannelRead(data)
    }
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
