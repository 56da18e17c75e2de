import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

/// Every procedure of the client, answered well and badly. Named after the qualification tests where there is
/// one; `Qualification` holds those one by one.
@Suite struct GATTProcedureTests {
  private static let wide = "ffeeddccbbaa99887766554433221100"
  private static let wideText = "00112233-4455-6677-8899-AABBCCDDEEFF"

  private func play(_ transcript: String, mtu: Int = 23, _ location: SourceLocation = #_sourceLocation) throws {
    var bench = GATTClientBench(mtu: mtu)
    try bench.play(transcript, location)
  }

  // MARK: Services

  @Test("GAD/CL/BV-01 all primary services") func services() throws {
    try play(
      """
      + services
      < 10 0100 ffff 0028
      > 11 06 0100 0500 0018 0600 0900 0118
      < 10 0a00 ffff 0028
      > 11 14 1b00 1f00 \(Self.wide)
      < 10 2000 ffff 0028
      > 01 10 2000 0a
      = 1 0001-0005 1800; 0006-0009 1801; 001b-001f \(Self.wideText)
      + services
      < 10 0100 ffff 0028
      > 11 06 0100 ffff 0018      # up to the last handle: nothing more to ask
      = 2 0001-ffff 1800
      + services
      < 10 0100 ffff 0028
      > 01 10 0100 0a
      = 3
      + services
      < 10 0100 ffff 0028
      > 01 10 0100 0e
      = 4 refused 0e 0001
      """)
  }

  @Test(
    "answers that are no services",
    arguments: [
      "11", "11 06", "11 06 0100 0500 00", "11 07 0100 0500 0018 00", "11 00", "11 05 0100 0500 00",
      "11 06 0000 0500 0018", "11 06 0500 0400 0018", "11 06 0100 0500 0018 0500 0600 0118",
      "11 06 0600 0900 0118 0100 0500 0018", "11 06 0100 ffff 0018 0200 0300 0118 00", "11 14 0100 0500 0018",
    ])
  func servicesHostile(answer: String) throws {
    try play("+ services\n< 10 0100 ffff 0028\n> \(answer)\n= 1 peerMisbehaved\n+ read 0003\n< 0a 0300")
  }

  @Test("handles that go backwards end a discovery") func backwards() throws {
    try play(
      """
      + services
      < 10 0100 ffff 0028
      > 11 06 0100 0500 0018
      < 10 0600 ffff 0028
      > 11 06 0100 0500 0018
      = 1 peerMisbehaved
      """)
  }

  @Test("GAD/CL/BV-02 services by UUID, those given twice once") func servicesByUUID() throws {
    try play(
      """
      + services 1800 180f 1800
      < 06 0100 ffff 0028 0f18
      > 07 0a00 1700 2000 2500
      < 06 2600 ffff 0028 0f18
      > 01 06 2600 0a
      < 06 0100 ffff 0028 0018
      > 07 0100 0500
      < 06 0600 ffff 0028 0018
      > 01 06 0600 0a
      = 1 0001-0005 1800; 000a-0017 180F; 0020-0025 180F
      + services 00112233445566778899aabbccddeeff
      < 06 0100 ffff 0028 \(Self.wide)
      > 07 1b00 ffff
      = 2 001b-ffff \(Self.wideText)
      + services 180f
      < 06 0100 ffff 0028 0f18
      > 01 06 0100 05
      = 3 refused 05 0001
      """)
  }

  @Test("no UUIDs, no services") func noServices() throws {
    var bench = GATTClientBench()
    var outputs: [GATTClientOutput] = []
    bench.client.submit(.discoverServices([]), id: RequestID(1), client: ClientID(1), into: &outputs)
    let frame = bench.client.nextFrame(now: .zero, into: &outputs)
    #expect(frame == nil)
    guard case .completion(RequestID(1), .services(let found)) = outputs.first else {
      Issue.record("no services were expected")
      return
    }
    #expect(found.isEmpty && outputs.count == 1)
  }

  @Test(
    "answers that are no groups",
    arguments: [
      "07", "07 0a00", "07 0a00 1700 00", "07 0000 0100", "07 0500 0400", "07 0a00 1700 1700 1800",
      "07 0a00 1700 0100 0200",
    ])
  func groupsHostile(answer: String) throws {
    try play("+ services 180f\n< 06 0100 ffff 0028 0f18\n> \(answer)\n= 1 peerMisbehaved")
  }

  @Test("GAD/CL/BV-03 included services: their UUIDs and kinds are looked up") func included() throws {
    try play(
      """
      + included 001b-001f
      < 08 1b00 1f00 0228
      > 09 08 1c00 0a00 1700 0f18
      < 08 1d00 1f00 0228
      > 09 06 1d00 1800 1a00
      < 08 1e00 1f00 0228
      > 01 08 1e00 0a
      < 04 0a00 0a00
      > 05 01 0a00 0028
      < 0a 1800
      > 0b \(Self.wide)
      < 04 1800 1800
      > 05 01 1800 0128
      = 1 000a-0017 180F; 0018-001a secondary \(Self.wideText)
      + included 001b-001c
      < 08 1b00 1c00 0228
      > 09 08 1c00 0a00 1700 0f18
      < 04 0a00 0a00
      > 01 04 0a00 0a             # then it counts as primary
      = 2 000a-0017 180F
      + included 001b-001c
      < 08 1b00 1c00 0228
      > 01 08 1b00 0a
      = 3
      + included 001b-001c
      < 08 1b00 1c00 0228
      > 01 08 1b00 05
      = 4 refused 05 001b
      + included 001b-001c
      < 08 1b00 1c00 0228
      > 09 06 1c00 1800 1a00
      < 0a 1800
      > 01 0a 1800 05
      = 5 refused 05 0018
      """)
  }

  @Test(
    "answers that are no includes",
    arguments: [
      "09", "09 08", "09 08 1c00 0a00 1700 0f", "09 07 1c00 0a00 1700 0f", "09 08 1a00 0a00 1700 0f18",
      "09 08 2000 0a00 1700 0f18", "09 08 1c00 0000 1700 0f18", "09 08 1c00 1700 0a00 0f18", "09 00 1c00", "09 01 1c",
      "09 08 1d00 0a00 1700 0f18 1d00 0a00 1700 0f18",
    ])
  func includesHostile(answer: String) throws {
    try play("+ included 001b-001f\n< 08 1b00 1f00 0228\n> \(answer)\n= 1 peerMisbehaved")
  }

  @Test("a UUID of an included service that is none") func includedUUIDHostile() throws {
    try play(
      "+ included 001b-001c\n< 08 1b00 1c00 0228\n> 09 06 1c00 1800 1a00\n< 0a 1800\n> 0b 0f18\n= 1 peerMisbehaved")
  }

  // MARK: Characteristics and descriptors

  @Test("GAD/CL/BV-04 characteristics, each up to the next one") func characteristics() throws {
    try play(
      """
      + characteristics 000a-0020
      < 08 0a00 2000 0328
      > 09 07 0b00 32 0c00 192a 0e00 0e 0f00 f2ff
      < 08 0f00 2000 0328
      > 09 15 1900 02 1a00 \(Self.wide)
      < 08 1a00 2000 0328
      > 01 08 1a00 0a
      = 1 000b 000c-000d 32 2A19; 000e 000f-0018 0e FFF2; 0019 001a-0020 02 \(Self.wideText)
      + characteristics 000a-000d
      < 08 0a00 0d00 0328
      > 09 07 0b00 32 0c00 192a   # no room for another one
      = 2 000b 000c-000d 32 2A19
      + characteristics fffd-ffff
      < 08 fdff ffff 0328
      > 09 07 feff 02 ffff 192a
      = 3 fffe ffff-ffff 02 2A19
      + characteristics 0001-0001
      < 08 0100 0100 0328
      > 01 08 0100 0a
      = 4
      + characteristics 0001-0005
      < 08 0100 0500 0328
      > 01 08 0100 01
      = 5 refused 01 0001
      """)
  }

  @Test(
    "answers that are no characteristics",
    arguments: [
      "09", "09 07", "09 07 0b00 32 0c00 19", "09 06 0b00 32 0c00 19", "09 07 0900 32 0a00 192a",
      "09 07 0b00 32 0b00 192a", "09 07 0b00 32 0a00 192a", "09 07 0b00 32 2100 192a", "09 07 2100 32 2200 192a",
      "09 07 0b00 32 0c00 192a 0c00 32 0d00 192a", "09 07 0b00 32 0c00 192a 0b00 32 0c00 192a",
      "09 15 0b00 32 0c00 192a", "09 02 0b00", "09 ff 0b00 32 0c00 192a",
    ])
  func characteristicsHostile(answer: String) throws {
    try play("+ characteristics 000a-0020\n< 08 0a00 2000 0328\n> \(answer)\n= 1 peerMisbehaved")
  }

  @Test("GAD/CL/BV-06 descriptors") func descriptors() throws {
    try play(
      """
      + descriptors 000d-0014
      < 04 0d00 1400
      > 05 01 0d00 0229 0e00 0129
      < 04 0f00 1400
      > 05 02 1000 \(Self.wide)
      < 04 1100 1400
      > 01 04 1100 0a
      = 1 000d 2902; 000e 2901; 0010 \(Self.wideText)
      + descriptors 000d-000d
      < 04 0d00 0d00
      > 05 01 0d00 0229
      = 2 000d 2902
      + descriptors ffff-ffff
      < 04 ffff ffff
      > 05 01 ffff 0229
      = 3 ffff 2902
      + descriptors 000d-000e
      < 04 0d00 0e00
      > 01 04 0d00 05
      = 4 refused 05 000d
      """)
  }

  @Test(
    "answers that are no descriptors",
    arguments: [
      "05", "05 01", "05 01 0d00", "05 01 0d00 02", "05 03 0d00 0229", "05 00 0d00 0229", "05 02 0d00 0229",
      "05 01 0c00 0229", "05 01 0d00 0229 0d00 0129", "05 01 0e00 0229 0d00 0129", "05 01 1500 0229", "05 01 0000 0229",
      "05 01 1400 0229 0d00 0129", "05 01 1400 0229 1400 0129",
    ])
  func descriptorsHostile(answer: String) throws {
    try play("+ descriptors 000d-0014\n< 04 0d00 1400\n> \(answer)\n= 1 peerMisbehaved")
  }

  // MARK: Values

  @Test("GAR/CL/BV-01 and BV-04 values, in as many parts as needed") func read() throws {
    let part = { (byte: UInt8) in Hexadecimal.encode([UInt8](repeating: byte, count: 22)) }
    try play(
      """
      + read 0003
      < 0a 0300
      > 0b
      = 1 value
      + read 0003
      < 0a 0300
      > 0b \(part(1).dropFirst(2))
      = 2 value \(part(1).dropFirst(2))
      + read 0003
      < 0a 0300
      > 0b \(part(1))
      < 0c 0300 1600
      > 0d \(part(2))
      < 0c 0300 2c00
      > 0d 33
      = 3 value \(part(1)) \(part(2)) 33
      + read 0003
      < 0a 0300
      > 0b \(part(1))
      < 0c 0300 1600
      > 0d
      = 4 value \(part(1))
      + read 0003
      < 0a 0300
      > 0b \(part(1))
      < 0c 0300 1600
      > 01 0c 0300 0b             # not long: that was all
      = 5 value \(part(1))
      + read 0003
      < 0a 0300
      > 0b \(part(1))
      < 0c 0300 1600
      > 01 0c 0300 07
      = 6 value \(part(1))
      + read 0003
      < 0a 0300
      > 0b \(part(1))
      < 0c 0300 1600
      > 01 0c 0300 0e
      = 7 refused 0e 0003
      + read 0003
      < 0a 0300
      > 01 0a 0300 07             # of a Read: no end of a value
      = 8 refused 07 0003
      """)
  }

  @Test("GAR/CL/BI reads that are refused", arguments: ["01", "02", "05", "08", "0c", "0f", "80", "ff"])
  func readRefused(code: String) throws {
    try play("+ read 0003\n< 0a 0300\n> 01 0a 0300 \(code)\n= 1 refused \(code) 0003")
  }

  @Test("a peer that answers Read Blob for ever is heard up to 512 bytes") func endless() throws {
    var bench = GATTClientBench()
    let part = String(repeating: "ee", count: 22)
    try bench.play("+ read 0003\n< 0a 0300\n> 0b \(part)\n< 0c 0300 1600")
    for count in 2...23 {
      let offset = Hexadecimal.encode([UInt8((count * 22) & 0xFF), UInt8((count * 22) >> 8)])
      try bench.play("> 0d \(part)\n< 0c 0300 \(offset)")
    }
    try bench.play("> 0d \(part)\n= 1 value \(String(repeating: "ee", count: 512))")
  }

  @Test("more than 512 bytes at once are cut") func readTooLong() throws {
    try play(
      "+ read 0003\n< 0a 0300\n> 0b \(String(repeating: "ee", count: 600))\n= 1 value \(String(repeating: "ee", count: 512))"
    )
  }

  @Test("ATT_MTU that grows while a read is out loses nothing") func growing() throws {
    var bench = GATTClientBench()
    let part = String(repeating: "ab", count: 22)
    try bench.play("+ read 0003\n< 0a 0300")
    bench.client.mtu = 247
    try bench.play("> 0b \(part)\n< 0c 0300 1600\n> 0d 01\n= 1 value \(part) 01")
  }

  @Test("GAR/CL/BV-03 by characteristic UUID") func readByUUID() throws {
    try play(
      """
      + uuid 2a00 0001-ffff
      < 08 0100 ffff 002a
      > 09 06 0300 4c616d70
      < 08 0400 ffff 002a
      > 09 03 0800 01 0900 02
      < 08 0a00 ffff 002a
      > 01 08 0a00 0a
      = 1 0003=4c616d70; 0008=01; 0009=02
      + uuid 2a00 0001-0003
      < 08 0100 0300 002a
      > 09 02 0300                # empty, and the last one
      = 2 0003=
      + uuid 00112233445566778899aabbccddeeff 0001-ffff
      < 08 0100 ffff \(Self.wide)
      > 01 08 0100 0a
      = 3 refused 0a 0001
      + uuid 2a00 0001-ffff
      < 08 0100 ffff 002a
      > 09 03 0800 01
      < 08 0900 ffff 002a
      > 01 08 0900 02
      = 4 refused 02 0009
      """)
  }

  @Test(
    "answers that are no values",
    arguments: [
      "09", "09 03", "09 03 0100", "09 01 01", "09 00", "09 03 0000 01", "09 03 0500 01 0500 01",
      "09 03 0500 01 0400 01",
      "09 03 1100 01", "09 03 1000 01 1000 02", "09 03 0500 01 06",
    ])
  func valuesHostile(answer: String) throws {
    try play("+ uuid 2a00 0001-0010\n< 08 0100 1000 002a\n> \(answer)\n= 1 peerMisbehaved")
  }

  @Test("GAW/CL/BV-03 a value that fits") func write() throws {
    let value = String(repeating: "5a", count: 20)
    try play(
      """
      + write 0003
      < 12 0300
      > 13
      = 1 written
      + write 0003 \(value)
      < 12 0300 \(value)
      > 13
      = 2 written
      + write 0003 01
      < 12 0300 01
      > 01 12 0300 03
      = 3 refused 03 0003
      """)
  }

  @Test("GAW/CL/BV-05 a value that does not") func writeLong() throws {
    let value = Hexadecimal.encode([UInt8](0..<21))
    try play(
      """
      + write 0003 \(value)
      < 16 0300 0000 \(value.prefix(36))
      > 17 0300 0000 \(value.prefix(36))
      < 16 0300 1200 \(value.dropFirst(36))
      > 17 0400 0000 ffff         # echoes are not compared
      < 18 01
      > 19
      = 1 written
      + write 0003 \(value)
      < 16 0300 0000 \(value.prefix(36))
      > 01 16 0300 03
      = 2 refused 03 0003
      + write 0003 \(value)
      < 16 0300 0000 \(value.prefix(36))
      > 17 0300 0000 \(value.prefix(36))
      < 16 0300 1200 \(value.dropFirst(36))
      > 01 16 0300 09             # what was queued is cancelled
      < 18 00
      > 19
      = 3 refused 09 0003
      + write 0003 \(value)
      < 16 0300 0000 \(value.prefix(36))
      > 17 0300 0000 \(value.prefix(36))
      < 16 0300 1200 \(value.dropFirst(36))
      > 01 16 0300 09
      < 18 00
      > 01 18 0000 0e
      = 4 refused 09 0003
      + write 0003 \(value)
      < 16 0300 0000 \(value.prefix(36))
      > 17 0300 0000 \(value.prefix(36))
      < 16 0300 1200 \(value.dropFirst(36))
      > 17 0300 1200 \(value.dropFirst(36))
      < 18 01
      > 01 18 0300 0d
      = 5 refused 0d 0003
      """)
  }
}
