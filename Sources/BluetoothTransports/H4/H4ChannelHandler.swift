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
///
/// An end that sends as much as it can has its share of the event loop and no more: some packets at a time are passed on,
/// then the others that wait have a turn, and nothing is read before all of it is passed on.
final class H4ChannelHandler: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = ByteBuffer

  /// How many packets are passed on in one turn.
  static let packetsInTurn = 64

  private let observer: any H4StreamObserver
  private let isTCP: Bool
  private var framer: H4Framer
  private var reason: String?
  /// Packets that came and were not passed on; those before `next` were.
  private var packets: [[UInt8]] = []
  private var next = 0
  /// Whether somebody wants to read on as soon as they are.
  private var owesRead = false

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
    let isWaiting = hasPackets
    // Gathered first: what the observer does may come back to this handler, which must not be at work on the framer.
    do throws(H4FramingError) {
      try framer.receive(bytes) { packet in packets.append(packet) }
    } catch {
      reason = error.description
    }
    if !isWaiting { passOn(context) }
  }

  func read(context: ChannelHandlerContext) {
    if hasPackets { owesRead = true } else { context.read() }
  }

  private var hasPackets: Bool { next < packets.count }

  private func passOn(_ context: ChannelHandlerContext) {
    let end = min(packets.count, next + Self.packetsInTurn)
    while next < end {
      next += 1
      observer.streamReceived(packets[next - 1])
    }
    guard !hasPackets else {
      let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
      return context.eventLoop.execute {
        let (handler, context) = bound.value
        if handler.hasPackets { handler.passOn(context) }
      }
    }
    packets.removeAll(keepingCapacity: packets.count <= Self.packetsInTurn)
    next = 0
    if reason != nil { return context.close(promise: nil) }
    if owesRead {
      owesRead = false
      context.read()
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if reason == nil { reason = (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)" }
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    // What came before the end is passed on before it.
    while hasPackets {
      next += 1
      observer.streamReceived(packets[next - 1])
    }
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
