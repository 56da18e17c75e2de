internal import Crypto
internal import LatchkeyEnrollmentStore
internal import Metrics
internal import NIOCore
internal import NIOSSL
internal import NIOTLS

/// Behind the TLS handler of a connection: notes the peer's certificate when the handshake ends, and when bytes come.
///
/// The certificate's hash is computed here, once for the connection and on its event loop, so that no request parses it or
/// hops for it. From the moment that this side closes the connection, what still comes is thrown away: TLS waits a moment for
/// its peer's goodbye, and a request that was started meanwhile could never be answered.
final class ConnectionHandler: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  let connection: ClientConnection
  private let metrics: ServerMetrics
  /// Whether this side has begun to close the connection, or its own half of it.
  private(set) var isClosing = false

  init(_ connection: ClientConnection, metrics: ServerMetrics) {
    self.connection = connection
    self.metrics = metrics
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isClosing else { return }
    connection.received(now: .now())
    context.fireChannelRead(data)
  }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    isClosing = true
    // The last frame of an answer closes its stream, and with the last stream the connection, before it is flushed; TLS drops what
    // is not.
    let held = NIOLoopBound(context, eventLoop: context.eventLoop)
    context.eventLoop.execute {
      held.value.flush()
      held.value.close(mode: mode, promise: promise)
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event {
    case TLSUserEvent.handshakeCompleted(let negotiated):
      let certificate = try? context.pipeline.syncOperations.nioSSL_peerCertificate()
      let fingerprint = certificate.flatMap { try? Fingerprint(SHA256.hash(data: $0.toDERBytes())) }
      (fingerprint == nil ? metrics.handshakes.without : metrics.handshakes.withCertificate).increment()
      connection.opened(fingerprint: fingerprint, isMultiplexed: negotiated == "h2", now: .now())
    case is ChannelShouldQuiesceEvent where connection.isInHandshake:
      context.close(promise: nil)
    default: break
    }
    context.fireUserInboundEventTriggered(event)
  }
}
