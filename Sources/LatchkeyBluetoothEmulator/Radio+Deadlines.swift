import LatchkeyBluetoothHost

// A radio's deadlines, and the work that is due at them.

extension Radio {
  /// Computes the deadlines of controllers that changed.
  mutating func updateDeadlines() {
    guard deadlineTable.isStale else { return }
    // An advertiser without a listener has no deadline.
    refreshListeners()
    while let slot = deadlineTable.removeChanged() { deadlineTable[slot] = earliestDeadline(of: slot) }
  }

  /// The earliest deadline of a controller; nil if there is none.
  func earliestDeadline(of slot: Int) -> Duration? {
    guard controllers[slot].isOnAir else { return nil }
    var earliest: Duration?
    func consider(_ deadline: Duration?) {
      guard let deadline else { return }
      earliest = earliest.map { min($0, deadline) } ?? deadline
    }
    for advertiser in controllers[slot].state.advertisers { consider(advertiser.deadline) }
    consider(controllers[slot].state.scanner.deadline)
    consider(controllers[slot].privateAddressDeadline)
    consider(controllers[slot].state.commandCreditAt)
    for credit in controllers[slot].state.lateCredits { consider(credit.at) }
    for link in controllers[slot].state.links {
      consider(link.lostAt)
      consider(link.sampleAt)
      consider(link.tryAt)
      consider(link.heldEventAt)
      consider(link.encryption.deadline)
    }
    return earliest
  }

  /// Performs all work of one controller that is due. Work that is due several times by now is performed once: a radio
  /// that was not served in time does not catch up.
  mutating func serveController(_ slot: Int, now: Duration) {
    if let at = controllers[slot].state.commandCreditAt, at <= now { raiseCommandCredits(slot) }
    releaseLateCredits(slot, now: now)
    if let at = controllers[slot].privateAddressDeadline, at <= now { renewPrivateAddresses(slot, now: now) }
    serveScanner(slot, now: now)
    serveAdvertisers(slot, now: now)
    // Links may end while they are served, so each is looked up again by its handle.
    for handle in controllers[slot].state.links.map(\.handle) { serveLink(slot, handle, now: now) }
  }

  private mutating func serveLink(_ slot: Int, _ handle: ConnectionHandle, now: Duration) {
    guard let index = controllers[slot].linkIndex(handle) else { return }
    let link = controllers[slot].state.links[index]
    if let at = link.heldEventAt, at <= now { revealLink(slot, index) }
    if let at = link.sampleAt, at <= now { sampleLink(slot, index, now: now) }
    if let at = link.tryAt, at <= now { cross(slot, handle, now: now) }
    guard let index = controllers[slot].linkIndex(handle) else { return }
    if let at = controllers[slot].state.links[index].lostAt, at <= now { return loseLink(slot, index) }
    if let at = controllers[slot].state.links[index].encryption.deadline, at <= now {
      cut(slot, index, reason: .linkLayerResponseTimeout, isImmediate: true, now: now)
    }
  }
}
