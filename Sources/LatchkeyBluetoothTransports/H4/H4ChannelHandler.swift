import Glibc
import NIOCore

/// The observer of one end of an H4 stream, called on the channel's event loop.
protocol H4StreamObserver: AnyObject, Sendable {
  /// The stream is connected; send packets through `sender`.
  func streamOpened(_ sender: H4Sender)
  /// A whole packet arrived.
  func streamReceived(_ packet: [UInt8])
  /// The stream has ended, after `streamOpened`; the reason is for the log.
  func streamEnded(_ reason: String)
}

/// Decodes a channel's bytes into H4 packets for its observer, and closes the channel at the first invalid byte.
///
/// A peer that sends as much as it can gets a fair share of the event loop. A loop polls its sockets only when it has
/// finished all its tasks, including those added meanwhile, so the share is enforced where bytes are read: one read of
/// a socket between two polls, with a length that brings about `packetsInTurn` packets.
final class H4ChannelHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  /// The most packets in one read. A read with more is followed by the shortest one.
  static let packetsInTurn = 16
  /// The length of the shortest read: that many commands without parameters, the shortest packets.
  static let shortestRead = packetsInTurn * 4
  /// The length of the longest read. Reads grow while they are filled by longer packets.
  static let longestRead = 4096
  /// How many packets may arrive between two polls before the rest is dropped. Only a closing peer brings more than one
  /// read: its remaining bytes are read at once. The limit is more than the largest controller accepts from its host.
  static let packetsInLook = 512

  private let observer: any H4StreamObserver
  private let isTCP: Bool
  private let end: String
  private var framer: H4Framer
  private var reason: String?
  private var readLength = shortestRead
  /// How many packets arrived since the loop polled its sockets, while that is counted.
  private var packetsSinceLook: Int?

  /// The handler of a channel whose other side is `origin`.
  ///
  /// - Parameter end: what it means that nothing more comes, for the log.
  init(
    from origin: H4Framer.Origin, isTCP: Bool, observer: any H4StreamObserver, end: String = "the other end closed it"
  ) {
    self.observer = observer
    self.isTCP = isTCP
    self.end = end
    framer = H4Framer(from: origin)
  }

  func handlerAdded(context: ChannelHandlerContext) {
    // Channels have both options; one without them would only be read unfairly.
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
    // Collected first: the observer may call this handler again, which must not be using the framer then.
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
      reason = reason ?? end
    }
    if reason != nil { context.close(promise: nil) }
  }

  /// How many packets arrived before `count` more since the loop's last poll of its sockets.
  private func countInLook(_ count: Int, isFull: Bool, _ context: ChannelHandlerContext) -> Int {
    let before = packetsSinceLook ?? 0
    // A read that is not full took all bytes there were.
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
    if reason == nil { reason = (error as? IOError).map { describe($0.errnoCode) } ?? "\(error)" }
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    observer.streamEnded(reason ?? (framer.isAtBoundary ? end : "\(end) within a packet"))
    context.fireChannelInactive()
  }

  private func describe(_ code: CInt) -> String {
    // What reading from a device says that was unplugged.
    code == EIO ? end : String(cString: strerror(code))
  }

  /// Linux resets TCP_QUICKACK with every acknowledgment it sends, so it is set after every receive. Peers that leave
  /// Nagle's algorithm on wait for the acknowledgment before their next small packet: 40 ms for each answer.
  private func acknowledgeQuickly(_ context: ChannelHandlerContext) {
    guard isTCP else { return }
    let option = ChannelOptions.Types.SocketOption(
      level: .tcp, name: NIOBSDSocket.Option(rawValue: CInt(TCP_QUICKACK)))
    // A kernel without it is only slower.
    try? context.channel.syncOptions?.setOption(option, value: 1)
  }
}
