import ByteCoding

/// Cuts L2CAP PDUs into ACL packets and sends no more of them than the controller has buffers for
/// (Core 6.0 Vol 4 Part E 4.1.1).
///
/// All links share the buffers; links take turns, packet by packet, and a link whose peer takes nothing leaves one buffer
/// to each of the others. Buffers come back only by Number Of Completed
/// Packets, or all at once when their link ends. Links are few, so they stand in an array that is searched in order.
package struct ACLTransmitter: Sendable {
  /// How many frames may wait on one link. Whoever sends of its own accord stops long before; only answers to a peer
  /// that asks and asks, and takes none of them, come so far.
  package static let mostFrames = 64

  private struct Link: Sendable {
    let handle: ConnectionHandle
    /// Packets in the controller's buffers.
    var outstanding = 0
    var frames = FrameQueue()
    /// Where the rest of the first frame begins, if it is being sent in fragments.
    var restOffset: Int?

    /// The next packet of at most `length` bytes of data, if there is one.
    mutating func nextPacket(_ length: Int) -> [UInt8]? {
      guard !frames.isEmpty else { return nil }
      outstanding += 1
      let count = frames.first.count
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
  }

  private var links: [Link] = []
  /// Whose turn it is.
  private var turn = 0
  private var packetLength = 0
  private var packetCount = 0
  private var freePackets = 0

  /// A transmitter that sends nothing before it is configured.
  package init() {}

  /// Takes the controller's buffers: bytes of data in one packet, and packets. No link is open afterwards.
  package mutating func configure(packetLength: Int, packetCount: Int) {
    self = ACLTransmitter()
    guard packetLength > 0 else { return }
    self.packetLength = packetLength
    self.packetCount = packetCount
    freePackets = packetCount
  }

  /// Makes room for a link. A handle that is open already was given again: what it had is closed first.
  package mutating func open(_ handle: ConnectionHandle) {
    close(handle)
    links.append(Link(handle: handle))
  }

  /// Ends a link: its frames are dropped, and its packets in the controller count as completed, for which no event
  /// comes (Core 6.0 Vol 4 Part E 4.1.1).
  package mutating func close(_ handle: ConnectionHandle) {
    guard let index = index(of: handle) else { return }
    freePackets += links[index].outstanding
    links.remove(at: index)
    if turn > index { turn -= 1 }
    if turn >= links.count { turn = 0 }
  }

  /// Queues a PDU on a channel of a link; false if too many wait, the link is not open or the frame no frame.
  ///
  /// The frame begins with `OutgoingFrame.headroom` free bytes, which are filled in: a caller who gives up its last
  /// reference has it sent without a copy, if the controller's packets are long enough.
  @discardableResult
  package mutating func enqueue(
    _ frame: consuming [UInt8], channel: L2CAPChannelID, handle: ConnectionHandle
  ) -> Bool {
    let payloadCount = frame.count - OutgoingFrame.headroom
    guard 0...OutgoingFrame.maximumPayload ~= payloadCount, let index = index(of: handle),
      links[index].frames.count < Self.mostFrames
    else { return false }
    OutgoingFrame.fillHeadroom(of: &frame, channel, handle, payloadCount)
    links[index].frames.append(frame)
    return true
  }

  /// The controller has sent, or flushed, packets of a link. More than it had are not believed.
  package mutating func completed(_ handle: ConnectionHandle, count: Int) {
    guard let index = index(of: handle) else { return }
    let returned = max(0, min(count, links[index].outstanding))
    links[index].outstanding -= returned
    freePackets += returned
  }

  /// The next H4 packet that the controller has room for; ask until there is none.
  package mutating func nextPacket() -> [UInt8]? {
    guard freePackets > 0 else { return nil }
    for _ in links.indices {
      let packet = mayTakeBuffer(turn) ? links[turn].nextPacket(packetLength) : nil
      turn = turn + 1 == links.count ? 0 : turn + 1
      if let packet {
        freePackets -= 1
        return packet
      }
    }
    return nil
  }

  /// How many frames of a link are not wholly in the controller's buffers yet; none if it is not open.
  package func queuedFrames(_ handle: ConnectionHandle) -> Int {
    index(of: handle).map { links[$0].frames.count } ?? 0
  }

  /// Whether a link takes none of the last buffers from links that have none: half of all at most are kept for them.
  @inline(__always)
  private func mayTakeBuffer(_ index: Int) -> Bool {
    if links.count == 1 || links[index].outstanding == 0 { return true }
    var others = 0
    for link in links where link.outstanding == 0 { others += 1 }
    return freePackets > min(others, packetCount / 2)
  }

  private func index(of handle: ConnectionHandle) -> Int? {
    links.firstIndex { $0.handle == handle }
  }
}
