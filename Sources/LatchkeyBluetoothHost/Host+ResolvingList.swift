// The controller's resolving list, kept in step with the bonds (Core 6.0 Vol 4 Part E 7.8.38 to 7.8.44, 7.8.77).
extension Host {
  /// Whether the controller resolves the addresses of a peer, so that an initiation names its identity.
  func isResolvedByController(_ peer: BluetoothAddress) -> Bool {
    bonds.bond(of: peer).map { resolvingList.contains($0.identity) } ?? false
  }

  /// The address by which an initiation names a peer.
  func initiatedAddress(of peer: BluetoothAddress) -> BluetoothAddress {
    guard let bond = bonds.bond(of: peer), resolvingList.contains(bond.identity) else { return bonds.address(of: peer) }
    return bond.identity
  }

  /// Handles that a client wants a link to a peer, or has one: the list has those that are used.
  mutating func notePeerUse(_ peer: BluetoothAddress) {
    if let bond = bonds.bond(of: peer), bond.peerResolvingKey != nil { resolvingList.use(bond.identity) }
  }

  // MARK: Changes

  /// Brings the list in step with the bonds. It does not change while the controller initiates, so that an initiation ends
  /// first and begins again.
  mutating func updateResolvingList(now: Duration) {
    guard state == .poweredOn, resolvingList.isStale else { return }
    if initiator.isInitiating, resolvingList.awaitsInitiation { return }
    guard initiator.isInitiating, !resolvingList.changes(for: bonds.resolvablePeers).isEmpty else {
      return changeResolvingList(now: now)
    }
    resolvingList.awaitsInitiation = true
    perform(initiator.interrupt(now: now), now: now)
  }

  /// Commands what has changed; the controller does not initiate now.
  mutating func changeResolvingList(now: Duration) {
    let changes = resolvingList.update(for: bonds.resolvablePeers)
    guard !changes.isEmpty else { return }
    whileQuiet(now: now) { host in
      for change in changes { host.command(change, now: now) }
    }
    seekPeers(now: now)
  }

  private mutating func command(_ change: ControllerResolvingList.Change, now: Duration) {
    switch change {
    case .remove(let identity):
      commands.enqueue(
        HCILERemoveDeviceFromResolvingList(identity: identity), tag: .resolvingList(nil), now: now)
    case .add(let identity, let key):
      // Directed advertising names this host by its private address.
      let local = configuration.usesPrivateAddresses ? configuration.identity?.resolvingKey : nil
      commands.enqueue(
        HCILEAddDeviceToResolvingList(
          identity: identity, peerResolvingKey: key, localResolvingKey: local ?? .zero),
        tag: .resolvingList(identity), now: now)
      // A peer may have its identity address on the air before it knows this host.
      commands.enqueue(
        HCILESetPrivacyMode(identity: identity, mode: .device), tag: .resolvingList(identity), now: now)
    case .enable(let isEnabled):
      // Whether a controller that was given up still resolves is of no account.
      commands.enqueue(
        HCILESetAddressResolutionEnable(isEnabled: isEnabled), tag: isEnabled ? .resolvingList(nil) : .ignored, now: now
      )
    }
  }

  // MARK: Answers

  /// Handles the reply to a command, which concerns a peer's entry or the whole list.
  mutating func resolvingListAnswered(_ failure: HCIStatus?, of identity: BluetoothAddress?, now: Duration) {
    guard let failure else { return resolvingList.performed(now: now) }
    if resolvingList.isGivenUp { return }
    if let identity {
      // The entry was refused before.
      guard resolvingList.contains(identity) else { return }
      if failure == .memoryCapacityExceeded, resolvingList.overflowed(by: identity) {
        return perform(initiator.interrupt(now: now), now: now)
      }
    }
    giveUpResolvingList(now: now)
  }

  /// Resolves all addresses in the host from now on: initiations begin anew under the addresses on the air.
  private mutating func giveUpResolvingList(now: Duration) {
    _ = commands.removeWaiting(now: now) { tag in
      if case .resolvingList = tag { true } else { false }
    }
    resolvingList.giveUp()
    perform(initiator.interrupt(now: now), now: now)
  }

  /// Handles an address of a peer that the controller did not resolve, and that the host has. Some controllers accept the
  /// list and do not use it.
  mutating func noteUnresolved(_ address: BluetoothAddress, of peer: BluetoothAddress, now: Duration) {
    guard address.isResolvable, let identity = bonds.bond(of: peer)?.identity, identity != address,
      resolvingList.shouldHaveResolved(identity, now: now)
    else { return }
    giveUpResolvingList(now: now)
  }
}
