import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

@Suite("A client half whose peer demands security") struct GATTClientSecurityTests {
  private func play(_ transcript: String, preferredMTU: Int = 23, _ location: SourceLocation = #_sourceLocation) throws
  {
    var bench = GATTClientBench(preferredMTU: preferredMTU)
    try bench.play(transcript, location)
  }

  @Test("holds a refused request and sends it again once", arguments: ["05", "0c", "0f"]) func again(_ code: String)
    throws
  {
    try play(
      """
      ! read 0003
      < 0a 0300
      > 01 0a 0300 \(code)
      * security \(code) for 1
      + read 0005                 # waits as well
      r
      < 0a 0300
      > 01 0a 0300 \(code)        # final
      = 1 refused \(code) 0003
      < 0a 0500
      """)
  }

  @Test("raises nothing for other errors, nor for what no app asked for") func otherErrors() throws {
    try play(
      """
      ! read 0003
      < 0a 0300
      > 01 0a 0300 08
      = 1 refused 08 0003
      + read 0003
      < 0a 0300
      > 01 0a 0300 05
      = 2 refused 05 0003
      ! changes
      < 06 0100 ffff 0028 0118
      > 01 06 0100 05
      = 3 refused 05 0001
      """)
  }

  @Test("lets the refusal stand when it is given up, and goes on") func givenUp() throws {
    try play(
      """
      ! read 0003
      < 0a 0300
      > 01 0a 0300 05
      * security 05 for 1
      +2 read 0005
      g
      = 1 refused 05 0003
      < 0a 0500
      > 0b 01
      = 2 value 01
      """)
  }

  @Test("ends all procedures, and those to come, on a link that is barred, until it is secure") func barred() throws {
    try play(
      """
      ! read 0003
      < 0a 0300
      > 01 0a 0300 05
      * security 05 for 1
      +2 read 0005
      + changes
      b
      = 1 keyMissing
      = 2 keyMissing
      = 3 keyMissing
      + read 0003
      = 4 keyMissing
      + changes
      = 5 keyMissing
      r
      + read 0003
      < 0a 0300
      + read 0005
      > 0b 01
      = 6 value 01
      < 0a 0500
      """)
  }

  @Test("forgets a refusal once the link is secure: nothing is given up by it later") func forgotten() throws {
    try play(
      """
      ! read 0003
      < 0a 0300
      > 01 0a 0300 05
      * security 05 for 1
      r
      < 0a 0300
      g
      > 0b 01
      = 1 value 01
      """)
  }

  @Test("raises nothing for a client that is gone") func goneClient() throws {
    try play(
      """
      ! read 0003
      < 0a 0300
      - 1
      = 1 disconnected
      +2 read 0005
      > 01 0a 0300 05
      < 0a 0500
      """)
  }

  @Test("cancels the parts of a long write that a refusal leaves behind") func parts() throws {
    let value = String(repeating: "11", count: 20)
    let (first, rest) = (String(repeating: "11", count: 18), String(repeating: "11", count: 2))
    try play(
      """
      ! write 0003 \(value)11
      < 16 0300 0000 \(first)
      > 17 0300 0000 \(first)
      < 16 0300 1200 \(rest)11
      > 01 16 0300 05
      * security 05 for 1
      r
      < 16 0300 1200 \(rest)11
      > 01 16 0300 05
      < 18 00
      > 19
      = 1 refused 05 0003
      ! write 0003 \(value)11
      < 16 0300 0000 \(first)
      > 17 0300 0000 \(first)
      < 16 0300 1200 \(rest)11
      > 01 16 0300 05
      * security 05 for 1
      g
      < 18 00
      > 19
      = 2 refused 05 0003
      """)
  }

  @Test("sends nothing while it is held, and begins with ATT_MTU then") func held() throws {
    var bench = GATTClientBench(preferredMTU: 517)
    bench.client.hold()
    try bench.play(
      """
      ! read 0003
      ! read 0005
      r
      < 02 0502
      > 03 f700
      * mtu 247
      < 0a 0300
      > 0b 01
      = 1 value 01
      < 0a 0500
      """)
  }

  @Test("may be held while ATT_MTU is exchanged") func heldLater() throws {
    var bench = GATTClientBench(preferredMTU: 517)
    try bench.play("! read 0003\n< 02 0502")
    bench.client.hold()
    try bench.play("> 03 f700\n* mtu 247\nr\n< 0a 0300")
  }

  @Test("ends a held request with its client, or its link") func removed() throws {
    try play(
      """
      ! read 0003
      < 0a 0300
      > 01 0a 0300 05
      * security 05 for 1
      +2 read 0005
      - 1
      = 1 disconnected
      < 0a 0500
      """)
    try play(
      """
      ! read 0003
      < 0a 0300
      > 01 0a 0300 05
      * security 05 for 1
      x
      = 1 disconnected
      r
      g
      + read 0003
      = 2 disconnected
      """)
  }
}
