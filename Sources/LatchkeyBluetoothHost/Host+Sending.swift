import LatchkeyByteCoding

// Queued frames of a link, and the notification of clients when frames have left.
extension Host {
  /// Records that a frame was queued and does not leave at once.
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

  /// Makes the transmitter report the next frame of a link that leaves.
  private mutating func watch(_ link: Link) { acl.watch(link.handle, until: acl.sentFrames(link.handle) + 1) }

  /// Handles the departure of frames that were queued on a link.
  mutating func moved(_ link: Link, now: Duration) {
    let sent = acl.sentFrames(link.handle)
    // The peer's time to answer starts when the last fragment of the request has left.
    if let end = link.requestEnd, sent >= end {
      link.requestEnd = nil
      link.client.requestWasSent(now: now)
    }
    if let end = link.indicationEnd, sent >= end { indicationWasSent(on: link, now: now) }
    link.pace.update(sent: sent, queued: acl.queuedFrames(link.handle), now: now)
    while !link.isClosing, acl.queuedFrames(link.handle) < link.pace.capacity,
      let frame = link.laggingUpdates.removeFirst()
    {
      send(frame, .attribute, on: link, now: now)
    }
    notifyOfCapacity(on: link)
    if acl.queuedFrames(link.handle) > 0 { watch(link) }
    arm(link)
  }

  /// Starts the peer's time to confirm: all of the outstanding indication has left.
  func indicationWasSent(on link: Link, now: Duration) {
    link.indicationEnd = nil
    link.server.indicationWasSent(now: now)
  }

  // MARK: Capacity

  /// Whether a link accepts another frame that this host sends on its own initiative.
  mutating func hasCapacity(_ link: Link, now: Duration) -> Bool {
    let queued = acl.queuedFrames(link.handle)
    guard queued >= LinkPace.least else { return true }
    link.pace.update(sent: acl.sentFrames(link.handle), queued: queued, now: now)
    return queued < link.pace.capacity
  }

  /// Notifies waiting clients that a link has capacity again.
  mutating func notifyOfCapacity(on link: Link) {
    guard !link.waitingWriters.isEmpty || !link.waitingNotifiers.isEmpty else { return }
    guard acl.queuedFrames(link.handle) <= link.pace.capacity / 2, link.laggingUpdates.isEmpty, !link.mustBeSecured
    else { return }
    for client in link.waitingWriters { emit(client, .readyToSendWriteWithoutResponse(link.id)) }
    link.waitingWriters = []
    let hasCapacityForIndications = link.hasCapacityForIndications
    for waiter in link.waitingNotifiers where hasCapacityForIndications || !waiter.wantsIndication { emitReady(waiter) }
    link.waitingNotifiers.removeAll { hasCapacityForIndications || !$0.wantsIndication }
  }

  /// Notifies a client that values are accepted again: once, whichever link has capacity.
  mutating func emitReady(_ waiter: WaitingNotifier) {
    guard let index = waitingNotifiers.firstIndex(where: { $0 == (waiter.client, waiter.refusal) }) else { return }
    waitingNotifiers.remove(at: index)
    emit(waiter.client, .readyToUpdateSubscribers)
  }

  // MARK: Time

  /// The later deadline of a peer that could not have answered yet; nil if it could.
  ///
  /// - Parameter end: the number of sent frames at which the request has left; nil if it has.
  func excuse(_ end: UInt64?, on link: Link, now: Duration) -> Duration? {
    let sent = acl.sentFrames(link.handle)
    // A request queued behind other frames waits as long as those leave. A link on which nothing leaves is dead.
    if end != nil, sent > link.sentWhenExcused {
      link.sentWhenExcused = sent
      return now + ATTLimits.transactionTimeout
    }
    // While clients held the whole window, the controller could not deliver an answer.
    return window.excuse(for: ATTLimits.transactionTimeout, now: now)
  }
}
