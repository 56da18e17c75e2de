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
