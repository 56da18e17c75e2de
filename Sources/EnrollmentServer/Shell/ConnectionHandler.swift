internal import Crypto
internal import EnrollmentStore
internal import Metrics
internal import NIOCore
internal import NIOSSL
internal import NIOTLS

/// Behind the TLS handler of a connection: notes the peer's certificate when the handshake ends, and when bytes come.
///
/// The certificate's hash is computed here, once for the connection and on its event loop, so that no request parses it or
/// hops for it.
final class ConnectionHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private let connection: ClientConnection
  private let metrics: ServerMetrics

  init(_ connection: ClientConnection, metrics: ServerMetrics) {
    self.connection = connection
    self.metrics = metrics
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    connection.received(now: .now())
    context.fireChannelRead(data)
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
