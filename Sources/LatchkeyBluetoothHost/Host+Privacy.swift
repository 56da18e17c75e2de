// Private addresses: those of bonded peers are resolved before a client hears of them (Core 6.0 Vol 3 Part C 10.7).
extension Host {
  /// A report under the address by which clients know its advertiser; nil if the address cannot be resolved now.
  mutating func identified(_ report: LEAdvertisingReport, now: Duration) -> LEAdvertisingReport? {
    guard let address = report.address else { return report }
    // The controller may still know a peer whose bond is removed.
    if report.isResolved, resolvingList.isInUse, bonds[address] == nil { return nil }
    guard !bonds.isEmpty else { return report }
    guard let peer = bonds.peer(at: address, now: now) else { return nil }
    if report.isResolved { bonds.noteResolved(peer) } else { noteUnresolved(address, of: peer, now: now) }
    // A set of advertising that takes no connections may have an address of its own. A peer that the controller has resolved
    // is reached by its identity as long as the controller does so.
    let isOnAir = !report.isResolved || resolvingList.isGivenUp
    if report.eventType.contains(.connectable), isOnAir, bonds.note(address, of: peer), !isResolvedByController(peer) {
      perform(initiator.renew(peer, now: now), now: now)
      if let identity = bonds.bond(of: peer)?.identity { perform(initiator.renew(identity, now: now), now: now) }
    }
    guard peer != address else { return report }
    var report = report
    report.address = peer
    return report
  }

  /// The address by which clients know the peer of a new link. The address of a link is always resolved.
  mutating func identified(_ event: LEConnectionComplete) -> BluetoothAddress {
    let peer = bonds.peer(at: event.peerOnAir, now: nil) ?? event.peerOnAir
    bonds.note(event.peerOnAir, of: peer)
    guard event.role == .central, let identity = bonds.bond(of: peer)?.identity else { return peer }
    let isAwaited = initiator.addresses.contains(identity) && !initiator.addresses.contains(peer)
    return isAwaited ? identity : peer
  }

  /// Excludes the other address by which clients may name a link's peer: who waits for that one connects when this link has
  /// ended, at the address that the peer has then.
  mutating func holdOtherName(of link: Link, now: Duration) {
    guard link.heldName == nil, let other = bonds.otherName(of: link.peer) else { return }
    link.heldName = other
    initiator.hold(other)
    perform(initiator.renew(other, now: now), now: now)
  }

  /// Scans while a client waits for a link to a peer whose address changes, unless the controller resolves it: an initiation
  /// of an old address would hear nothing, and pending links never expire. Where scanning costs the radio nothing, a peer
  /// that never changed its address is sought, too.
  mutating func seekPeers(now: Duration) {
    let (bonds, isFree) = (bonds, capabilities.scansWhileInitiating)
    let seeks =
      !bonds.isEmpty
      && initiator.addresses.contains { peer in
        !isResolvedByController(peer) && (isFree ? bonds.mayChangeAddress(peer) : bonds.changesAddress(peer))
      }
    guard seeks != scanner.seeksPeers else { return }
    scanner.seeksPeers = seeks
    if state == .poweredOn { adaptScanning(now: now) }
  }

  /// The address on the air of a device that clients know by an address: that of its link, else its last one.
  package func addressOnAir(of peer: BluetoothAddress) -> BluetoothAddress {
    link(to: peer)?.peerAddress ?? bonds.address(of: peer)
  }
}

// The private addresses of this host.
extension Host {
  /// The address that this host has on the air.
  package var ownAddressOnAir: BluetoothAddress { localAddress.current }

  /// When the host's next private address is due, unless it waits for an initiation to end.
  var localAddressDeadline: Duration? {
    guard state == .poweredOn, !(localAddress.awaitsInitiation && initiator.isInitiating) else { return nil }
    return localAddress.deadline
  }

  /// Changes the host's private address when it has served its time. A controller takes no address while it initiates, so
  /// that an initiation ends first and begins again under the new one.
  mutating func renewLocalAddress(now: Duration) {
    guard state == .poweredOn, localAddress.isDue(now: now) else { return }
    guard initiator.isInitiating else { return changeLocalAddress(now: now) }
    guard !localAddress.awaitsInitiation else { return }
    localAddress.awaitsInitiation = true
    perform(initiator.interrupt(now: now), now: now)
  }

  /// Gives the controller the next private address; it does not initiate now. Links retain the addresses with which they
  /// were made.
  mutating func changeLocalAddress(now: Duration) {
    guard let address = localAddress.next(random, now: now) else { return }
    whileQuiet(now: now) { host in
      host.commands.enqueue(HCILESetRandomAddress(address: address), tag: .localAddress, now: now)
    }
  }

  /// Commands what a controller refuses while it advertises or scans (Core 6.0 Vol 4 Part E 7.8.4, 7.8.38): both pause. It
  /// does not initiate now.
  mutating func whileQuiet(now: Duration, _ command: (inout Host) -> Void) {
    if scanningInController != nil { setScanning(nil, now: now) }
    let active = advertising.indices.filter { advertising[$0].phase != .off }
    for set in active { endAdvertising(in: set, now: now) }
    command(&self)
    // Scans resume in `flush`.
    for set in active { refreshAdvertising(in: set, now: now) }
  }
}
