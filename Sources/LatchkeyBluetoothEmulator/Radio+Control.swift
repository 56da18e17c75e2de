public import LatchkeyBluetoothHost

// Controls of the radio for tests and tools.

extension Radio {
  // MARK: Between two controllers

  /// Sets the signal strength between two controllers, dBm; nil restores the one of their distance, else the
  /// configuration's. Reach depends on the distance alone.
  public mutating func setRSSI(_ rssi: Int8?, between a: ControllerID, and b: ControllerID, now: Duration) {
    change(a, b, now: now) { $0.rssi = rssi }
  }

  /// Sets the distance between two controllers in meters; nil puts them next to each other. The signal fades by the
  /// configuration's path loss; out of range nothing is received, and links end by their supervision timeouts.
  public mutating func setDistance(_ metres: Double?, between a: ControllerID, and b: ControllerID, now: Duration) {
    change(a, b, now: now) { $0.metres = metres.map { max(0, $0) } }
  }

  /// The distance in meters from a controller to the device at the other end of one of its links, 0 if none was set; nil
  /// without such a link.
  package func distance(from controller: ControllerID, to peer: BluetoothAddress) -> Double? {
    guard let slot = slot(of: controller),
      let end = controllers[slot].state.links.first(where: { $0.peerAddress == peer })?.peer
    else { return nil }
    return air[controller, controllers[end.slot].id].metres ?? 0
  }

  /// Sets the probability that a transmission between two controllers is lost, 0...1; nil restores the configuration's.
  /// Lost advertisements are gone, lost data is retransmitted in the next connection event, and a link without any
  /// transmission for its supervision timeout ends.
  public mutating func setLoss(_ loss: Double?, between a: ControllerID, and b: ControllerID, now: Duration) {
    change(a, b, now: now) { $0.loss = loss.map(AirSettings.probability) }
  }

  private mutating func change(
    _ a: ControllerID, _ b: ControllerID, now: Duration, _ body: (inout AirSettings.Path) -> Void
  ) {
    guard let slot = slot(of: a), let other = self.slot(of: b), slot != other else { return }
    let wasDeaf = air.loss(a, b) >= 1
    body(&air[a, b])
    for slot in [slot, other] {
      deadlineTable.change(slot)
      listenerTable.change(slot)
    }
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

  /// Switches a controller off or on. One that is off sends and receives nothing and loses its state: its peers lose
  /// their links at the supervision timeout, and its own host gets no answer and is informed by the transport. After
  /// switching on it is as after a reset.
  public mutating func setPowered(_ isOn: Bool, _ controller: ControllerID, now: Duration) {
    guard let slot = slot(of: controller), controllers[slot].isPowered != isOn else { return }
    if !isOn { wipe(slot, now: now) }
    controllers[slot].isPowered = isOn
    listenerTable.change(slot)
    deadlineTable.change(slot)
    announcePower(of: controller)
    settle(now: now)
  }

  /// Reports a controller's power by `RadioOutput.power`, after all earlier outputs.
  public mutating func announcePower(of controller: ControllerID) {
    guard slot(of: controller) != nil else { return }
    outputs.append(.power(isPowered(controller), of: controller))
  }

  /// Whether a controller is on this radio and switched on.
  public func isPowered(_ controller: ControllerID) -> Bool {
    slot(of: controller).map { controllers[$0].isPowered } ?? false
  }

  /// The number of its host's packets that a controller could not process: malformed, with an unknown handle, or of a
  /// wrong length.
  public func droppedPackets(of controller: ControllerID) -> UInt64 {
    slot(of: controller).map { controllers[$0].droppedPackets } ?? 0
  }

  // MARK: Faults

  /// The current faults of a controller.
  public func faults(of controller: ControllerID) -> ControllerFaults {
    slot(of: controller).map { controllers[$0].faults } ?? ControllerFaults()
  }

  /// Sets the faults of a controller. Credits that the old faults withheld are released.
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

  /// Releases all credits that a fault has withheld from the host so far.
  public mutating func releaseCredits(of controller: ControllerID, now: Duration) {
    guard let slot = slot(of: controller) else { return }
    releaseAllCredits(slot)
    settle(now: now)
  }

  /// Sends the host a Hardware Error (Core 6.0 Vol 4 Part E 7.7.16). The host should reset the controller.
  public mutating func raiseHardwareError(_ code: UInt8 = 0x01, on controller: ControllerID, now: Duration) {
    guard let slot = slot(of: controller), controllers[slot].isPowered else { return }
    emit(.hardwareError(code), to: slot)
    settle(now: now)
  }

  /// Ends all links of a controller at once; both ends receive this reason.
  public mutating func dropLinks(
    of controller: ControllerID, reason: HCIStatus = .connectionTimeout, now: Duration
  ) {
    guard let slot = slot(of: controller) else { return }
    while !controllers[slot].state.links.isEmpty { cut(slot, 0, reason: reason, isImmediate: true, now: now) }
    settle(now: now)
  }
}
