/// Cuts L2CAP PDUs into ACL packets and sends no more of them than the controller has buffers for (Core 6.0 Vol 4 Part
/// E 4.1.1).
///
/// Frames of fixed channels go before those of channels with credits, which have a queue each (`ACLLinkQueue`).
///
/// All links share the buffers. Links take turns, packet by packet, under a quota: a link whose peer reads nothing
/// leaves one buffer to each of the others. Buffers return only by Number Of Completed Packets, or all at once when
/// their link ends. No operation depends on the number of links: links with something to send are in a list, and those
/// that hold no buffer are counted.
package struct ACLTransmitter: Sendable {
  /// The most frames of fixed channels that may wait on one link. Frames that the host sends on its own initiative stop long before; only
  /// answers to a peer that keeps asking and reads none of them reach this limit.
  package static let mostFrames = 64
  /// How many frames of a channel with credits are moved here ahead of their turn.
  package static let channelDepth = 8

  private static let none = -1

  /// Links by slot; slots of closed links are reused.
  private var links: [ACLLinkQueue] = []
  private var freeSlots: [Int] = []
  /// Slots by handle.
  private var slots: [Int] = []
  /// The list of links that have something to send: the one whose turn it is, and the last.
  private var first = ACLTransmitter.none
  private var last = ACLTransmitter.none
  /// The length of that list.
  private var waiting = 0
  /// How many links hold no buffer.
  private var idle = 0
  /// Bytes of data in one packet.
  package private(set) var packetLength = 0
  private var packetCount = 0
  private var freePackets = 0
  /// Links whose watched frame has left.
  private var moved: [ConnectionHandle] = []
  /// Channels with credits whose queues have room again.
  private var drained: [(handle: ConnectionHandle, channel: L2CAPChannelID)] = []

  /// A transmitter that sends nothing until it is configured.
  package init() {}

  /// Sets the controller's buffers: bytes of data in one packet, and packets. No link is open afterwards.
  package mutating func configure(packetLength: Int, packetCount: Int) {
    self = ACLTransmitter()
    guard packetLength > 0 else { return }
    self.packetLength = packetLength
    self.packetCount = packetCount
    freePackets = packetCount
  }

  /// Opens a link. If the handle is open already, it was reused: the old link is closed first.
  package mutating func open(_ handle: ConnectionHandle) {
    close(handle)
    while slots.count <= Int(handle.rawValue) { slots.append(Self.none) }
    if let slot = freeSlots.popLast() {
      links[slot] = ACLLinkQueue(handle: handle)
      slots[Int(handle.rawValue)] = slot
    } else {
      slots[Int(handle.rawValue)] = links.count
      links.append(ACLLinkQueue(handle: handle))
    }
    idle += 1
  }

  /// Ends a link: its frames are dropped, and its packets in the controller count as completed, for which no event
  /// comes (Core 6.0 Vol 4 Part E 4.1.1).
  package mutating func close(_ handle: ConnectionHandle) {
    guard let slot = slot(of: handle) else { return }
    freePackets += links[slot].outstanding
    if links[slot].outstanding == 0 { idle -= 1 }
    if !links[slot].isEmpty { unlist(slot) }
    links[slot] = ACLLinkQueue(handle: handle)
    slots[Int(handle.rawValue)] = Self.none
    freeSlots.append(slot)
  }

  /// Queues a PDU on a channel of a link; false if too many wait, the link is not open or the frame is malformed.
  ///
  /// The frame begins with `OutgoingFrame.headroom` free bytes, which are filled in. If the caller gives up its last
  /// reference, the frame is sent without a copy, provided that the controller's packets are long enough.
  @discardableResult
  package mutating func enqueue(
    _ frame: consuming [UInt8], channel: L2CAPChannelID, handle: ConnectionHandle
  ) -> Bool {
    let payloadCount = frame.count - OutgoingFrame.headroom
    guard 0...OutgoingFrame.maximumPayload ~= payloadCount, let slot = slot(of: handle),
      links[slot].frames.count < Self.mostFrames
    else { return false }
    OutgoingFrame.fillHeadroom(of: &frame, channel, handle, payloadCount)
    if links[slot].isEmpty { list(slot) }
    links[slot].frames.append(frame)
    return true
  }

  /// Handles the completion of packets of a link, sent or flushed. A count above the outstanding ones is clamped.
  package mutating func completed(_ handle: ConnectionHandle, count: Int) {
    guard let slot = slot(of: handle) else { return }
    let returned = max(0, min(count, links[slot].outstanding))
    guard returned > 0 else { return }
    links[slot].outstanding -= returned
    if links[slot].outstanding == 0 { idle += 1 }
    freePackets += returned
  }

  /// Whether there may be a packet to send, or a change to report.
  @inline(__always)
  package var isBusy: Bool { waiting > 0 || !moved.isEmpty || !drained.isEmpty }

  /// The next H4 packet that the controller has a buffer for; call until it returns nil.
  package mutating func nextPacket() -> [UInt8]? {
    guard freePackets > 0 else { return nil }
    // Links over their quota hold one buffer each at least, so there are no more of them than buffers.
    for _ in 0..<waiting {
      let slot = first
      guard isWithinQuota(slot), let departure = links[slot].depart(packetLength) else {
        passTurn()
        continue
      }
      if departure.wasIdle { idle -= 1 }
      freePackets -= 1
      if departure.hasMoved { moved.append(links[slot].handle) }
      if let channel = departure.drained { drained.append((links[slot].handle, channel)) }
      if departure.isLast { unlist(slot) } else { passTurn() }
      return departure.packet
    }
    return nil
  }

  // MARK: Progress

  /// How many frames of a link's fixed channels are not wholly in the controller's buffers yet; none if it is not open.
  package func queuedFrames(_ handle: ConnectionHandle) -> Int { slot(of: handle).map { links[$0].frames.count } ?? 0 }

  /// How many frames of a link's fixed channels have completely left for the controller since it was opened.
  package func sentFrames(_ handle: ConnectionHandle) -> UInt64 { slot(of: handle).map { links[$0].sent } ?? 0 }

  /// Whether a frame of that many bytes, headroom included, would leave at once and whole.
  @inline(__always)
  package func sendsAtOnce(_ count: Int, _ handle: ConnectionHandle) -> Bool {
    guard let slot = slot(of: handle), count >= OutgoingFrame.headroom else { return false }
    return links[slot].isFree && count - OutgoingFrame.l2capOffset <= packetLength
      && freePackets > waiting + min(idle, packetCount / 2)
  }

  /// The packet of a PDU for which `sendsAtOnce` is true; the controller's buffer counts as used.
  package mutating func depart(
    _ frame: consuming [UInt8], channel: L2CAPChannelID, handle: ConnectionHandle
  ) -> [UInt8] {
    let payloadCount = frame.count - OutgoingFrame.headroom
    OutgoingFrame.fillHeadroom(of: &frame, channel, handle, payloadCount)
    guard let slot = slot(of: handle) else { return frame }
    if links[slot].countDeparture() { idle -= 1 }
    freePackets -= 1
    return frame
  }

  /// Makes `nextMoved()` return a link once that many of its frames have left; a later call replaces an earlier one.
  package mutating func watch(_ handle: ConnectionHandle, until sent: UInt64) {
    guard let slot = slot(of: handle) else { return }
    links[slot].watched = sent
  }

  /// A link whose watched frame has left. It may be closed by now.
  package mutating func nextMoved() -> ConnectionHandle? { moved.popLast() }

  // MARK: Channels with credits

  /// Queues a PDU on a channel with credits, named by the peer's identifier. The caller keeps to `channelDepth`; nothing
  /// happens if the link is not open or the frame is malformed.
  package mutating func enqueue(
    _ frame: consuming [UInt8], inQueue channel: L2CAPChannelID, _ handle: ConnectionHandle
  ) {
    let payloadCount = frame.count - OutgoingFrame.headroom
    guard 0...OutgoingFrame.maximumPayload ~= payloadCount, let slot = slot(of: handle) else { return }
    OutgoingFrame.fillHeadroom(of: &frame, channel, handle, payloadCount)
    if links[slot].isEmpty { list(slot) }
    links[slot].append(frame, of: channel)
  }

  /// How many frames of a channel with credits wait.
  package func queuedFrames(of channel: L2CAPChannelID, _ handle: ConnectionHandle) -> Int {
    slot(of: handle).map { links[$0].count(of: channel) } ?? 0
  }

  /// Drops the frames of a channel with credits.
  package mutating func closeQueue(_ channel: L2CAPChannelID, _ handle: ConnectionHandle) {
    guard let slot = slot(of: handle), !links[slot].isEmpty else { return }
    links[slot].close(channel)
    if links[slot].isEmpty { unlist(slot) }
  }

  /// A channel with credits whose queue has room again. It may be closed by now.
  package mutating func nextDrained() -> (handle: ConnectionHandle, channel: L2CAPChannelID)? { drained.popLast() }

  // MARK: Turns

  /// Whether a link is within its quota: at most half of all buffers are reserved for links that have none.
  @inline(__always)
  private func isWithinQuota(_ slot: Int) -> Bool {
    links[slot].outstanding == 0 || freePackets > min(idle, packetCount / 2)
  }

  @inline(__always)
  private func slot(of handle: ConnectionHandle) -> Int? {
    let number = Int(handle.rawValue)
    guard number < slots.count, slots[number] != Self.none else { return nil }
    return slots[number]
  }

  /// Appends a link to the list.
  private mutating func list(_ slot: Int) {
    links[slot].previous = last
    links[slot].next = Self.none
    if last == Self.none { first = slot } else { links[last].next = slot }
    last = slot
    waiting += 1
  }

  private mutating func unlist(_ slot: Int) {
    let (previous, next) = (links[slot].previous, links[slot].next)
    if previous == Self.none { first = next } else { links[previous].next = next }
    if next == Self.none { last = previous } else { links[next].previous = previous }
    waiting -= 1
  }

  /// Moves the link whose turn it is to the end.
  private mutating func passTurn() {
    guard first != last else { return }
    let slot = first
    unlist(slot)
    list(slot)
  }
}
