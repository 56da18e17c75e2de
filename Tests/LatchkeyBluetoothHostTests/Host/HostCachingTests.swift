import LatchkeyBluetoothEmulator
import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

@Suite("A host that knows a bonded peer's database") struct HostCachingTests {
  /// What a central sends on the attribute channel.
  private final class Requests {
    var pdus: [String] = []
    /// Those that await an answer.
    var count: Int { pdus.filter { !$0.hasPrefix("1e") && !$0.hasPrefix("52") }.count }

    func watch(_ actor: Actor) {
      actor.simulation.watchPackets(of: actor.node) { [self] packet in
        guard packet.count > 9, packet[0] == 0x02, packet[7] == 4, packet[8] == 0 else { return }
        pdus.append(Hexadecimal.encode(packet.dropFirst(9)))
      }
    }
  }

  /// A couple that is bonded, and has discovered everything on an encrypted link, which has ended.
  private func discovered(_ requests: Requests = Requests()) throws -> PairingCouple {
    let couple = try PairingCouple()
    #expect(couple.read(couple.secret)?.value == [0x51])
    couple.disconnect()
    requests.watch(couple.central)
    try couple.connect()
    #expect(try value(couple) == [0x51])
    couple.disconnect()
    requests.pdus = []
    return couple
  }

  /// Discovers the way an app does, down to the protected value.
  private func value(_ couple: PairingCouple) throws -> [UInt8]? {
    guard case .services(let services) = couple.central.run(.discoverServices([0xFFD0]), couple.app, couple.link),
      let service = services.first,
      case .characteristics(let found) = couple.central.run(
        .discoverCharacteristics(service.range), couple.app, couple.link),
      let characteristic = found.first(where: { $0.uuid == 0xFFD2 })
    else { return nil }
    return couple.read(characteristic.valueHandle)?.value
  }

  private func isKnown(_ couple: PairingCouple) -> Bool {
    couple.central.with { host, _ in host.databases[couple.peripheral.address] } != nil
  }

  @Test("reads the first value of a reconnection in three round trips") func threeRoundTrips() throws {
    let requests = Requests()
    let couple = try discovered(requests)
    try couple.connect()
    #expect(try value(couple) == [0x51])
    // ATT_MTU, the hash, the value.
    let handle = Hexadecimal.encode([UInt8(couple.secret & 0xFF), UInt8(couple.secret >> 8)])
    #expect(requests.pdus == ["020502", "080100ffff2a2b", "0a\(handle)"])
    #expect(couple.pairings(couple.central) == [])
  }

  @Test("does so with a peer that reads and indicates at the same time, and an app that asks for all at once")
  func busy() throws {
    let requests = Requests()
    let couple = try discovered(requests)
    try couple.connect()
    couple.central.submit(.readFirst(0x2A00, .all), couple.app, couple.link)
    couple.central.submit(.listenForServiceChanges, couple.app, couple.link)
    #expect(try value(couple) == [0x51])
    #expect(requests.count < 12)
    #expect(!requests.pdus.contains { $0.hasPrefix("10") })
  }

  @Test("discovers anew after the database changed between two links, or on one") func changed() throws {
    let requests = Requests()
    let couple = try discovered(requests)
    // A service more, and the known one elsewhere.
    let old = couple.peripheral.with { host, _ in host.database.services(of: couple.device) }
    couple.peripheral.with { host, now in
      for range in old { host.removeService(at: range, client: couple.device, now: now) }
    }
    _ = try couple.peripheral.publish(couple.device, uuid: 0xFFE0)
    let handles = try PairingCouple.publish(couple.peripheral, couple.device)
    #expect(handles[1] != couple.secret)
    try couple.connect()
    #expect(try value(couple) == [0x51])
    #expect(requests.pdus.contains { $0.hasPrefix("06") })
    couple.disconnect()
    // And knows the new one.
    requests.pdus = []
    try couple.connect()
    #expect(try value(couple) == [0x51])
    #expect(requests.count == 3)
    // On the link, by Service Changed.
    #expect(couple.central.run(.listenForServiceChanges, couple.app, couple.link)?.isWritten == true)
    couple.central.clearLog()
    _ = try couple.peripheral.publish(couple.device, uuid: 0xFFE1)
    #expect(couple.central.heard(couple.app).contains { $0.hasPrefix("changed") })
    guard case .services(let found) = couple.central.run(.discoverServices([0xFFE1]), couple.app, couple.link) else {
      Issue.record("no services")
      return
    }
    #expect(found.count == 1)
  }

  @Test("hears of a change between two links before anything is asked, if the peer tells") func told() throws {
    let couple = try PairingCouple()
    #expect(couple.read(couple.secret)?.value == [0x51])
    #expect(couple.central.run(.listenForServiceChanges, couple.app, couple.link)?.isWritten == true)
    couple.disconnect()
    try couple.connect()
    #expect(couple.central.run(.listenForServiceChanges, couple.app, couple.link)?.isWritten == true)
    couple.disconnect()
    _ = try couple.peripheral.publish(couple.device, uuid: 0xFFE0)
    try couple.connect()
    couple.stage.advance(.seconds(1))
    #expect(couple.central.heard(couple.app).contains("changed 1-65535"))
    #expect(try value(couple) == [0x51])
  }

  @Test("forgets it with the bond, and with a new pairing") func forgets() throws {
    let requests = Requests()
    let couple = try discovered(requests)
    #expect(isKnown(couple))
    let peer = couple.peripheral.address
    _ = couple.central.with { host, now in host.removeBond(with: peer, now: now) }
    #expect(!isKnown(couple))
    try couple.connect()
    #expect(try value(couple) == [0x51])
    #expect(requests.pdus.contains { $0.hasPrefix("06") })
    // What it discovered before the pairing is not kept, since no hash was read.
    couple.disconnect()
    requests.pdus = []
    try couple.connect()
    #expect(try value(couple) == [0x51])
    #expect(requests.pdus.contains { $0.hasPrefix("06") })
  }

  @Test("keeps nothing of a peer that is not bonded") func notBonded() throws {
    let requests = Requests()
    let couple = try PairingCouple(nil, nil, guards: false)
    requests.watch(couple.central)
    #expect(try value(couple) == [0x51])
    couple.disconnect()
    #expect(!isKnown(couple))
    requests.pdus = []
    try couple.connect()
    #expect(try value(couple) == [0x51])
    #expect(!requests.pdus.contains { $0.hasSuffix("2a2b") } && requests.count > 3)
  }

  @Test("uses nothing on a link that is not encrypted") func inClear() throws {
    let couple = try discovered()
    let address = couple.central.address
    _ = couple.peripheral.with { host, now in host.removeBond(with: address, now: now) }
    try couple.connect()
    let outcome = couple.central.run(.discoverServices([0xFFD0]), couple.app, couple.link)
    #expect(outcome?.failure == .keyMissing)
    // It is there for a link that is.
    couple.disconnect()
    #expect(isKnown(couple))
  }

  @Test("knows after a link that ended before the hash was read what it knew before") func endedEarly() throws {
    let requests = Requests()
    let couple = try discovered(requests)
    for _ in 0..<3 {
      try couple.connect()
      couple.disconnect()
    }
    requests.pdus = []
    try couple.connect()
    #expect(try value(couple) == [0x51])
    #expect(requests.count == 3)
  }

  @Test("survives a hash that lies: the app hears that services changed, and discovers the new ones") func lie() throws
  {
    let couple = try discovered()
    // The peer's database is another one under the same hash.
    let old = couple.peripheral.with { host, _ in host.database.services(of: couple.device) }
    let hash = couple.peripheral.with { host, _ in host.database.hash }
    couple.peripheral.with { host, now in
      for range in old { host.removeService(at: range, client: couple.device, now: now) }
      host.database.lie(hash)
    }
    try couple.connect()
    #expect(try value(couple) == nil)
    #expect(couple.central.heard(couple.app).contains("changed 1-65535"))
    guard case .services(let found) = couple.central.run(.discoverServices([0xFFD0]), couple.app, couple.link) else {
      Issue.record("no services")
      return
    }
    #expect(found.isEmpty)
  }

  @Test("shares what is known among its clients") func clients() throws {
    let requests = Requests()
    let couple = try discovered(requests)
    let second = couple.central.addClient()
    try couple.connect()
    couple.central.connect(second, to: couple.peripheral)
    #expect(try value(couple) == [0x51])
    requests.pdus = []
    guard case .services(let found) = couple.central.run(.discoverServices([0xFFD0]), second, couple.link) else {
      Issue.record("no services")
      return
    }
    #expect(found.count == 1 && requests.pdus.isEmpty)
  }
}

extension GATTDatabase {
  /// Serves this hash, whatever the attributes are.
  fileprivate mutating func lie(_ hash: DatabaseHash) {
    for index in attributes.indices where attributes[index].type == AttributeType.databaseHash {
      attributes[index].content = .fixed(hash.bytes)
    }
  }
}
