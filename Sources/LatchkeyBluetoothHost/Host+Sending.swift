import LatchkeyByteCoding

// What waits to be sent on a link, and who hears when it has gone.
extension Host {
  /// A frame was queued, and does not go at once.
  mutating func hasQueued(_ opcode: UInt8, on link: Link, now: Duration) {
    let sent = acl.sentFrames(link.handle)
    let end = sent + UInt64(acl.queuedFrames(link.handle))
    if ATTOpcode.isRequest(opcode) {
      link.requestEnd = end
      link.sentWhenExcused = sent
    } else if opcode == ATTOpcode.handleValueIndication.rawValue {
      link.indicationEnd = end
      link.sentWhenExcused = sent
    }
    link.pace.begin(sent: sent, now: now)
    watch(link)
  }

  /// Has the transmitter tell of the next frame of a link that goes.
  private mutating func watch(_ link: Link) { acl.watch(link.handle, until: acl.sentFrames(link.handle) + 1) }

  /// Frames of a link that waited have gone.
  mutating func moved(_ link: Link, now: Duration) {
    let sent = acl.sentFrames(link.handle)
    // The peer's time for an answer begins when all of what it is to answer has left.
    if let end = link.requestEnd, sent >= end {
      link.requestEnd = nil
      link.client.requestHasGone(now: now)
    }
    if let end = link.indicationEnd, sent >= end { indicationHasGone(on: link, now: now) }
    link.pace.update(sent: sent, queued: acl.queuedFrames(link.handle), now: now)
    while !link.isClosing, acl.queuedFrames(link.handle) < link.pace.capacity,
      let frame = link.laggingUpdates.removeFirst()
    {
      send(frame, .attribute, on: link, now: now)
    }
    tellOfRoom(on: link)
    if acl.queuedFrames(link.handle) > 0 { watch(link) }
    arm(link)
  }

  /// All of the indication that is out has left: the peer's time to confirm it begins.
  func indicationHasGone(on link: Link, now: Duration) {
    link.indicationEnd = nil
    link.server.indicationHasGone(now: now)
  }

  // MARK: Room

  /// Whether a link takes another frame that this host sends of its own accord.
  mutating func hasRoom(_ link: Link, now: Duration) -> Bool {
    let queued = acl.queuedFrames(link.handle)
    guard queued >= LinkPace.least else { return true }
    link.pace.update(sent: acl.sentFrames(link.handle), queued: queued, now: now)
    return queued < link.pace.capacity
  }

  /// Tells those who wait that a link has room again.
  mutating func tellOfRoom(on link: Link) {
    guard !link.waitingWriters.isEmpty || !link.waitingNotifiers.isEmpty else { return }
    guard acl.queuedFrames(link.handle) <= link.pace.capacity / 2, link.laggingUpdates.isEmpty else { return }
    for client in link.waitingWriters { tell(client, .readyToSendWriteWithoutResponse(link.id)) }
    link.waitingWriters = []
    let hasRoomForIndications = link.hasRoomForIndications
    for waiter in link.waitingNotifiers where hasRoomForIndications || !waiter.wantsIndication { tellReady(waiter) }
    link.waitingNotifiers.removeAll { hasRoomForIndications || !$0.wantsIndication }
  }

  /// Tells a client that values are taken again: once, whichever link it is that has room.
  mutating func tellReady(_ waiter: WaitingNotifier) {
    guard let index = waitingNotifiers.firstIndex(where: { $0 == (waiter.client, waiter.refusal) }) else { return }
    waitingNotifiers.remove(at: index)
    tell(waiter.client, .readyToUpdateSubscribers)
  }

  // MARK: Time

  /// Until when a link's peer is to have more time, since it could not have answered yet; nil if it could.
  ///
  /// - Parameter end: with how many frames gone it was asked; nil if it was.
  func excuse(_ end: UInt64?, on link: Link, now: Duration) -> Duration? {
    let sent = acl.sentFrames(link.handle)
    // What waits behind other frames waits as long as those go: a link on which nothing goes is dead.
    if end != nil, sent > link.sentWhenExcused {
      link.sentWhenExcused = sent
      return now + ATTLimits.transactionTimeout
    }
    // While clients held the whole window, the controller could not bring an answer.
    return window.excuse(for: ATTLimits.transactionTimeout, now: now)
  }
}
