import Glibc
import NIOCore

/// What one end of an H4 stream hears, on the channel's event loop.
protocol H4StreamObserver: AnyObject, Sendable {
  /// The stream is connected; packets go out through `sender`.
  func streamOpened(_ sender: H4Sender)
  /// A whole packet came.
  func streamReceived(_ packet: [UInt8])
  /// The stream is over, after `streamOpened`; the reason is for the log.
  func streamEnded(_ reason: String)
}

/// Turns a channel's bytes into H4 packets for its observer, and closes it at the first byte that is out of place.
final class H4ChannelHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let observer: any H4StreamObserver
  private let isTCP: Bool
  private var framer: H4Framer
  private var reason: String?

  init(from origin: H4Framer.Origin, isTCP: Bool, observer: any H4StreamObserver) {
    self.observer = observer
    self.isTCP = isTCP
    framer = H4Framer(from: origin)
  }

  func channelActive(context: ChannelHandlerContext) {
    acknowledgeQuickly(context)
    observer.streamOpened(H4Sender(channel: context.channel))
    context.fireChannelActive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    acknowledgeQuickly(context)
    guard reason == nil else { return }
    let bytes = Array(unwrapInboundIn(data).readableBytesView)
    // Gathered first: what the observer does may come back to this handler, which must not be at work on the framer.
    var packets: [[UInt8]] = []
    do throws(H4FramingError) {
      try framer.receive(bytes) { packet in packets.append(packet) }
    } catch {
      reason = error.description
    }
    for packet in packets { observer.streamReceived(packet) }
    if reason != nil { context.close(promise: nil) }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if reason == nil { reason = (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)" }
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    observer.streamEnded(
      reason ?? (framer.isAtBoundary ? "the other end closed it" : "the other end closed it within a packet"))
    context.fireChannelInactive()
  }

  /// Linux forgets TCP_QUICKACK with every acknowledgement it sends, so it is asked for after every receive. Peers that
  /// leave Nagle's algorithm on wait for the acknowledgement before their next small packet: 40 ms an answer.
  private func acknowledgeQuickly(_ context: ChannelHandlerContext) {
    guard isTCP else { return }
    let option = ChannelOptions.Types.SocketOption(
      level: .tcp, name: NIOBSDSocket.Option(rawValue: CInt(TCP_QUICKACK)))
    // A kernel without it is only slower.
    try? context.channel.syncOptions?.setOption(option, value: 1)
  }
}
