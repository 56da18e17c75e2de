// Values that the owners of services send on their own initiative (Core 6.0 Vol 3 Part G 4.10, 4.11).
extension Host {
  /// Sends a value to subscribed peers: to those in `links`, or to all. It is truncated to ATT_MTU - 3.
  ///
  /// Each peer has a queue. A peer that reads or confirms nothing while others do falls behind by some hundred values
  /// and then loses some; the others are not affected.
  ///
  /// - Returns: false if none of the links has capacity; then nothing was sent to any, and `readyToUpdateSubscribers`
  ///   follows. True also without subscribers.
  public mutating func updateValue(
    _ value: [UInt8], of handle: AttributeHandle, links only: [LinkID]?, client: ClientID, now: Duration
  ) -> Bool {
    var isWanted = false
    var hasCapacity = false
    if let only {
      for id in only where !hasCapacity {
        guard let link = links[id] else { continue }
        evaluate(link, handle, &isWanted, &hasCapacity, now: now)
      }
    } else {
      for link in links {
        evaluate(link, handle, &isWanted, &hasCapacity, now: now)
        if hasCapacity { break }
      }
    }
    guard isWanted else { return true }
    guard hasCapacity else {
      refuse(client, handle, only)
      return false
    }
    if let only {
      for id in only { if let link = links[id] { update(value, of: handle, on: link, now: now) } }
    } else {
      for link in links { update(value, of: handle, on: link, now: now) }
    }
    flush(now: now)
    return true
  }

  /// Adds to the flags whether a link's peer subscribed to a value, and whether the link has capacity for it.
  private mutating func evaluate(
    _ link: Link, _ handle: AttributeHandle, _ isWanted: inout Bool, _ hasCapacity: inout Bool, now: Duration
  ) {
    guard !link.isClosing, link.server.subscription(to: handle) != .none else { return }
    isWanted = true
    hasCapacity =
      self.hasCapacity(link, now: now) && link.laggingUpdates.isEmpty && link.hasCapacityForUpdate(of: handle)
  }

  /// Records a refusal: no link has capacity. The first link that has capacity again notifies the client.
  private mutating func refuse(_ client: ClientID, _ handle: AttributeHandle, _ only: [LinkID]?) {
    lastRefusal += 1
    waitingNotifiers.removeAll { $0.client == client }
    waitingNotifiers.append((client, lastRefusal))
    for link in links where !link.isClosing && only.map({ $0.contains(link.id) }) ?? true {
      let subscription = link.server.subscription(to: handle)
      guard subscription != .none else { continue }
      link.waitingNotifiers.removeAll { $0.client == client }
      link.waitingNotifiers.append(
        WaitingNotifier(client: client, refusal: lastRefusal, wantsIndication: subscription == .indications))
    }
  }

  /// Sends a value to one subscribed peer; a peer that is behind gets it later.
  private mutating func update(_ value: [UInt8], of handle: AttributeHandle, on link: Link, now: Duration) {
    guard !link.isClosing else { return }
    guard link.laggingUpdates.count < Link.updateLag else {
      if link.server.subscription(to: handle) != .none { dropUpdate(on: link) }
      return
    }
    switch link.server.update(value, of: handle, mostWaiting: Link.updateLag, now: now) {
    case .send(let frame):
      arm(link)
      guard link.laggingUpdates.isEmpty, hasCapacity(link, now: now) else {
        if frame[OutgoingFrame.headroom] == ATTOpcode.handleValueIndication.rawValue { link.indicationEnd = .max }
        return link.laggingUpdates.append(frame)
      }
      send(frame, .attribute, on: link, now: now)
    case .full: dropUpdate(on: link)
    case .queued, .notSubscribed: break
    }
  }

  /// Drops queued values of removed attributes for a peer that is behind.
  func dropQueuedUpdates(of range: AttributeHandleRange, on link: Link, now: Duration) {
    var hasIndication = false
    let pdu = OutgoingFrame.headroom
    link.laggingUpdates.removeAll { frame in
      // Notifications and indications have the same layout: the opcode, then the handle (3.4.7.1, 3.4.7.2).
      let (opcode, low, high) = (frame[pdu], frame[pdu + 1], frame[pdu + 2])
      guard range.contains(UInt16(low) | UInt16(high) << 8) else { return false }
      if opcode == ATTOpcode.handleValueIndication.rawValue { hasIndication = true }
      return true
    }
    guard hasIndication else { return }
    link.indicationEnd = nil
    link.server.endIndication(now: now, into: &link.serverOutputs)
  }

  private mutating func dropUpdate(on link: Link) {
    ignored.updates += 1
    guard link.droppedUpdates.count() else { return }
    outputs.append(.notice(.updatesDropped(link.peer, total: link.droppedUpdates.total)))
  }
}
