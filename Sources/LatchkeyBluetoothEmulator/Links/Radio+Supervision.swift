import LatchkeyBluetoothHost

// Supervision: whether two ends still hear each other (Core 6.0 Vol 6 Part B 4.5.2).

extension Radio {
  /// Applies the settings between the two ends of a link. Both ends must be refreshed, in any order.
  mutating func refreshLink(_ slot: Int, _ index: Int, now: Duration) {
    deadlineTable.change(slot)
    var link = controllers[slot].state.links[index]
    var spares = controllers[slot].faults.spareData
    if let peer = link.peer {
      let (own, other) = (controllers[slot].id, controllers[peer.slot].id)
      link.loss = link.isCut ? 1 : air.loss(own, other)
      link.rssi = air.rssi(own, other)
      spares = spares && controllers[peer.slot].faults.spareData
    } else {
      link.loss = 1
    }
    link.isClear = link.loss == 0 && timing.isInstant && spares && !link.encryption.holdsData
    supervise(&link, now: now)
    if link.loss >= 1 { link.tryAt = nil }
    controllers[slot].state.links[index] = link
    schedule(slot, index, now: now)
    cross(slot, link.handle, now: now)
  }

  /// Refreshes both ends of all links of a controller.
  mutating func refreshLinks(of slot: Int, now: Duration) {
    for handle in controllers[slot].state.links.map(\.handle) {
      guard let index = controllers[slot].linkIndex(handle) else { continue }
      let peer = controllers[slot].state.links[index].peer
      refreshLink(slot, index, now: now)
      guard let peer, let peerIndex = controllers[peer.slot].linkIndex(peer.handle) else { continue }
      refreshLink(peer.slot, peerIndex, now: now)
    }
  }

  /// Sets the times at which a link is lost or a connection event is drawn. The central's end stores them for both
  /// ends; an end that has lost its peer stores them itself.
  private func supervise(_ link: inout VirtualLink, now: Duration) {
    guard link.role == .central || link.peer == nil else {
      (link.lostAt, link.sampleAt) = (nil, nil)
      return
    }
    if link.loss >= 1 {
      link.sampleAt = nil
      link.lostAt = link.lostAt ?? now + link.supervisionDuration
    } else if link.canLoseAllEvents {
      link.lostAt = link.lostAt ?? now + link.supervisionDuration
      link.sampleAt = link.sampleAt ?? link.connectionEvent(notBefore: now + link.intervalDuration)
    } else {
      (link.lostAt, link.sampleAt) = (nil, nil)
    }
  }

  /// Draws whether a connection event was received.
  mutating func sampleLink(_ slot: Int, _ index: Int, now: Duration) {
    deadlineTable.change(slot)
    let link = controllers[slot].state.links[index]
    if !random.happens(link.loss) { controllers[slot].state.links[index].lostAt = now + link.supervisionDuration }
    let next = link.connectionEvent(notBefore: now + link.intervalDuration)
    controllers[slot].state.links[index].sampleAt = next
  }

  /// Ends a link on which nothing was received for too long, at both ends.
  mutating func loseLink(_ slot: Int, _ index: Int) {
    let link = controllers[slot].state.links[index]
    endLink(slot, index, reason: link.lossReason)
    guard let peer = link.peer, let peerIndex = controllers[peer.slot].linkIndex(peer.handle) else { return }
    endLink(peer.slot, peerIndex, reason: controllers[peer.slot].state.links[peerIndex].lossReason)
  }

  /// Cuts a link: at once, or by silence until the supervision timeout.
  mutating func cut(_ slot: Int, _ index: Int, reason: HCIStatus, isImmediate: Bool, now: Duration) {
    var ends = [LinkEnd(slot: slot, handle: controllers[slot].state.links[index].handle)]
    if let peer = controllers[slot].state.links[index].peer { ends.append(peer) }
    for end in ends {
      guard let index = controllers[end.slot].linkIndex(end.handle) else { continue }
      controllers[end.slot].state.links[index].isCut = true
      controllers[end.slot].state.links[index].lossReason = reason
      refreshLink(end.slot, index, now: now)
    }
    if isImmediate { loseLink(slot, index) }
  }

  /// Silences a controller for its peers: their links have no other end, and end by their supervision timeouts.
  mutating func orphanPeers(of slot: Int, now: Duration) {
    for link in controllers[slot].state.links {
      guard let peer = link.peer, let index = controllers[peer.slot].linkIndex(peer.handle) else { continue }
      controllers[peer.slot].state.links[index].peer = nil
      // Earlier settings between the ends may have started the timeout already, at the central's end.
      if controllers[peer.slot].state.links[index].lostAt == nil {
        controllers[peer.slot].state.links[index].lostAt = link.loss >= 1 ? link.lostAt : nil
      }
      refreshLink(peer.slot, index, now: now)
    }
  }
}

extension VirtualLink {
  /// Whether chance could lose all events of a supervision timeout. Below a probability of about 1e-18 nothing is
  /// drawn, and an idle link costs nothing.
  var canLoseAllEvents: Bool {
    guard loss > 0 else { return false }
    let events = Int(supervisionTimeout) * 8 / max(1, Int(interval))
    var probability = 1.0
    for _ in 0..<events {
      probability *= loss
      if probability < 0x1p-60 { return false }
    }
    return true
  }
}
