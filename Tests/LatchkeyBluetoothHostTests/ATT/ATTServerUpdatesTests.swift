import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

/// Configurations, notifications and indications.
@Suite struct ATTServerUpdatesTests {
  private func play(_ transcript: String, mtu: Int = 23, _ location: SourceLocation = #_sourceLocation) throws {
    var bench = try ATTServerBench(mtu: mtu)
    try bench.play(transcript, location)
  }

  @Test("GAN/SR/BV-01 notifications, while they are asked for") func notify() throws {
    try play(
      """
      ~ 000c 64
      * nobody
      > 12 0d00 0100
      < 13
      * 1 000c notifications
      > 0a 0d00
      < 0b 0100
      ~ 000c 64
      < 1b 0c00 64
      ~ 000c
      < 1b 0c00
      > 12 0d00 0100              # no news
      < 13
      > 12 0d00 0000
      < 13
      * 1 000c none
      ~ 000c 64
      * nobody
      ~ 0014 64
      * nobody
      """)
  }

  @Test(
    "a value is cut at ATT_MTU - 3, and where any value ends", arguments: [(23, 20), (24, 21), (247, 244), (517, 512)])
  func cut(mtu: Int, longest: Int) throws {
    let value = String(repeating: "5a", count: 600)
    try play(
      """
      > 12 0d00 0100
      < 13
      * 1 000c notifications
      ~ 000c \(value)
      < 1b 0c00 \(value.prefix(2 * longest))
      """, mtu: mtu)
  }

  @Test("GAI/SR/BV-01 indications, one at a time") func indicate() throws {
    try play(
      """
      > 12 1500 0200
      < 13
      * 1 0014 indications
      ~ 0014 01
      < 1d 1400 01
      ~ 0014 02
      * queued
      ~ 0014 03
      * queued
      > 1e
      < 1d 1400 02
      * confirmed 0014
      > 1e00                      # not a confirmation
      > 1e
      < 1d 1400 03
      * confirmed 0014
      > 1e
      * confirmed 0014
      > 1e                        # of nothing
      ~ 0014 04
      < 1d 1400 04
      """)
  }

  @Test("a request and an indication cross") func crossing() throws {
    try play(
      """
      > 12 1500 0200
      < 13
      * 1 0014 indications
      ~ 0014 01
      < 1d 1400 01
      > 0a 1200
      < 0b 0102030405
      > 1e
      * confirmed 0014
      """)
  }

  @Test("indications without a subscription any more are not sent") func unsubscribed() throws {
    try play(
      """
      > 12 1500 0200
      < 13
      * 1 0014 indications
      > 12 0d00 0200
      < 13
      * 1 000c indications
      ~ 0014 01
      < 1d 1400 01
      ~ 0014 02
      * queued
      ~ 000c 03
      * queued
      > 12 1500 0000
      < 13
      * 1 0014 none
      > 1e
      < 1d 0c00 03
      * confirmed 0014
      """)
  }

  @Test("the queue of indications has an end") func full() throws {
    var bench = try ATTServerBench()
    try bench.play("> 12 1500 0200\n< 13\n* 1 0014 indications\n~ 0014 00\n< 1d 1400 00")
    for _ in 0..<IndicationQueue.mostWaiting { try bench.play("~ 0014 01\n* queued") }
    try bench.play("~ 0014 02\n* full\n> 1e\n< 1d 1400 01\n* confirmed 0014\n~ 0014 02\n* queued\n~ 0014 02\n* full")
  }

  @Test("an indication is confirmed within 30 s, or the link goes") func timeout() throws {
    var bench = try ATTServerBench()
    try bench.play("> 12 1500 0200\n< 13\n* 1 0014 indications\nt 5\n~ 0014 01\n< 1d 1400 01")
    #expect(bench.server.nextDeadline == .seconds(35))
    try bench.play("t 34.999\nt 35\n* dead\nt 36\n> 1e\n> 0a 1200")
    #expect(bench.server.nextDeadline == nil)
  }

  @Test("each indication has its own 30 s") func timeoutOfNext() throws {
    var bench = try ATTServerBench()
    try bench.play(
      """
      > 12 1500 0200
      < 13
      * 1 0014 indications
      ~ 0014 01
      < 1d 1400 01
      ~ 0014 02
      * queued
      t 20
      > 1e
      < 1d 1400 02
      * confirmed 0014
      t 30
      """)
    #expect(bench.server.nextDeadline == .seconds(50))
    try bench.play("t 49\n> 1e\n* confirmed 0014")
    #expect(bench.server.nextDeadline == nil)
  }

  @Test("with both bits set, values are notified") func both() throws {
    try play(
      """
      > 12 0d00 0200
      < 13
      * 1 000c indications
      > 12 0d00 0300
      < 13
      * 1 000c notifications
      > 0a 0d00
      < 0b 0300
      ~ 000c 01
      < 1b 0c00 01
      """)
  }

  @Test("GAW/SR/BV-08 configurations that are refused") func configurations() throws {
    try play(
      """
      > 12 0d00 01
      < 01 12 0d00 0d
      > 12 0d00 010000
      < 01 12 0d00 0d
      > 12 0d00
      < 01 12 0d00 0d
      > 12 0d00 0400              # no such bit
      < 01 12 0d00 13
      > 12 0d00 0080
      < 01 12 0d00 13
      > 12 1500 0100              # only indications are offered
      < 01 12 1500 13
      > 12 1500 0300
      < 01 12 1500 13
      > 0a 0d00
      < 0b 0000
      """)
  }

  @Test("Service Changed goes to the clients that subscribed to it") func serviceChanged() throws {
    var bench = try ATTServerBench(hasCaching: true)
    let changed = AttributeHandleRange(0x0018, 0x001A)
    let value = GATTDatabase.serviceChangedValue(changed)
    #expect(Hexadecimal.encode(value) == "18001a00")
    let handle = bench.database.serviceChangedHandle
    #expect(handle == 0x0008)
    try bench.play("~ 0008 18001a00\n* nobody\n> 12 0900 0200\n< 13\n~ 0008 18001a00\n< 1d 0800 18001a00")
    try bench.play("> 12 0900 0100\n< 01 12 0900 13")
  }

  @Test("every link has its own configuration") func links() throws {
    var first = try ATTServerBench()
    var second = first
    try first.play("> 12 0d00 0100\n< 13\n* 1 000c notifications")
    try second.play("> 0a 0d00\n< 0b 0000\n~ 000c 01\n* nobody")
  }

  @Test("indications that wait go with their characteristic: one that has its handle later sends none of them")
  func reusedHandle() throws {
    var bench = try ATTServerBench()
    try bench.play(
      """
      > 12 1500 0200
      < 13
      * 1 0014 indications
      > 12 0d00 0200
      < 13
      * 1 000c indications
      ~ 0014 01
      < 1d 1400 01
      ~ 000c 02
      * queued
      r 000a-0017 1
      """)
    let indicating = GATTCharacteristicDefinition(uuid: 0xFFE1, properties: .indicate, permissions: [])
    let definition = GATTServiceDefinition(uuid: 0xFFE0, characteristics: [indicating])
    #expect(bench.database.place(definition, at: 0x000A, owner: ClientID(3)).valueHandles == [0x000C])
    try bench.play(
      """
      > 12 0d00 0200
      < 13
      * 3 000c indications
      > 1e
      * confirmed 0014
      """)
  }

  @Test("a confirmation that nobody waits for has no time to come in") func noDeadline() throws {
    var bench = try ATTServerBench()
    bench.server.indicationWasSent(now: .seconds(1))
    #expect(bench.server.nextDeadline == nil)
    try bench.play("> 12 1500 0200\n< 13\n* 1 0014 indications\n~ 0014 01\n< 1d 1400 01\n> 1e\n* confirmed 0014")
    bench.server.indicationWasSent(now: .seconds(2))
    #expect(bench.server.nextDeadline == nil)
  }
}
