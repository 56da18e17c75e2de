import LatchkeyBluetoothEmulator
import Testing

@testable import LatchkeyBluetoothHost

/// A client may know a device by its identity address, before the device pairs under a private one, by which all others
/// know it then (Core 6.0 Vol 3 Part C 10.7).
@Suite("A bonded peer with two names") struct HostTwoNamesTests {
  /// A couple with private addresses that is connected, and a second client of the central.
  private func couple(_ hasList: Bool) throws -> (couple: PairingCouple, waiter: ClientID) {
    let couple = try PairingCouple(
      .make(secure: true), .make(secure: true), identities: (PairingIdentity.of(1), PairingIdentity.of(2)),
      isPrivate: true, controller: hasList ? .withPrivacy() : ControllerConfiguration())
    return (couple, couple.central.addClient())
  }

  /// Pairs over the private address of now. Returns the name by which the peer is known then.
  private func pair(_ couple: PairingCouple) throws -> BluetoothAddress {
    #expect(couple.read(couple.secret)?.value == [0x51])
    let known = try #require(couple.bond(couple.central)?.knownAddress)
    #expect(known.isResolvable && known != couple.peripheral.address)
    return known
  }

  private func connect(_ client: ClientID, to name: BluetoothAddress, _ couple: PairingCouple) {
    couple.central.with { host, now in _ = host.connect(client, to: name, now: now) }
  }

  private func disconnect(_ client: ClientID, from name: BluetoothAddress, _ couple: PairingCouple) {
    couple.central.with { host, now in _ = host.disconnect(client, from: name, now: now) }
  }

  /// What a client heard of connections.
  private func heard(_ client: ClientID, _ couple: PairingCouple) -> [String] {
    couple.central.heard(client).filter { $0.contains("connected") || $0.hasPrefix("failed") }
  }

  /// Expects a client to get a link to the peer's identity, on which the bond's key encrypts.
  private func expectLink(_ client: ClientID, _ couple: PairingCouple) throws {
    couple.stage.wait { couple.central.link(client) != nil }
    let link = try #require(couple.central.link(client))
    #expect(heard(client, couple) == ["connected 2 as central"])
    let pairings = couple.pairings(couple.central)
    #expect(couple.central.run(.read(couple.secret), client, link)?.value == [0x51])
    #expect(couple.pairings(couple.central) == pairings)
  }

  @Test(
    "is connected to by who waited for its identity when it paired, as soon as it is free", arguments: [false, true])
  func waited(_ hasList: Bool) throws {
    let (couple, waiter) = try couple(hasList)
    connect(waiter, to: couple.peripheral.address, couple)
    let known = try pair(couple)
    couple.stage.advance(.seconds(30))
    #expect(heard(waiter, couple) == [])
    disconnect(couple.app, from: known, couple)
    try expectLink(waiter, couple)
  }

  @Test("is connected to by its identity under the private addresses that it has later", arguments: [false, true])
  func laterAddress(_ hasList: Bool) throws {
    let (couple, waiter) = try couple(hasList)
    _ = try pair(couple)
    couple.disconnect()
    couple.peripheral.stopAdvertising(couple.device)
    connect(waiter, to: couple.peripheral.address, couple)
    // A private address lasts for 15 minutes.
    let old = couple.peripheral.onAir
    couple.stage.advance(.seconds(2000))
    #expect(couple.peripheral.onAir != old)
    #expect(heard(waiter, couple) == [])
    couple.peripheral.advertise(couple.device)
    try expectLink(waiter, couple)
  }

  /// Counts the commands to initiate, legacy and extended.
  private final class Initiations {
    var count = 0

    func watch(_ actor: Actor) {
      actor.simulation.watchPackets(of: actor.node) { [self] packet in
        if packet.starts(with: [0x01, 0x0D, 0x20]) || packet.starts(with: [0x01, 0x43, 0x20]) { count += 1 }
      }
    }
  }

  @Test("has one link: who names it otherwise waits for its end, and gets no failure", arguments: [false, true])
  func bothNames(_ hasList: Bool) throws {
    let (couple, waiter) = try couple(hasList)
    let known = try pair(couple)
    couple.disconnect()
    couple.central.clearLog()
    let initiations = Initiations()
    initiations.watch(couple.central)
    connect(couple.app, to: known, couple)
    connect(waiter, to: couple.peripheral.address, couple)
    couple.stage.wait { couple.central.link(couple.app) != nil }
    couple.stage.advance(.seconds(60))
    #expect(heard(waiter, couple) == [])
    // For the first name, and for both; not for a device that is connected.
    #expect(initiations.count <= 2)
    disconnect(couple.app, from: known, couple)
    try expectLink(waiter, couple)
    // And the other way round.
    couple.central.clearLog()
    connect(couple.app, to: known, couple)
    couple.stage.advance(.seconds(60))
    #expect(heard(couple.app, couple) == [])
    disconnect(waiter, from: couple.peripheral.address, couple)
    couple.stage.wait { couple.central.link(couple.app) != nil }
    #expect(couple.central.with { host, _ in host.links.map(\.peer) } == [known])
  }

  @Test("keeps its name where it pairs anew on a link to its identity", arguments: [false, true]) func newPairing(
    _ hasList: Bool
  ) throws {
    let (couple, waiter) = try couple(hasList)
    let known = try pair(couple)
    couple.disconnect()
    let own = try #require(couple.bond(couple.central))
    couple.central.clearLog()
    connect(waiter, to: couple.peripheral.address, couple)
    try expectLink(waiter, couple)
    let bond = couple.central.with { host, _ -> Bond? in
      guard let link = host.links.first else { return nil }
      var new = own
      new.knownAddress = link.peer
      return host.bonds.proven(new, on: link, after: own)
    }
    #expect(bond?.knownAddress == known && bond?.identity == couple.peripheral.address)
  }
}
