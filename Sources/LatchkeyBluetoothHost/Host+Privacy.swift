// Private addresses: those of bonded peers are resolved before a client hears of them (Core 6.0 Vol 3 Part C 10.7).
extension Host {
  /// A report under the address by which clients know its advertiser; nil if the address cannot be resolved now.
  mutating func identified(_ report: LEAdvertisingReport, now: Duration) -> LEAdvertisingReport? {
    guard !bonds.isEmpty, let address = report.address else { return report }
    guard let peer = bonds.peer(at: address, now: now) else { return nil }
    // A set of advertising that takes no connections may have an address of its own.
    if report.eventType.contains(.connectable), bonds.note(address, of: peer) {
      perform(initiator.renew(peer, now: now), now: now)
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
    return peer
  }

  /// Scans while a client waits for a link to a peer whose address changes: an initiation of an old address would hear
  /// nothing, and pending links never expire. Where scanning costs the radio nothing, a peer that never changed its address
  /// is sought, too.
  mutating func seekPeers(now: Duration) {
    let (bonds, isFree) = (bonds, capabilities.scansWhileInitiating)
    let seeks =
      !bonds.isEmpty
      && initiator.addresses.contains { isFree ? bonds.mayChangeAddress($0) : bonds.changesAddress($0) }
    guard seeks != scanner.seeksPeers else { return }
    scanner.seeksPeers = seeks
    if state == .poweredOn { adaptScanning(now: now) }
  }

  /// The address on the air of a device that clients know by an address: that of its link, else its last one.
  package func addressOnAir(of peer: BluetoothAddress) -> BluetoothAddress {
    link(to: peer)?.peerAddress ?? bonds.address(of: peer)
  }
}
