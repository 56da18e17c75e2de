import LatchkeyBluetoothTransports
import Testing

@testable import CoreBluetooth

/// Events of connections that another manager of the host made, and requests that the host cannot fulfill yet.
@Suite(.timeLimit(.minutes(5)))
struct ConnectionEventTests {
  private func event(_ side: CentralSide) async throws -> (CBConnectionEvent, UUID) {
    try await side.log.first { event in
      if case .connectionEvent(let event, let peripheral) = event { return (event, peripheral.identifier) }
      return nil
    }
  }

  private func eventCount(_ side: CentralSide) -> Int {
    side.queue.sync {}
    return side.log.pending.count { event in
      if case .connectionEvent = event { return true }
      return false
    }
  }

  @Test("Connections of another manager are reported, by identifier and by service") func othersAreReported()
    async throws
  {
    let lab = Lab()
    let (byIdentifier, byService) = (CentralSide(lab.options), CentralSide(lab.options))
    try await byIdentifier.isPoweredOn()
    try await byService.isPoweredOn()
    try await lab.publish([Lab.characteristic("FFF1", [.read])])
    try await lab.central.isPoweredOn()
    let lamp = try await lab.central.find("Lamp")
    byIdentifier.manager.registerForConnectionEvents(options: [.peripheralUUIDs: [lamp.identifier]])
    byService.manager.registerForConnectionEvents(options: [.serviceUUIDs: [CBUUID(string: Lab.service)]])
    try await lab.central.connect(lamp)
    for side in [byIdentifier, byService] {
      #expect(try await event(side) == (.peerConnected, lamp.identifier))
    }
    lab.central.manager.cancelPeripheralConnection(lamp)
    for side in [byIdentifier, byService] {
      #expect(try await event(side) == (.peerDisconnected, lamp.identifier))
    }
  }

  @Test("Devices that no option matches are not reported, and nil ends a registration") func unmatchedAreNotReported()
    async throws
  {
    let lab = Lab()
    let (other, ended, witness) = (CentralSide(lab.options), CentralSide(lab.options), CentralSide(lab.options))
    for side in [other, ended, witness] { try await side.isPoweredOn() }
    try await lab.publish([Lab.characteristic("FFF1", [.read])])
    try await lab.central.isPoweredOn()
    let lamp = try await lab.central.find("Lamp")
    other.manager.registerForConnectionEvents(options: [
      .peripheralUUIDs: [UUID()], .serviceUUIDs: [CBUUID(string: "180D")],
    ])
    other.manager.registerForConnectionEvents(options: [.peripheralUUIDs: "no list", .serviceUUIDs: 7])
    ended.manager.registerForConnectionEvents(options: [.peripheralUUIDs: [lamp.identifier]])
    ended.manager.registerForConnectionEvents()
    witness.manager.registerForConnectionEvents(options: [.peripheralUUIDs: [lamp.identifier]])
    try await lab.central.connect(lamp)
    #expect(try await event(witness).0 == .peerConnected)
    #expect(eventCount(other) == 0)
    #expect(eventCount(ended) == 0)
    #expect(eventCount(lab.central) == 0)
  }

  @Test("A device is disconnected when the last manager has left it") func lastManagerEndsTheConnection() async throws {
    let lab = Lab()
    let (second, witness) = (CentralSide(lab.options), CentralSide(lab.options))
    let lamp = try await lab.connect([Lab.characteristic("FFF1", [.read])])
    try await witness.isPoweredOn()
    witness.manager.registerForConnectionEvents(options: [.peripheralUUIDs: [lamp.identifier]])
    try await second.isPoweredOn()
    let own = try #require(second.manager.retrievePeripherals(withIdentifiers: [lamp.identifier]).first)
    try await second.connect(own)
    lab.central.manager.cancelPeripheralConnection(lamp)
    #expect(try await lab.central.disconnection() == nil)
    #expect(eventCount(witness) == 0)
    second.dropManager()
    #expect(try await event(witness) == (.peerDisconnected, lamp.identifier))
  }

  @Test("A delegate with the older method alone reads the signal strength from the peripheral")
  func olderSignalStrength() async throws {
    final class Older: NSObject, CBPeripheralDelegate, @unchecked Sendable {
      let log = EventLog<(any Error)?>()
      func peripheralDidUpdateRSSI(_ peripheral: CBPeripheral, error: (any Error)?) { log.add(error) }
    }
    let lab = Lab()
    let lamp = try await lab.connect([Lab.characteristic("FFF1", [.read])])
    let older = Older()
    lamp.delegate = older
    lab.radio.setRSSI(-71, between: "central", and: "peripheral")
    #expect(lamp.current.withLock { $0.rssi } == nil)
    lamp.readRSSI()
    #expect(try await older.log.first { .some($0) } == nil)
    #expect(lamp.current.withLock { $0.rssi } == -71)
  }
}
