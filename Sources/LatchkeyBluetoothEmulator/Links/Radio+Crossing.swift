import LatchkeyBluetoothHost
import LatchkeyByteCoding

// How PDUs cross the air when crossing takes time, loses some of them, or a fault is set.

extension Radio {
  /// Queues a PDU; it crosses at once if nothing impedes it.
  mutating func send(_ pdu: LinkPDU, _ slot: Int, _ index: Int, now: Duration) {
    deadlineTable.change(slot)
    controllers[slot].state.links[index].enqueue(pdu, readyAt: now + timing.latency)
    schedule(slot, index, now: now)
    cross(slot, controllers[slot].state.links[index].handle, now: now)
  }

  /// Schedules the first waiting PDU, unless it is scheduled already: not before `now`, and with connection events in the first
  /// one that begins after it is ready.
  mutating func schedule(_ slot: Int, _ index: Int, now: Duration) {
    let link = controllers[slot].state.links[index]
    guard link.tryAt == nil, link.loss < 1, let first = link.queue.first, !link.holdsBack(first.pdu) else { return }
    let time = max(now, first.readyAt)
    controllers[slot].state.links[index].tryAt =
      timing.pdusPerConnectionEvent == nil ? time : link.connectionEvent(after: time)
    deadlineTable.change(slot)
  }

  /// Tries the waiting PDUs on one end of a link, until `now`.
  mutating func cross(_ slot: Int, _ handle: ConnectionHandle, now: Duration) {
    while let index = controllers[slot].linkIndex(handle), let at = controllers[slot].state.links[index].tryAt,
      at <= now
    {
      deadlineTable.change(slot)
      controllers[slot].state.links[index].tryAt = nil
      let isLost = crossOnce(slot, handle, at: at, now: now)
      guard let index = controllers[slot].linkIndex(handle) else { return }
      // What its connection event had no room for is tried in the next one; where there are no events, a lost PDU an interval later.
      let isLate = isLost && timing.pdusPerConnectionEvent == nil
      schedule(slot, index, now: isLate ? at + controllers[slot].state.links[index].intervalDuration : at)
    }
  }

  /// Uses one opportunity: sends ready PDUs until the connection event is full or a PDU is lost.
  ///
  /// - Returns: whether a PDU was lost.
  private mutating func crossOnce(_ slot: Int, _ handle: ConnectionHandle, at: Duration, now: Duration) -> Bool {
    var room = timing.pdusPerConnectionEvent ?? Int.max
    while room > 0, let index = controllers[slot].linkIndex(handle),
      let peer = controllers[slot].state.links[index].peer,
      let first = controllers[slot].state.links[index].queue.first, isReady(first, at: at)
    {
      let link = controllers[slot].state.links[index]
      guard !link.holdsBack(first.pdu) else { return false }
      let needed = link.airPDUs(of: first.pdu) - link.progress
      guard needed <= room else {
        controllers[slot].state.links[index].progress += room
        return false
      }
      if random.happens(link.loss) { return true }
      room -= needed
      controllers[slot].state.links[index].progress = 0
      controllers[slot].state.links[index].queue.removeFirst()
      switch first.pdu {
      case .control(let control): receiveControl(control, from: LinkEnd(slot: slot, handle: handle), to: peer, now: now)
      case .data(let packet):
        if losesLink(slot, index, peer, now: now) { return false }
        arrive(packet, from: slot, index, to: peer)
      }
    }
    return false
  }

  /// Whether a waiting PDU may cross at a time. Both controllers have their PDUs for a connection event before that begins: an
  /// answer to what arrives in an event waits for the next one (Core 6.0 Vol 6 Part B 4.5.1, 4.5.6).
  private func isReady(_ waiting: VirtualLink.Waiting, at time: Duration) -> Bool {
    timing.pdusPerConnectionEvent == nil ? waiting.readyAt <= time : waiting.readyAt < time
  }

  /// Counts a data packet for the faults of both ends that lose a link, and loses the link when the count is reached.
  private mutating func losesLink(_ slot: Int, _ index: Int, _ peer: LinkEnd, now: Duration) -> Bool {
    for end in [slot, peer.slot] {
      guard let loss = controllers[end].faults.linkLoss else { continue }
      guard loss.packets <= 0 else {
        controllers[end].faults.linkLoss?.packets -= 1
        continue
      }
      controllers[end].faults.linkLoss = nil
      cut(slot, index, reason: loss.reason, isImmediate: loss.isImmediate, now: now)
      return true
    }
    return false
  }
}

extension VirtualLink {
  /// The first connection event at or after a time.
  func connectionEvent(notBefore time: Duration) -> Duration {
    guard time > anchor else { return anchor }
    let passed = ((time - anchor) / intervalDuration).rounded(.down)
    var event = anchor + intervalDuration * Int(passed)
    while event < time { event += intervalDuration }
    return event
  }

  /// The first connection event after a time.
  func connectionEvent(after time: Duration) -> Duration {
    let event = connectionEvent(notBefore: time)
    return event > time ? event : event + intervalDuration
  }

  /// How many PDUs of the air carry one PDU of the queue.
  func airPDUs(of pdu: LinkPDU) -> Int {
    guard case .data(let packet) = pdu else { return 1 }
    let octets = max(27, Int(length.transmitOctets))
    return max(1, (packet.count - ACLPacket.headerCount + octets - 1) / octets)
  }
}
