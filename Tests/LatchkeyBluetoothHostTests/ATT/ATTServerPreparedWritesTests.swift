import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

/// Writes in parts.
@Suite struct ATTServerPreparedWritesTests {
  private func play(_ transcript: String, _ location: SourceLocation = #_sourceLocation) throws {
    var bench = try ATTServerBench()
    try bench.play(transcript, location)
  }

  @Test("GAW/SR/BV-05 a long value: parts are joined") func long() throws {
    try play(
      """
      > 16 0f00 0000 0102
      < 17 0f00 0000 0102
      > 16 0f00 0200 0304
      < 17 0f00 0200 0304
      > 18 01
      ? write 1 000f@0=01020304
      ! written
      < 19
      > 18 01                     # nothing is left
      < 19
      """)
  }

  @Test("GAW/SR/BV-06 several values: each owner is asked once") func several() throws {
    try play(
      """
      > 16 0f00 0000 01
      < 17 0f00 0000 01
      > 16 1f00 0000 02
      < 17 1f00 0000 02
      > 16 1400 0000 03
      < 17 1400 0000 03
      > 16 0f00 0500 04           # does not follow on: a part of its own
      < 17 0f00 0500 04
      > 18 01
      ? write 1 000f@0=01 0014@0=03 000f@5=04
      ! written
      ? write 2 001f@0=02
      ! written
      < 19
      """)
  }

  @Test("the first owner that refuses ends it") func refused() throws {
    try play(
      """
      > 16 1f00 0000 02
      < 17 1f00 0000 02
      > 16 0f00 0000 01
      < 17 0f00 0000 01
      > 18 01
      ? write 2 001f@0=02
      ! error 82
      < 01 18 1f00 82
      > 18 01
      < 19
      """)
  }

  @Test("GAW/SR/BV-07 canceled") func cancelled() throws {
    try play(
      """
      > 16 0f00 0000 01
      < 17 0f00 0000 01
      > 18 00
      < 19
      > 18 01
      < 19
      """)
  }

  @Test("the handle of a part is validated at once, its offset and length at the end") func validation() throws {
    try play(
      """
      > 16 1200 0000 01
      < 01 16 1200 03
      > 16 2000 0000 01
      < 01 16 2000 01
      > 16 1700 0000 01
      < 01 16 1700 05
      > 16 0f00 00
      < 01 16 0000 04
      > 18
      < 01 18 0000 04
      > 18 02
      < 01 18 0000 04
      > 18 0100
      < 01 18 0000 04
      > 16 0f00 0102 01           # offset 513
      < 17 0f00 0102 01
      > 18 01
      < 01 18 0f00 07
      > 16 0f00 0002 01           # one byte past 512
      < 17 0f00 0002 01
      > 18 01
      < 01 18 0f00 0d
      > 16 0f00 0002              # none
      < 17 0f00 0002
      > 18 01
      ? write 1 000f@512=
      ! error 07
      < 01 18 0f00 07
      """)
  }

  @Test("a configuration is set with the rest") func configuration() throws {
    try play(
      """
      > 16 0d00 0000 01
      < 17 0d00 0000 01
      > 16 0d00 0100 00
      < 17 0d00 0100 00
      > 16 0f00 0000 01
      < 17 0f00 0000 01
      > 18 01
      ? write 1 000f@0=01
      ! written
      < 19
      * 1 000c notifications
      > 16 0d00 0000 0000
      < 17 0d00 0000 0000
      > 16 0f00 0000 01
      < 17 0f00 0000 01
      > 18 01
      ? write 1 000f@0=01
      ! error 80                  # all or nothing
      < 01 18 0f00 80
      > 0a 0d00
      < 0b 0100
      > 16 0d00 0000 00
      < 17 0d00 0000 00
      > 18 01
      < 01 18 0d00 0d
      > 16 0d00 0100 00
      < 17 0d00 0100 00
      > 18 01
      < 01 18 0d00 07
      """)
  }

  @Test("GAW/SR/BI: the queue is full by parts") func parts() throws {
    var bench = try ATTServerBench()
    for _ in 0..<PreparedWrites.mostParts { try bench.play("> 16 0f00 0000 01\n< 17 0f00 0000 01") }
    try bench.play(
      """
      > 16 0f00 0000 01
      < 01 16 0f00 09
      > 18 00
      < 19
      > 16 0f00 0000 01
      < 17 0f00 0000 01
      """)
  }

  @Test("the queue is full by bytes") func bytes() throws {
    var bench = try ATTServerBench(mtu: 517)
    let value = String(repeating: "77", count: 512)
    for _ in 0..<(PreparedWrites.mostBytes / 512) { try bench.play("> 16 0f00 0000 \(value)\n< 17 0f00 0000 \(value)") }
    try bench.play("> 16 0f00 0000 01\n< 01 16 0f00 09\n> 18 00\n< 19")
    // Once it is empty it takes as much again.
    for _ in 0..<(PreparedWrites.mostBytes / 512) { try bench.play("> 16 0f00 0000 \(value)\n< 17 0f00 0000 \(value)") }
  }

  @Test("parts that do not follow on one another are not joined") func gap() throws {
    var bench = try ATTServerBench()
    try bench.play(
      """
      > 16 0f00 0000 01
      < 17 0f00 0000 01
      > 16 0f00 0500 02
      < 17 0f00 0500 02
      > 16 0f00 0500 03
      < 17 0f00 0500 03
      > 18 01
      ? write 1 000f@0=01 000f@5=02 000f@5=03
      ! written
      < 19
      """)
  }

  @Test("the queued parts end with the link") func disconnect() throws {
    var bench = try ATTServerBench()
    try bench.play("> 16 0f00 0000 01\n< 17 0f00 0000 01\nx")
    #expect(bench.server.prepared.parts.isEmpty)
  }
}
