public import LatchkeyBluetoothHost

// What a user of the radio can do to it, from a test or from a tool.

extension Radio {
  // MARK: Between two controllers

  /// Sets what two controllers measure of each other, dBm; nil: what their distance says, else the configuration's.
  /// How far they reach is their distance's matter alone.
  public mutating func setRSSI(_ rssi: Int8?, between a: ControllerID, and b: ControllerID, now: Duration) {
    change(a, b, now: now) { $0.rssi = rssi }
  }

  /// Puts two controllers so many metres apart; nil: next to each other. Their signal fades by the configuration's
  /// path loss; out of range nothing is heard, and links end by their supervision timeouts.
  public mutating func setDistance(_ metres: Double?, between a: ControllerID, and b: ControllerID, now: Duration) {
    change(a, b, now: now) { $0.metres = metres.map { max(0, $0) } }
  }

  /// Sets how probably a transmission between two controllers is lost, 0...1; nil: the configuration's. Lost
  /// advertisements are gone, lost data is sent again in the next connection event, and a link on which nothing passes
  /// for its supervision timeout ends.
  public mutating func setLoss(_ loss: Double?, between a: ControllerID, and b: ControllerID, now: Duration) {
    change(a, b, now: now) { $0.loss = loss.map(AirSettings.probability) }
  }

  private mutating func change(
    _ a: ControllerID, _ b: ControllerID, now: Duration, _ body: (inout AirSettings.Path) -> Void
  ) {
    guard let slot = slot(of: a), let other = self.slot(of: b), slot != other else { return }
    let wasDeaf = air.loss(a, b) >= 1
    body(&air[a, b])
    isDeadlineStale = true
    hearing.change(slot)
    hearing.change(other)
    for link in controllers[slot].state.links where link.peer?.slot == other {
      guard let index = controllers[slot].linkIndex(link.handle) else { continue }
      let peer = link.peer
      refreshLink(slot, index, now: now)
      guard let peer, let peerIndex = controllers[peer.slot].linkIndex(peer.handle) else { continue }
      refreshLink(peer.slot, peerIndex, now: now)
    }
    if wasDeaf {
      startListening(slot, now: now)
      startListening(other, now: now)
    }
    settle(now: now)
  }

  // MARK: One controller

  /// Switches a controller off or on. One that is off hears and sends nothing, and forgets everything: its peers lose
  /// their links at the supervision timeout, its own host gets no answer any more and is told by the transport that carries its
  /// packets. Switched on it is as after a reset.
  public mutating func setPowered(_ isOn: Bool, _ controller: ControllerID, now: Duration) {
    guard let slot = slot(of: controller), controllers[slot].isPowered != isOn else { return }
    if !isOn { wipe(slot, now: now) }
    controllers[slot].isPowered = isOn
    hearing.change(slot)
    isDeadlineStale = true
    announcePower(of: controller)
    settle(now: now)
  }

  /// Has `RadioOutput.power` tell how it is with a controller, behind all that is to be done before.
  public mutating func announcePower(of controller: ControllerID) {
    guard slot(of: controller) != nil else { return }
    outputs.append(.power(isPowered(controller), of: controller))
  }

  /// Whether a controller is on this radio and switched on.
  public func isPowered(_ controller: ControllerID) -> Bool {
    slot(of: controller).map { controllers[$0].isPowered } ?? false
  }

  /// How many packets of its host a controller could make nothing of: no packet, an unknown handle, a wrong length.
  public func droppedPackets(of controller: ControllerID) -> UInt64 {
    slot(of: controller).map { controllers[$0].droppedPackets } ?? 0
  }

  // MARK: Faults

  /// How a controller misbehaves now.
  public func faults(of controller: ControllerID) -> ControllerFaults {
    slot(of: controller).map { controllers[$0].faults } ?? ControllerFaults()
  }

  /// Has a controller misbehave, or behave again. Credits that the old faults held back are given.
  public mutating func setFaults(_ faults: ControllerFaults, on controller: ControllerID, now: Duration) {
    guard let slot = slot(of: controller) else { return }
    let frees = controllers[slot].faults.credits != faults.credits
    controllers[slot].faults = faults
    if frees { releaseAllCredits(slot) }
    if faults.commandCreditDelay == nil, controllers[slot].state.commandCreditAt != nil { raiseCommandCredits(slot) }
    hasCreditFaults = controllers.contains { $0.isPresent && $0.faults.credits != .prompt }
    refreshLinks(of: slot, now: now)
    settle(now: now)
  }

  /// Gives the host all credits that a fault has held back so far.
  public mutating func releaseCredits(of controller: ControllerID, now: Duration) {
    guard let slot = slot(of: controller) else { return }
    releaseAllCredits(slot)
    settle(now: now)
  }

  /// Sends the host a Hardware Error (Core 6.0 Vol 4 Part E 7.7.16). The host is to reset the controller.
  public mutating func raiseHardwareError(_ code: UInt8 = 0x01, on controller: ControllerID, now: Duration) {
    guard let slot = slot(of: controller), controllers[slot].isPowered else { return }
    emit(.hardwareError(code), to: slot)
    settle(now: now)
  }

  /// Loses all links of a controller at once; both ends are told this reason.
  public mutating func dropLinks(
    of controller: ControllerID, reason: HCIStatus = .connectionTimeout, now: Duration
  ) {
    guard let slot = slot(of: controller) else { return }
    while !controllers[slot].state.links.isEmpty { cut(slot, 0, reason: reason, isImmediate: true, now: now) }
    settle(now: now)
  }
}
