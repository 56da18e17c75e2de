import LatchkeyBluetoothHost
import LatchkeyByteCoding

// The path of an ACL packet: host, controller, air, controller, host (Core 6.0 Vol 4 Part E 4.1, 5.4.2).

extension Radio {
  /// The fields of an ACL packet's header. No reader references the packet, whose header is patched later: that would cost
  /// a copy.
  private struct DataHeader {
    let handle: ConnectionHandle
    let isContinuing: Bool
    let length: Int

    init?(_ packet: borrowing [UInt8]) {
      guard let handleAndFlags = try? ACLPacket.handleAndFlags(of: packet) else { return nil }
      switch ACLPacket.boundary(of: handleAndFlags) {
      case .firstNonFlushable, .firstFlushable: isContinuing = false
      case .continuing: isContinuing = true
      case .complete: return nil
      }
      handle = ConnectionHandle(rawValue: handleAndFlags)
      length = packet.count - ACLPacket.headerCount
    }
  }

  mutating func receiveData(_ packet: consuming [UInt8], slot: Int, now: Duration) {
    guard let header = DataHeader(packet), header.length > 0 else {
      controllers[slot].droppedPackets += 1
      return
    }
    switch controllers[slot].admit(header.handle, length: header.length) {
    case .direct(let index, let peer): deliver(packet, header, from: slot, index, to: peer)
    case .queued(let index): send(.data(packet), slot, index, now: now)
    case .overflow: emit(.dataBufferOverflow(linkType: 0x01), to: slot)
    case .unknownLink: controllers[slot].droppedPackets += 1
    }
  }

  /// Delivers an ACL packet that crossed the air to the host, or holds it until the host has a free buffer.
  private mutating func deliver(
    _ packet: consuming [UInt8], _ header: DataHeader, from slot: Int, _ index: Int, to peer: LinkEnd
  ) {
    switch controllers[peer.slot].accept(peer.handle, length: header.length) {
    case .handed:
      // The rest of the header is unchanged from the sender's host.
      let boundary: ACLPacket.Boundary = header.isContinuing ? .continuing : .firstFlushable
      packet.patchUInt16(peer.handle.rawValue | UInt16(boundary.rawValue) << 12, at: 1)
      emit(packet, to: peer.slot)
      complete(slot, index)
    case .held(let peerIndex, let limit): hold(packet, header, limit: limit, for: peer.slot, peerIndex)
    case .unknownLink: break
    }
  }

  /// Delivers a packet from the queue of a link whose air is not clear.
  mutating func arrive(_ packet: consuming [UInt8], from slot: Int, _ index: Int, to peer: LinkEnd) {
    guard let header = DataHeader(packet) else { return }
    deliver(packet, header, from: slot, index, to: peer)
    guard let peerIndex = controllers[peer.slot].linkIndex(peer.handle) else { return }
    revealLink(peer.slot, peerIndex)
  }

  // MARK: Towards the host

  /// Holds a packet for a host without free buffers, or cuts it for one that accepts only shorter ones.
  private mutating func hold(
    _ packet: consuming [UInt8], _ header: DataHeader, limit: Int, for slot: Int, _ index: Int
  ) {
    var reader = ByteReader(packet, from: ACLPacket.headerCount)
    var isFirst = !header.isContinuing
    while !reader.isEmpty {
      guard let part = try? reader.subReader(min(limit, reader.remaining), "ACL data") else { return }
      let handle = controllers[slot].state.links[index].handle
      let cut = ACLPacket.encode(handle, isFirst ? .firstFlushable : .continuing, data: part)
      controllers[slot].state.links[index].held.append(VirtualLink.Held(packet: cut, completes: reader.isEmpty))
      isFirst = false
    }
    releaseHeld(slot)
  }

  /// Delivers held packets while the host has free buffers, one of each link in turn.
  mutating func releaseHeld(_ slot: Int) {
    var isMoving = true
    while isMoving {
      isMoving = false
      for index in 0..<controllers[slot].state.links.count {
        guard let held = controllers[slot].dequeueHeld(index) else { continue }
        isMoving = true
        emit(held.packet, to: slot)
        guard held.completes, let sender = controllers[slot].state.links[index].peer,
          let senderIndex = controllers[sender.slot].linkIndex(sender.handle)
        else { continue }
        complete(sender.slot, senderIndex)
      }
    }
  }
}
