internal import Foundation
internal import NIOCore

/// Bounds what a server sends before the handshake is complete. The delegate may take its time, and TLS keeps what comes meanwhile.
final class HandshakeLimit: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  /// BoringSSL takes 100 KiB of certificates, and as much of the names of authorities.
  static let mostBytes = 1 << 20
  /// Each read makes NIO ask again for a client certificate while the first question waits.
  static let mostReads = 4096

  private let origin: Origin
  private var bytes = 0
  private var reads = 0
  private var isOver = false

  init(_ origin: Origin) { self.origin = origin }

  /// Ends the limit: the handshake is complete.
  func end() { isOver = true }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if !isOver {
      bytes += unwrapInboundIn(data).readableBytes
      reads += 1
      guard bytes <= Self.mostBytes, reads <= Self.mostReads else {
        context.fireErrorCaught(
          origin.error(.secureConnectionFailed, "the server's part of the TLS handshake is too long"))
        context.close(promise: nil)
        return
      }
    }
    context.fireChannelRead(data)
  }
}
