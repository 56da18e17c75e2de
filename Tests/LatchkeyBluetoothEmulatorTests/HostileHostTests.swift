import LatchkeyBluetoothHost
import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothEmulator

@Suite("A host that sends nonsense") struct HostileHostTests {
  @Test(
    "is not answered, and its packets are counted",
    arguments: [
      "", "00", "01", "02", "03", "04", "05", "FF", "01 03", "01 03 0C", "01 03 0C 01", "01 03 0C 00 00", "02 01 00",
      "02 01 00 05 00 01", "02 01 00 00 00", "02 FF 0E 01 00 00", "02 01 30 01 00 00", "04 0E 04 01 03 0C 00",
    ])
  func dropped(_ packet: String) throws {
    let bench = RadioBench()
    let (a, b) = (bench.addReady(alice), bench.addReady(bob))
    _ = try bench.connect(a, b)
    try bench.send(packet, a)
    #expect(bench.dequeueHex(a).isEmpty && bench.dequeueHex(b).isEmpty)
    #expect(bench.radio.droppedPackets(of: a) == 1)
  }

  @Test("of 64 KiB at once gets no further") func large() throws {
    let bench = RadioBench()
    let (a, b) = (bench.addReady(alice), bench.addReady(bob))
    _ = try bench.connect(a, b)
    bench.send([0x02, 0x01, 0x00, 0xFF, 0xFF] + [UInt8](repeating: 0x55, count: 0xFFFF), a)
    #expect(bench.dequeueHex(a) == ["041a0101"])
    #expect(bench.dequeueHex(b).isEmpty)
  }

  @Test("by chance, and by bytes near the truth, traps nothing", arguments: 0..<8 as Range<UInt64>)
  func noise(_ seed: UInt64) throws {
    let bench = RadioBench(RadioConfiguration(seed: seed, timing: seed % 2 == 0 ? .instant : .paced, loss: 0.1))
    let ids = [bench.addExtended(alice), bench.addExtended(bob, advertisingSets: 3), bench.addReady(carol)]
    var random = SplitMix64(seed: seed)
    let exchanges =
      VirtualControllerCommandTests.fresh + AdvertisingSetTests.life + ExtendedScanningTests.exchanges
      + ExtendedConnectionTests.exchanges + ResolvingListTests.exchanges
    let commands = exchanges.compactMap { try? Hexadecimal.decode($0.command) }
    var packets = 0
    for _ in 0..<4000 {
      let id = ids[Int(random.next() % 3)]
      var packet: [UInt8]
      switch random.next() % 4 {
      case 0: packet = (0..<Int(random.next() % 40)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      case 1: packet = [0x02, UInt8(random.next() % 8), 0x00, 0x01, 0x00, 0x55]
      default:
        packet = commands[Int(random.next() % UInt64(commands.count))]
        if random.next() % 3 == 0 {
          packet[Int(random.next() % UInt64(packet.count))] = UInt8(truncatingIfNeeded: random.next())
        }
      }
      bench.send(packet, id)
      bench.advance(by: .milliseconds(Int64(random.next() % 30)))
      for id in ids {
        for packet in bench.dequeue(id) {
          packets += 1
          if packet.first == 0x04 { _ = try HCIEvent(decoding: packet) } else { _ = try ACLPacket(decoding: packet) }
        }
      }
    }
    #expect(packets > 1000)
    for id in ids {
      let advertisers = bench.radio.controllers[Int(id.slot)].state.advertisers
      #expect(advertisers.count <= 16)
      #expect(advertisers.allSatisfy { $0.data.bytes.count <= 1650 && $0.scanResponse.bytes.count <= 1650 })
    }
  }
}
