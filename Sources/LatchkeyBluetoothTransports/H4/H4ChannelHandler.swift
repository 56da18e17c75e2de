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
/// An end that sends as much as it can has its share of the event loop and no more. A loop looks at its sockets only when it
/// has done all that it was given, what it was given meanwhile included, so the share is cut where the bytes come in: one
/// read of a socket between two looks at all of them, and only as long as to bring `packetsInTurn` packets or so.
final class H4ChannelHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  /// How many packets one read is to bring at most. One that brought more is followed by the shortest.
  static let packetsInTurn = 16
  /// The shortest read: so many of the shortest packets, commands without parameters.
  static let shortestRead = packetsInTurn * 4
  /// The longest. Reads get longer while those before were full of packets that are not so short.
  static let longestRead = 4096
  /// How many packets may come in one look at the sockets before the rest is dropped. Only an end that closes brings more
  /// than a read: what it left behind is read at once then. It is more than the largest controller takes from its host.
  static let packetsInLook = 512

  private let observer: any H4StreamObserver
  private let isTCP: Bool
  private var framer: H4Framer
  private var reason: String?
  private var readLength = shortestRead
  /// How many packets came since the loop looked at its sockets last, if that is still to be known.
  private var packetsSinceLook: Int?

  init(from origin: H4Framer.Origin, isTCP: Bool, observer: any H4StreamObserver) {
    self.observer = observer
    self.isTCP = isTCP
    framer = H4Framer(from: origin)
  }

  func handlerAdded(context: ChannelHandlerContext) {
    // Channels have both options; one without would only be read unfairly.
    try? context.channel.syncOptions?.setOption(.maxMessagesPerRead, value: 1)
    setReadLength(Self.shortestRead, context)
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
    let isFull = bytes.count >= readLength
    if isFull { fitReadLength(to: packets.count, context) }
    if countInLook(packets.count, isFull: isFull, context) < Self.packetsInLook {
      for packet in packets { observer.streamReceived(packet) }
    } else {
      reason = reason ?? Self.closing
    }
    if reason != nil { context.close(promise: nil) }
  }

  /// How many packets came before `count` more since the loop's last look at its sockets.
  private func countInLook(_ count: Int, isFull: Bool, _ context: ChannelHandlerContext) -> Int {
    let before = packetsSinceLook ?? 0
    // What is not full was all there was.
    guard isFull || packetsSinceLook != nil else { return before }
    if packetsSinceLook == nil {
      let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
      context.eventLoop.execute { bound.value.packetsSinceLook = nil }
    }
    packetsSinceLook = before + count
    return before
  }

  private func fitReadLength(to count: Int, _ context: ChannelHandlerContext) {
    let length = count > Self.packetsInTurn ? Self.shortestRead : min(readLength * 2, Self.longestRead)
    if length != readLength { setReadLength(length, context) }
  }

  private func setReadLength(_ length: Int, _ context: ChannelHandlerContext) {
    readLength = length
    try? context.channel.syncOptions?.setOption(
      .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: length))
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if reason == nil { reason = (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)" }
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    observer.streamEnded(reason ?? (framer.isAtBoundary ? Self.closing : "\(Self.closing) within a packet"))
    context.fireChannelInactive()
  }

  private static let closing = "the other end closed it"

  /// Linux forgets TCP_QUICKACK with every acknowledgment it sends, so it is asked for after every receive. Peers that
  /// leave Nagle's algorithm on wait for the acknowledgment before their next small packet: 40 ms an answer.
  private func acknowledgeQuickly(_ context: ChannelHandlerContext) {
    guard isTCP else { return }
    let option = ChannelOptions.Types.SocketOption(
      level: .tcp, name: NIOBSDSocket.Option(rawValue: CInt(TCP_QUICKACK)))
    // A kernel without it is only slower.
    try? context.channel.syncOptions?.setOption(option, value: 1)
  }
}
