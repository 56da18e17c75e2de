internal import Crypto
internal import LatchkeyEnrollmentStore
internal import Metrics
internal import NIOCore
internal import NIOSSL
internal import NIOTLS

/// Follows the TLS handler of a connection: records the peer's certificate when the handshake ends, and the arrival of bytes.
///
/// The certificate's hash is computed here, once per connection and on its event loop, so that no request has to parse it or
/// change threads for it. Once this side closes the connection, further input is discarded: TLS waits for its peer's
/// close_notify, and a request that started meanwhile could never be answered.
final class ConnectionHandler: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  let connection: ClientConnection
  private let metrics: ServerMetrics
  /// Whether this side has begun to close the connection, or its own half.
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
    // The last frame of a response closes its stream, and with the last stream the connection, before it is flushed; TLS drops
    // unflushed data.
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
      connection.opened(
        fingerprint: fingerprint, certificateEnd: certificate.map { Int64($0.notValidAfter) },
        isMultiplexed: negotiated == "h2", now: .now())
    case is ChannelShouldQuiesceEvent where connection.isInHandshake:
      context.close(promise: nil)
    default: break
    }
    context.fireUserInboundEventTriggered(event)
  }
}
