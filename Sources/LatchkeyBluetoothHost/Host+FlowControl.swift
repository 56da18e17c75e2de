import LatchkeyByteCoding

// Back-pressure on peers: values that clients have not consumed hold the controller's packets (Core 6.0 Vol 4 Part E
// 4.2).
extension Host {
  /// Delivers an unsolicited value to a client. Its packet counts as held until the client has consumed the value.
  mutating func deliver(_ event: HostEvent, to client: ClientID, on link: Link, now: Duration) {
    guard link.backlog.values(of: client) < Link.undeliveredCapacity else {
      ignored.values += 1
      if link.droppedValues.count() {
        outputs.append(.notice(.valuesDropped(link.peer, total: link.droppedValues.total)))
      }
      return
    }
    let isHolding = capabilities.usesHostFlowControl && window.mayHold(client)
    let holdsPacket = isHolding && canHoldPacket
    link.backlog.add(client, isHolding: isHolding, holdsPacket: holdsPacket)
    if isHolding { window.addValues(1, of: client) }
    if holdsPacket {
      countReturnable(-1, on: link)
      window.addHeld(1, now: now)
      canHoldPacket = false
    }
    emit(client, event)
  }

  /// Records that a client has consumed `count` unsolicited values of a link.
  ///
  /// Until then the controller holds back the peer once the client's share of its window is full, so that nothing grows
  /// without bound.
  public mutating func consumed(_ count: Int, on id: LinkID, client: ClientID, now: Duration) {
    guard let link = link(id) else { return }
    release(link.backlog.remove(count, of: client), of: client, on: link, now: now)
    flush(now: now)
  }

  /// Releases packets that values of a client no longer hold.
  mutating func release(_ freed: (values: Int, packets: Int), of client: ClientID, on link: Link, now: Duration) {
    if freed.values > 0 { window.addValues(-freed.values, of: client) }
    guard freed.packets > 0 else { return }
    window.addHeld(-freed.packets, now: now)
    countReturnable(freed.packets, on: link)
    returnPackets()
  }

  /// Releases the packets of a link that has ended: the controller counts them as free by itself.
  mutating func releaseAll(of link: Link, now: Duration) {
    for (client, values) in link.backlog.holders where values > 0 { window.addValues(-values, of: client) }
    window.addUnreturned(-link.returnable)
    window.addHeld(-link.backlog.packets, now: now)
    link.returnable = 0
    link.backlog = ClientBacklog()
    // Links that end with a few packets each would otherwise stay until one has many.
    returningLinks.removeAll { $0 === link }
  }

  /// Divides the window among the clients that need a share now. Packets that a client holds beyond its share are
  /// returned.
  mutating func shareWindow(now: Duration) {
    guard capabilities.usesHostFlowControl else { return }
    let isServing = links.contains { $0.role == .peripheral }
    var parties = 0
    for client in clients
    where links.contains(where: { $0.claims.contains(client) }) || isServing && database.hasServices(of: client) {
      parties += 1
    }
    window.setParties(parties)
    for client in clients where window.excess(client) > 0 {
      for link in links where window.excess(client) > 0 {
        release(link.backlog.trim(window.excess(client), of: client), of: client, on: link, now: now)
      }
    }
  }

  /// Returns a packet that belonged to no link and was dropped: a controller that knows the handle counts it.
  mutating func giveBack(_ handle: ConnectionHandle) {
    ignored.data += 1
    guard capabilities.usesHostFlowControl else { return }
    outputs.append(.packet(HCIHostNumberOfCompletedPackets.packet(handle, count: 1)))
  }

  /// Counts packets of a link that the controller may reuse.
  mutating func countReturnable(_ count: Int, on link: Link) {
    guard capabilities.usesHostFlowControl else { return }
    if link.returnable == 0 { returningLinks.append(link) }
    link.returnable += count
    window.addUnreturned(count)
  }

  /// Sends the controller the counts of completed packets (Core 6.0 Vol 4 Part E 7.3.40).
  mutating func returnPackets() {
    guard window.isReturnDue else { return }
    for link in returningLinks where link.returnable > 0 {
      outputs.append(
        .packet(HCIHostNumberOfCompletedPackets.packet(link.handle, count: UInt16(clamping: link.returnable))))
      link.returnable = 0
    }
    returningLinks.removeAll(keepingCapacity: true)
    window.addUnreturned(-window.unreturned)
  }
}
