import LatchkeyByteCoding

/// What waits on one link for the controller's buffers: the frames of the fixed channels, and behind them a queue for
/// each channel with credits.
///
/// A frame of a fixed channel waits for the rest of a frame that has begun, and for nothing else of other channels. The
/// queues of channels take turns, frame by frame.
struct ACLLinkQueue: Sendable {
  private static let none = -1

  /// The frames of one channel with credits, by its identifier at the peer's end.
  private struct ChannelQueue: Sendable {
    let channel: L2CAPChannelID
    var frames = FrameQueue()
    /// Whether the channel has ended, and only the rest of a frame is sent.
    var isClosing = false
  }

  let handle: ConnectionHandle
  /// Packets in the controller's buffers.
  var outstanding = 0
  /// The frames of the fixed channels.
  var frames = FrameQueue()
  /// Where the rest of the current frame begins, if it is being sent in fragments.
  private var restOffset: Int?
  /// Whether that frame is one of a channel with credits.
  private var isRestOfChannel = false
  /// How many frames of the fixed channels have gone, to their last fragment.
  private(set) var sent: UInt64 = 0
  /// The number of sent frames at which the host is notified.
  var watched = UInt64.max
  /// The links before and after this one in the list of those that have something to send.
  var previous = ACLLinkQueue.none
  var next = ACLLinkQueue.none

  /// The queues of channels; the one whose turn it is.
  private var channels: [ChannelQueue] = []
  private var turn = 0
  /// How many frames are in these queues.
  private var channelFrames = 0
  /// A channel of which half a queue, or all of it, has gone with the last packet.
  var drained: L2CAPChannelID?

  init(handle: ConnectionHandle) { self.handle = handle }

  /// Whether nothing waits.
  var isEmpty: Bool { frames.isEmpty && channelFrames == 0 }

  /// Whether a frame of a fixed channel would be the next one.
  var isFree: Bool { frames.isEmpty && restOffset == nil }

  /// A packet that leaves, and what changes with it.
  struct Departure {
    let packet: [UInt8]
    /// Whether the link held no buffer before.
    let wasIdle: Bool
    /// Whether the watched frame has left.
    let hasMoved: Bool
    /// The channel whose queue has room again.
    let drained: L2CAPChannelID?
    /// Whether nothing waits any more.
    let isLast: Bool
  }

  /// Moves the next packet of at most `length` bytes of data to the controller.
  mutating func depart(_ length: Int) -> Departure? {
    guard let packet = nextPacket(length) else { return nil }
    let wasIdle = outstanding == 0
    outstanding += 1
    let hasMoved = sent >= watched
    if hasMoved { watched = .max }
    return Departure(
      packet: packet, wasIdle: wasIdle, hasMoved: hasMoved, drained: drained.take(), isLast: isEmpty)
  }

  /// Counts a frame of a fixed channel that leaves at once, since the queue `isFree`.
  ///
  /// - Returns: whether the link held no buffer before.
  mutating func countDeparture() -> Bool {
    sent &+= 1
    outstanding += 1
    return outstanding == 1
  }

  /// The next packet of at most `length` bytes of data.
  private mutating func nextPacket(_ length: Int) -> [UInt8]? {
    if channelFrames > 0, restOffset == nil ? frames.isEmpty : isRestOfChannel { return nextChannelPacket(length) }
    let packet = Self.nextPacket(of: &frames, &restOffset, handle, length)
    if restOffset == nil { sent &+= 1 }
    return packet
  }

  private static func nextPacket(
    of frames: inout FrameQueue, _ restOffset: inout Int?, _ handle: ConnectionHandle, _ length: Int
  ) -> [UInt8]? {
    let count = frames.firstCount
    if restOffset == nil, count - OutgoingFrame.l2capOffset <= length { return frames.removeFirst() }
    let start = restOffset ?? OutgoingFrame.l2capOffset
    let end = min(start + length, count)
    var rest = ByteReader(frames.first, from: start)
    let boundary: ACLPacket.Boundary = restOffset == nil ? .firstNonFlushable : .continuing
    guard let data = try? rest.subReader(end - start, "fragment") else { return nil }
    if end == count {
      restOffset = nil
      _ = frames.removeFirst()
    } else {
      restOffset = end
    }
    return ACLPacket.encode(handle, boundary, data: data)
  }

  // MARK: Channels with credits

  /// How many frames of a channel wait.
  func count(of channel: L2CAPChannelID) -> Int { index(of: channel).map { channels[$0].frames.count } ?? 0 }

  /// Queues a frame of a channel, headers filled in.
  mutating func append(_ frame: consuming [UInt8], of channel: L2CAPChannelID) {
    let index = index(of: channel) ?? channels.count
    if index == channels.count { channels.append(ChannelQueue(channel: channel)) }
    channels[index].frames.append(frame)
    channelFrames += 1
  }

  /// Drops the frames of a channel, but for the rest of one that has begun: the peer would take the next frame for it.
  mutating func close(_ channel: L2CAPChannelID) {
    guard let index = index(of: channel) else { return }
    let isBegun = restOffset != nil && isRestOfChannel && index == turn
    let dropped = channels[index].frames.count - (isBegun ? 1 : 0)
    channelFrames -= dropped
    guard isBegun, let begun = channels[index].frames.removeFirst() else { return remove(index) }
    channels[index].frames = FrameQueue()
    channels[index].frames.append(begun)
    channels[index].isClosing = true
  }

  private mutating func nextChannelPacket(_ length: Int) -> [UInt8]? {
    if restOffset == nil {
      while channels[turn].frames.isEmpty { turn = (turn + 1) % channels.count }
    }
    let packet = Self.nextPacket(of: &channels[turn].frames, &restOffset, handle, length)
    isRestOfChannel = restOffset != nil
    guard !isRestOfChannel else { return packet }
    channelFrames -= 1
    if channels[turn].isClosing {
      remove(turn)
    } else {
      let count = channels[turn].frames.count
      if count == 0 || count == ACLTransmitter.channelDepth / 2 { drained = channels[turn].channel }
      turn = (turn + 1) % channels.count
    }
    return packet
  }

  private mutating func remove(_ index: Int) {
    channels.remove(at: index)
    if index < turn { turn -= 1 }
    if turn >= channels.count { turn = 0 }
  }

  private func index(of channel: L2CAPChannelID) -> Int? {
    channels.firstIndex { $0.channel == channel && !$0.isClosing }
  }
}
