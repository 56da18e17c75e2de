import LatchkeyBluetoothEmulator
import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

/// Core 6.0 Vol 6 Part B 6, with both ends real. What clients see is the same as without (`HostPrivacyTests`,
/// `HostTwoNamesTests`); here is what the controller is commanded.
@Suite("A host whose controller has a resolving list") struct HostResolvingListTests {
  /// The commands that a host gives its controller from now on.
  private final class Commands {
    private var packets: [[UInt8]] = []

    init(of actor: Actor) {
      actor.simulation.watchPackets(of: actor.node) { [self] packet in
        if packet.first == 0x01 { packets.append(packet) }
      }
    }

    /// How often scanning was started.
    var scans: Int { packets.count { $0.starts(with: [0x01, 0x0C, 0x20, 0x02, 0x01]) } }

    /// Commands of the resolving list, and of resolution: the last byte of the opcode, and what follows but for keys.
    var ofList: [String] {
      packets.compactMap { packet in
        guard packet.count > 4, packet[2] == 0x20, [0x27, 0x28, 0x29, 0x2D, 0x4E].contains(packet[1]) else {
          return nil
        }
        return Hexadecimal.encode([packet[1]]) + ":" + Hexadecimal.encode(Array(packet.dropFirst(4).prefix(8)))
      }
    }

    func all(_ opcode: UInt8) -> [[UInt8]] { packets.filter { $0.starts(with: [0x01, opcode, 0x20]) } }

    /// The last bytes of the opcodes, in order.
    var opcodes: [UInt8] { packets.filter { $0[2] == 0x20 }.map { $0[1] } }

    func clear() { packets = [] }
  }

  /// A couple with a bond, not connected, and without a word on the air.
  private func bonded(
    _ controller: ControllerConfiguration = .withPrivacy(), faults: ControllerFaults = ControllerFaults()
  ) throws -> PairingCouple {
    let couple = try PairingCouple(
      .make(), .make(), identities: (PairingIdentity.of(1), PairingIdentity.of(2)), controller: controller,
      faults: faults)
    #expect(couple.read(couple.secret)?.value == [0x51])
    couple.disconnect()
    couple.stage.advance(ControllerResolvingList.delay)
    couple.peripheral.stopAdvertising(couple.device)
    couple.central.clearLog()
    couple.peripheral.clearLog()
    return couple
  }

  private func advertise(_ actor: Actor, _ client: ClientID, _ address: BluetoothAddress) {
    actor.stopAdvertising(client)
    actor.change(to: address)
    actor.advertise(client)
  }

  /// A device with an IRK, whose bond the central has from earlier.
  private func addDevice(_ number: UInt64, _ couple: PairingCouple) throws -> (actor: Actor, client: ClientID) {
    let actor = couple.stage.addActor(number)
    var bond = Bond(identity: .staticRandom(number), isPersistent: true)
    bond.peerResolvingKey = try PairingIdentity.of(number).resolvingKey
    addBond(bond, couple)
    return (actor, actor.addClient())
  }

  private func addBond(_ bond: Bond, _ couple: PairingCouple) {
    couple.central.with { host, now in
      let isAdded = host.addBond(bond)
      #expect(isAdded)
      host.handleTimeout(now: now)
    }
  }

  private func expectLink(_ couple: PairingCouple) throws {
    couple.stage.wait { couple.central.link(couple.app) != nil }
    let link = try #require(couple.central.link(couple.app))
    #expect(couple.central.heard(couple.app).first == "connected 2 as central")
    #expect(couple.central.run(.read(couple.secret), couple.app, link)?.value == [0x51])
    #expect(couple.pairings(couple.central) == [])
  }

  // MARK: What it is for

  @Test("waits without a scan for a bonded peer, whatever address that comes back under") func waiting() throws {
    let couple = try bonded()
    for number in 1...3 as ClosedRange<UInt32> {
      let commands = Commands(of: couple.central)
      couple.central.connect(couple.app, to: couple.peripheral)
      couple.stage.advance(.seconds(3600))
      #expect(!couple.central.with { host, _ in host.scanner.isActive })
      let address = try PairingIdentity.of(2).address(number)
      advertise(couple.peripheral, couple.device, address)
      try expectLink(couple)
      #expect(commands.scans == 0 && commands.all(0x0D).count == 1)
      #expect(couple.central.with { host, _ in host.links.first?.peerAddress } == address)
      couple.disconnect()
      couple.peripheral.stopAdvertising(couple.device)
      couple.central.clearLog()
    }
  }

  @Test("hears a bonded peer under its identity address, too") func identityAddress() throws {
    let couple = try bonded()
    couple.central.startScan(couple.app)
    advertise(couple.peripheral, couple.device, couple.peripheral.address)
    couple.stage.advance(.seconds(2))
    #expect(couple.central.heard(couple.app) == ["found 2 Lamp"])
    couple.central.clearLog()
    couple.central.connect(couple.app, to: couple.peripheral)
    try expectLink(couple)
  }

  @Test("connects to several waiting peers by the controller's lists, and two managers get theirs") func managers()
    throws
  {
    let couple = try bonded()
    let other = couple.central.addClient()
    let (third, device) = try addDevice(3, couple)
    let commands = Commands(of: couple.central)
    couple.central.connect(couple.app, to: couple.peripheral)
    couple.central.connect(other, to: couple.peripheral)
    couple.central.connect(other, to: third)
    couple.stage.advance(.seconds(100))
    try advertise(third, device, PairingIdentity.of(3).address(7))
    try advertise(couple.peripheral, couple.device, PairingIdentity.of(2).address(7))
    couple.stage.wait { couple.central.heard(other).count { $0.hasPrefix("connected") } == 2 }
    #expect(couple.central.heard(couple.app).filter { $0.contains("connected") } == ["connected 2 as central"])
    #expect(Set(couple.central.heard(other)) == ["connected 2 as central", "connected 3 as central"])
    #expect(commands.scans == 0)
  }

  // MARK: In step with the bonds

  @Test("adds a bonded peer with its key, for device privacy, and removes it with the bond") func inStep() throws {
    let couple = try PairingCouple(
      .make(), .make(), identities: (PairingIdentity.of(1), PairingIdentity.of(2)), controller: .withPrivacy())
    let commands = Commands(of: couple.central)
    // What waited for the pairing does not wait for the list.
    #expect(couple.read(couple.secret)?.value == [0x51])
    #expect(commands.ofList == [])
    couple.stage.advance(ControllerResolvingList.delay)
    #expect(commands.ofList == ["27:010200000000c002", "4e:010200000000c001", "2d:01"])
    let key = try PairingIdentity.of(2).resolvingKey.exposedBytes
    #expect(commands.all(0x27).map { Array($0.dropFirst(11)) } == [key + Array(repeating: 0, count: 16)])
    commands.clear()
    couple.central.with { host, now in _ = host.removeBond(with: .staticRandom(2), now: now) }
    #expect(commands.ofList == ["28:010200000000c0"])
  }

  @Test("adds a peer at once whose connection is awaited right after the pairing") func reconnectionAtOnce() throws {
    let couple = try PairingCouple(
      .make(), .make(), identities: (PairingIdentity.of(1), PairingIdentity.of(2)), controller: .withPrivacy())
    #expect(couple.read(couple.secret)?.value == [0x51])
    couple.disconnect()
    couple.peripheral.stopAdvertising(couple.device)
    let commands = Commands(of: couple.central)
    couple.central.connect(couple.app, to: couple.peripheral)
    #expect(commands.ofList.map { $0.prefix(3) } == ["27:", "4e:", "2d:"])
    #expect(commands.opcodes.last == 0x0D && commands.scans == 0)
    couple.stage.advance(.seconds(2))
    #expect(commands.ofList.count == 3)
  }

  @Test("pauses all that is on while the list changes, and goes on with it") func pauses() throws {
    let couple = try bonded()
    let (absent, late) = (couple.stage.addActor(8), couple.stage.addActor(9))
    let watcher = absent.addClient()
    couple.central.advertise(couple.app, name: "Hub")
    couple.central.startScan(couple.app)
    couple.central.connect(couple.app, to: late)
    couple.stage.advance(.seconds(2))
    couple.central.clearLog()
    let commands = Commands(of: couple.central)
    _ = try addDevice(3, couple)
    // The initiation ends, then all else; the list changes; all begin again, but for what nobody wants.
    #expect(commands.opcodes == [0x0E, 0x0C, 0x0A, 0x27, 0x4E, 0x06, 0x08, 0x09, 0x0A, 0x0D, 0x0B, 0x0C])
    #expect(couple.central.heard(couple.app) == [])
    absent.startScan(watcher)
    late.advertise(late.addClient(), name: "Late")
    couple.stage.wait { couple.central.count(couple.app, "connected 9 as central") == 1 }
    couple.stage.advance(.seconds(2))
    #expect(couple.central.count(couple.app, "found 9 Late") == 1)
    #expect(absent.heard(watcher).contains("found 1 Hub"))
  }

  @Test("fills the list again after a reset") func restart() throws {
    let couple = try bonded()
    let commands = Commands(of: couple.central)
    couple.stage.simulation.setPowered(false, couple.central.node)
    couple.stage.simulation.setPowered(true, couple.central.node)
    #expect(commands.ofList.suffix(3).map { $0.prefix(3) } == ["27:", "4e:", "2d:"])
    couple.central.connect(couple.app, to: couple.peripheral)
    couple.stage.advance(.seconds(60))
    try advertise(couple.peripheral, couple.device, PairingIdentity.of(2).address(5))
    couple.stage.wait { couple.central.link(couple.app) != nil }
    #expect(commands.scans == 0)
  }

  @Test("has in a full list the peers that were used last, and finds the others itself") func full() throws {
    let couple = try bonded(.withPrivacy(size: 1))
    let commands = Commands(of: couple.central)
    let (third, device) = try addDevice(3, couple)
    #expect(commands.ofList == [])
    couple.central.connect(couple.app, to: third)
    #expect(commands.ofList.map { $0.prefix(5) } == ["28:01", "27:01", "4e:01"])
    couple.stage.advance(.seconds(100))
    #expect(commands.scans == 0)
    couple.central.connect(couple.app, to: couple.peripheral)
    couple.stage.advance(.seconds(100))
    #expect(commands.ofList.count == 6 && commands.scans > 0)
    // Each is connected to, the one in the list and the one beyond it.
    try advertise(third, device, PairingIdentity.of(3).address(4))
    couple.stage.wait { couple.central.count(couple.app, "connected 3 as central") == 1 }
    couple.central.clearLog()
    try advertise(couple.peripheral, couple.device, PairingIdentity.of(2).address(4))
    try expectLink(couple)
    #expect(!couple.central.with { host, _ in host.scanner.isActive })
  }

  // MARK: Controllers without

  @Test("resolves addresses itself where the controller cannot") func without() throws {
    let couple = try bonded(ControllerConfiguration())
    let commands = Commands(of: couple.central)
    couple.central.connect(couple.app, to: couple.peripheral)
    couple.stage.advance(.seconds(10))
    try advertise(couple.peripheral, couple.device, PairingIdentity.of(2).address(6))
    try expectLink(couple)
    #expect(commands.ofList == [] && commands.scans > 0)
  }

  @Test(
    "resolves addresses itself where the controller refuses a command, or does not answer it",
    arguments: [0x2027, 0x202A, 0x202D, 0x204E] as [UInt16],
    [HCIStatus.commandDisallowed, .invalidParameters, .memoryCapacityExceeded, nil])
  func refused(_ opcode: UInt16, _ status: HCIStatus?) throws {
    var faults = ControllerFaults()
    if let status { faults.refusedCommands = [opcode: status] } else { faults.silentCommands = [opcode] }
    let couple = try bonded(faults: faults)
    couple.stage.advance(.seconds(10))
    let commands = Commands(of: couple.central)
    couple.central.connect(couple.app, to: couple.peripheral)
    couple.stage.advance(.seconds(60))
    try advertise(couple.peripheral, couple.device, PairingIdentity.of(2).address(6))
    try expectLink(couple)
    // The faults begin after the first start: the size is read in the next one.
    #expect(commands.scans > 0 && commands.all(0x27).isEmpty || opcode == 0x202A)
    couple.central.clearLog()
    couple.stage.simulation.setPowered(false, couple.central.node)
    couple.stage.simulation.setPowered(true, couple.central.node)
    couple.stage.wait { couple.central.with { host, _ in host.state } == .poweredOn }
    couple.stage.advance(.seconds(10))
    couple.central.clearLog()
    let later = Commands(of: couple.central)
    couple.central.connect(couple.app, to: couple.peripheral)
    try advertise(couple.peripheral, couple.device, PairingIdentity.of(2).address(8))
    try expectLink(couple)
    #expect(later.scans > 0 && later.all(0x27).isEmpty)
  }

  @Test(
    "turns resolution off where the controller refuses a later entry, and connects all the same",
    arguments: [0x2027, 0x204E] as [UInt16])
  func refusedLater(_ opcode: UInt16) throws {
    let couple = try bonded()
    couple.central.connect(couple.app, to: couple.peripheral)
    couple.stage.advance(.seconds(10))
    var faults = ControllerFaults()
    faults.refusedCommands = [opcode: .unspecifiedError]
    couple.central.setFaults(faults)
    let commands = Commands(of: couple.central)
    let (third, device) = try addDevice(3, couple)
    couple.central.connect(couple.app, to: third)
    couple.stage.advance(.seconds(10))
    #expect(commands.ofList.last == "2d:00")
    try advertise(third, device, PairingIdentity.of(3).address(4))
    couple.stage.wait { couple.central.count(couple.app, "connected 3 as central") == 1 }
    couple.central.clearLog()
    try advertise(couple.peripheral, couple.device, PairingIdentity.of(2).address(4))
    try expectLink(couple)
  }

  @Test("turns resolution off where the controller refuses to remove an entry") func refusedRemoval() throws {
    let couple = try bonded()
    _ = try addDevice(3, couple)
    couple.central.connect(couple.app, to: couple.peripheral)
    var faults = ControllerFaults()
    faults.silentCommands = [0x2028]
    couple.central.setFaults(faults)
    let commands = Commands(of: couple.central)
    couple.central.with { host, now in _ = host.removeBond(with: .staticRandom(3), now: now) }
    couple.stage.advance(.seconds(10))
    #expect(commands.ofList == ["28:010300000000c0", "2d:00"])
    try advertise(couple.peripheral, couple.device, PairingIdentity.of(2).address(4))
    try expectLink(couple)
  }

  @Test("holds fewer peers where the controller has less room than it says") func overflow() throws {
    let couple = try bonded()
    var faults = ControllerFaults()
    faults.refusedCommands = [0x2027: .memoryCapacityExceeded]
    couple.central.setFaults(faults)
    let (third, device) = try addDevice(3, couple)
    let commands = Commands(of: couple.central)
    couple.central.connect(couple.app, to: couple.peripheral)
    couple.stage.advance(.seconds(10))
    #expect(commands.scans == 0)
    #expect(couple.central.with { host, _ in host.resolvingList.capacity } == 1)
    couple.central.setFaults(ControllerFaults())
    couple.central.connect(couple.app, to: third)
    couple.stage.advance(.seconds(10))
    try advertise(third, device, PairingIdentity.of(3).address(4))
    couple.stage.wait { couple.central.count(couple.app, "connected 3 as central") == 1 }
    couple.central.clearLog()
    try advertise(couple.peripheral, couple.device, PairingIdentity.of(2).address(4))
    try expectLink(couple)
  }

  @Test("gives up a list that resolves nothing, and connects to the address on the air") func unused() throws {
    let couple = try bonded()
    couple.central.connect(couple.app, to: couple.peripheral)
    couple.stage.advance(.seconds(10))
    let commands = Commands(of: couple.central)
    // The controller reports a private address of a peer in its list as it is.
    let address = try PairingIdentity.of(2).address(4)
    let report = LEAdvertisingReport(eventType: [.legacy, .connectable], address: address, rssi: -40, data: [])
    couple.central.with { host, now in
      host.receive(HCIEvent.le(.advertisingReports([report])).encode(), now: now)
    }
    #expect(commands.ofList == ["2d:00"])
    var writer = ByteWriter()
    writer.typedAddress(address)
    #expect(commands.all(0x0D).last.map { Array($0.dropFirst(9).prefix(7)) } == writer.bytes)
    advertise(couple.peripheral, couple.device, address)
    try expectLink(couple)
  }

  @Test("drops reports of a peer whose bond was removed while they were on their way") func lateReports() throws {
    let couple = try bonded()
    couple.central.startScan(couple.app)
    couple.central.with { host, now in _ = host.removeBond(with: .staticRandom(2), now: now) }
    let report = LEAdvertisingReport(
      eventType: [.legacy, .connectable], address: .staticRandom(2), isResolved: true, rssi: -40, data: [])
    couple.central.with { host, now in
      host.receive(HCIEvent.le(.advertisingReports([report])).encode(), now: now)
    }
    #expect(couple.central.heard(couple.app) == [])
    #expect(couple.central.with { host, _ in host.ignored.reports } == 1)
  }
}
