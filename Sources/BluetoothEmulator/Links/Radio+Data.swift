import BluetoothHost
import ByteCoding

// The way of an ACL packet: host, controller, air, controller, host (Core 6.0 Vol 4 Part E 4.1, 5.4.2).

extension Radio {
  /// What an ACL packet's header says. Made by a function of its own, so that no reader still holds on to the packet
  /// when its header is patched: that would cost a copy.
  private struct DataHeader {
    let handle: ConnectionHandle
    let isContinuing: Bool
    let length: Int

    init?(_ packet: borrowing [UInt8]) {
      guard let acl = try? ACLPacket(decoding: copy packet), acl.boundary != .complete else { return nil }
      handle = acl.connectionHandle
      isContinuing = acl.boundary == .continuing
      length = acl.payload.remaining
    }
  }

  mutating func receiveData(_ packet: consuming [UInt8], slot: Int, now: Duration) {
    guard let header = DataHeader(packet), header.length > 0,
      let index = controllers[slot].linkIndex(header.handle)
    else {
      controllers[slot].droppedPackets += 1
      return
    }
    let buffers = controllers[slot].buffers
    guard controllers[slot].state.inController < buffers.count, header.length <= buffers.length else {
      emit(.dataBufferOverflow(linkType: 0x01), to: slot)
      return
    }
    controllers[slot].state.inController += 1
    controllers[slot].state.links[index].inController += 1
    guard controllers[slot].state.links[index].isClear, controllers[slot].state.links[index].queue.isEmpty,
      let peer = controllers[slot].state.links[index].peer
    else {
      send(.data(packet), slot, index, now: now)
      return
    }
    deliver(packet, header, from: slot, index, to: peer)
  }

  /// Hands an ACL packet that crossed the air to the host, or keeps it until that has room.
  private mutating func deliver(
    _ packet: consuming [UInt8], _ header: DataHeader, from slot: Int, _ index: Int, to peer: LinkEnd
  ) {
    guard let peerIndex = controllers[peer.slot].linkIndex(peer.handle) else { return }
    let limit = controllers[peer.slot].deliveryLength
    guard header.length <= limit, controllers[peer.slot].state.hostFlow.isOpen,
      controllers[peer.slot].state.links[peerIndex].held.isEmpty
    else {
      hold(packet, header, limit: limit, for: peer.slot, peerIndex)
      return
    }
    ACLPacket.patchHeader(of: &packet, peer.handle, header.isContinuing ? .continuing : .firstFlushable)
    count(packetsTo: peer.slot, peerIndex)
    emit(packet, to: peer.slot)
    complete(slot, index)
  }

  /// Takes a packet from the queue of a link whose air is not clear.
  mutating func arrive(_ packet: consuming [UInt8], from slot: Int, _ index: Int, to peer: LinkEnd) {
    guard let header = DataHeader(packet) else { return }
    deliver(packet, header, from: slot, index, to: peer)
    guard let peerIndex = controllers[peer.slot].linkIndex(peer.handle) else { return }
    revealLink(peer.slot, peerIndex)
  }

  // MARK: Towards the host

  /// Keeps a packet for a host that is out of buffers, or cuts it for one that takes only shorter ones.
  private mutating func hold(
    _ packet: consuming [UInt8], _ header: DataHeader, limit: Int, for slot: Int, _ index: Int
  ) {
    var reader = ByteReader(packet, from: ACLPacket.headerCount)
    var isFirst = !header.isContinuing
    while !reader.isEmpty {
      guard let part = try? reader.subReader(min(limit, reader.remaining), "ACL data") else { return }
      let handle = controllers[slot].state.links[index].handle
      let cut = ACLPacket.encode(handle, isFirst ? .firstFlushable : .continuing, data: part)
      controllers[slot].state.links[index].held.append(Link.Held(packet: cut, completes: reader.isEmpty))
      isFirst = false
    }
    releaseHeld(slot)
  }

  /// Hands held packets over while the host has room, one of each link in turn.
  mutating func releaseHeld(_ slot: Int) {
    var isMoving = true
    while isMoving {
      isMoving = false
      for index in controllers[slot].state.links.indices
      where !controllers[slot].state.links[index].held.isEmpty && controllers[slot].state.hostFlow.isOpen {
        let held = controllers[slot].state.links[index].held.removeFirst()
        count(packetsTo: slot, index)
        emit(held.packet, to: slot)
        isMoving = true
        guard held.completes, let sender = controllers[slot].state.links[index].peer,
          let senderIndex = controllers[sender.slot].linkIndex(sender.handle)
        else { continue }
        complete(sender.slot, senderIndex)
      }
    }
  }

  private mutating func count(packetsTo slot: Int, _ index: Int) {
    guard controllers[slot].state.hostFlow.isOn else { return }
    controllers[slot].state.hostFlow.used += 1
    controllers[slot].state.links[index].atHost += 1
  }

  /// The host gives buffers back (Host Number Of Completed Packets). Handles of links that ended a moment ago are no
  /// error, their buffers came back with the link.
  ///
  /// - Returns: false if it gives back more than it has.
  mutating func hostCompleted(_ entries: [HCIHostNumberOfCompletedPackets.Entry], slot: Int) -> Bool {
    var isHonest = true
    for entry in entries {
      guard let index = controllers[slot].linkIndex(entry.connectionHandle) else { continue }
      let count = min(Int(entry.count), controllers[slot].state.links[index].atHost)
      if count < Int(entry.count) { isHonest = false }
      controllers[slot].state.links[index].atHost -= count
      controllers[slot].state.hostFlow.used -= count
    }
    releaseHeld(slot)
    return isHonest
  }
}
