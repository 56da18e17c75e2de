import Testing

@testable import LatchkeyBluetoothHost

/// The behavior of a server half while an owner is asked.
@Suite struct ATTServerWaitingTests {
  private func play(_ transcript: String, _ location: SourceLocation = #_sourceLocation) throws {
    var bench = try ATTServerBench()
    try bench.play(transcript, location)
  }

  @Test("a second request waits, commands do not") func second() throws {
    try play(
      """
      > 0a 0c00
      ? read 1 000c @0
      > 0a 1200
      > 52 0f00 01
      ? command 1 000f@0=01
      > 1e
      ! value 64
      < 0b 64
      < 0b 0102030405
      """)
  }

  @Test("a buffered request may ask again, and another one is buffered") func chain() throws {
    try play(
      """
      > 0a 0c00
      ? read 1 000c @0
      > 12 0f00 01
      ! value 64
      < 0b 64
      ? write 1 000f@0=01
      > 0a 1200
      ! written
      < 13
      < 0b 0102030405
      """)
  }

  @Test("a third request costs the link") func third() throws {
    try play(
      """
      > 0a 0c00
      ? read 1 000c @0
      > 0a 1200
      > 0a 1200
      * dead
      > 0a 1200
      ~ 000c 01
      * nobody
      """)
  }

  /// A bench with one characteristic that asks: 0012 value, 0013 configuration.
  private func asking() throws -> ATTServerBench {
    var database = GATTDatabase(deviceName: "Lamp", appearance: 0)
    var characteristic = GATTCharacteristicDefinition(uuid: 0x2A37, properties: .notify, permissions: [])
    characteristic.asksToSubscribe = true
    let placement = try database.add(
      GATTServiceDefinition(uuid: 0x180D, characteristics: [characteristic]), owner: ClientID(1))
    #expect(placement.valueHandles == [0x12])
    return ATTServerBench(database: database)
  }

  @Test("an owner that is asked accepts a subscription: the response comes first") func acceptedSubscription() throws {
    var bench = try asking()
    try bench.play(
      """
      > 12 1300 0100
      ? write 1 0012@0=0100
      ~ 0012 aa
      * nobody
      > 0a 1300
      ! written
      < 13
      * 1 0012 notifications
      < 0b 0100
      ~ 0012 aa
      < 1b 1200 aa
      > 12 1300 0000
      ? write 1 0012@0=0000
      ! written
      < 13
      * 1 0012 none
      """)
  }

  @Test("an owner that is asked refuses a subscription, which changes nothing") func refusedSubscription() throws {
    var bench = try asking()
    try bench.play(
      """
      > 12 1300 0100
      ? write 1 0012@0=0100
      ! error 11
      < 01 12 1300 11
      ~ 0012 aa
      * nobody
      > 0a 1300
      < 0b 0000
      > 12 1300 0200              # not offered: the owner is not asked
      < 01 12 1300 13
      > 12 1300 01
      < 01 12 1300 0d
      """)
  }

  @Test("a characteristic that goes, or a link, ends the question") func endedQuestion() throws {
    var bench = try asking()
    try bench.play(
      """
      > 12 1300 0100
      ? write 1 0012@0=0100
      r 0010-0013 1
      < 01 12 1300 01
      """)
    bench = try asking()
    try bench.play("> 12 1300 0100\n? write 1 0012@0=0100\nx")
    let id = try #require(bench.latest)
    var outputs: [ATTServerOutput] = []
    let isAwaited = bench.server.respond(
      to: id, with: .written, database: bench.database, ids: &bench.ids, into: &outputs)
    #expect(!isAwaited && outputs.isEmpty)
  }

  @Test("an answer counts once, and only for its request") func late() throws {
    var bench = try ATTServerBench()
    var outputs: [ATTServerOutput] = []
    let isAwaited = bench.server.respond(
      to: ServerRequestID(0), with: .value([1]), database: bench.database, ids: &bench.ids, into: &outputs)
    #expect(!isAwaited && outputs.isEmpty)
    try bench.play("> 0a 0c00\n? read 1 000c @0")
    let id = try #require(bench.latest)
    for other in [ServerRequestID(id.value + 1), ServerRequestID(0)] {
      let wasAwaited = bench.server.respond(
        to: other, with: .value([1]), database: bench.database, ids: &bench.ids, into: &outputs)
      #expect(!wasAwaited)
    }
    try bench.play("! value 64\n< 0b 64")
    let wasAwaited = bench.server.respond(
      to: id, with: .value([1]), database: bench.database, ids: &bench.ids, into: &outputs)
    #expect(!wasAwaited && outputs.isEmpty)
  }

  @Test("a link that goes forgets all, and its subscriptions end") func disconnect() throws {
    var bench = try ATTServerBench()
    try bench.play(
      """
      > 12 0d00 0100
      < 13
      * 1 000c notifications
      > 12 0900 0200
      < 13
      > 0a 0c00
      ? read 1 000c @0
      x
      * 1 000c none
      > 0a 1200
      """)
    var outputs: [ATTServerOutput] = []
    let wasAwaited = bench.server.respond(
      to: try #require(bench.latest), with: .value([1]), database: bench.database, ids: &bench.ids, into: &outputs)
    #expect(!wasAwaited && outputs.isEmpty)
  }

  @Test("a service that goes answers for itself") func removed() throws {
    try play(
      """
      > 12 0d00 0100
      < 13
      * 1 000c notifications
      > 0a 0c00
      ? read 1 000c @0
      > 0a 1200
      r 000a-0017 1
      < 01 0a 0c00 01
      < 01 0a 1200 01
      ~ 000c 01
      * nobody
      """)
  }

  @Test("a service that goes ends the reads and writes of several") func removedAmongSeveral() throws {
    try play(
      """
      > 0e 1f00 0c00
      ? read 2 001f @0
      r 000a-0017 1
      ! value 01
      < 01 0e 0c00 01
      """)
    try play(
      """
      > 0e 0c00 1f00
      ? read 1 000c @0
      r 000a-0017 1
      < 01 0e 0c00 01
      """)
    try play(
      """
      > 16 1f00 0000 01
      < 17 1f00 0000 01
      > 16 0f00 0000 02
      < 17 0f00 0000 02
      > 16 0d00 0000 0100
      < 17 0d00 0000 0100
      > 18 01
      ? write 2 001f@0=01
      r 000a-0017 1
      ! written
      < 01 18 0f00 01
      """)
  }

  @Test("a configuration that goes while an owner thinks is not set") func removedConfiguration() throws {
    try play(
      """
      > 16 0d00 0000 0100
      < 17 0d00 0000 0100
      > 16 1f00 0000 01
      < 17 1f00 0000 01
      > 18 01
      ? write 2 001f@0=01
      r 000a-0017 1
      ! written
      < 19
      ~ 000c 01
      * nobody
      """)
  }

  @Test("a write to several services of one owner ends with any of them") func removedAmongOwn() throws {
    var bench = try ATTServerBench()
    let writable = GATTCharacteristicDefinition(uuid: 0xFFE1, properties: .write, permissions: .writeable)
    let placement = bench.database.place(
      GATTServiceDefinition(uuid: 0xFFE0, characteristics: [writable]), at: 0x0020, owner: ClientID(1))
    #expect(placement.valueHandles == [0x0022])
    try bench.play(
      """
      > 16 0f00 0000 01
      < 17 0f00 0000 01
      > 16 2200 0000 02
      < 17 2200 0000 02
      > 18 01
      ? write 1 000f@0=01 0022@0=02
      r 0020-0022 1
      < 01 18 0f00 01
      """)
  }

  @Test("a write does not reach a service of another owner that has the handle meanwhile") func reusedHandle() throws {
    var bench = try ATTServerBench()
    try bench.play(
      """
      > 16 1f00 0000 01
      < 17 1f00 0000 01
      > 16 0f00 0000 02
      < 17 0f00 0000 02
      > 18 01
      ? write 2 001f@0=01
      r 000a-0017 1
      """)
    let characteristics = [
      GATTCharacteristicDefinition(uuid: 0xFFE1, properties: .notify, permissions: []),
      GATTCharacteristicDefinition(uuid: 0xFFE2, properties: .write, permissions: .writeable),
    ]
    let placement = bench.database.place(
      GATTServiceDefinition(uuid: 0xFFE0, characteristics: characteristics), at: 0x000A, owner: ClientID(3))
    #expect(placement.valueHandles == [0x000C, 0x000F])
    try bench.play("! written\n< 01 18 0f00 01")
  }
}
