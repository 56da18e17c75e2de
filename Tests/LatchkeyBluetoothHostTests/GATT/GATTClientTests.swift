import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

/// The client half: the order of requests, ATT_MTU, timeouts, and links that go.
@Suite struct GATTClientTests {
  private func play(
    _ transcript: String, preferredMTU: Int = 23, _ location: SourceLocation = #_sourceLocation
  ) throws {
    var bench = GATTClientBench(preferredMTU: preferredMTU)
    try bench.play(transcript, location)
  }

  @Test("GAC/CL/BV-01 ATT_MTU is exchanged before all else") func exchange() throws {
    try play(
      """
      + read 0003
      < 02 0502
      > 03 f700
      * mtu 247
      < 0a 0300
      > 0b 01
      = 1 value 01
      """, preferredMTU: 517)
  }

  @Test(
    "what a server may answer to the exchange",
    arguments: [
      ("03 1700", 23), ("03 1600", 23), ("03 0000", 23), ("03 4000", 64), ("03 ffff", 517), ("01 02 0000 06", 23),
      ("03 40", 23), ("03 400000", 23),
    ])
  func exchangeAnswers(answer: String, agreed: Int) throws {
    var bench = GATTClientBench(preferredMTU: 517)
    try bench.play("+ read 0003\n< 02 0502\n> \(answer)\n\(agreed == 23 ? "" : "* mtu \(agreed)\n")< 0a 0300")
    #expect(bench.client.mtu == agreed)
  }

  @Test("an answer that nobody waits for has no time to come in, and a dead bearer confirms nothing") func noDeadline()
    throws
  {
    var bench = GATTClientBench()
    bench.client.requestWasSent(now: .seconds(1))
    #expect(bench.client.nextDeadline == nil)
    try bench.play("+ read 0003\n< 0a 0300\n> 0b 01\n= 1 value 01")
    bench.client.requestWasSent(now: .seconds(2))
    #expect(bench.client.nextDeadline == nil)
    try bench.play("+ read 0003\n< 0a 0300\nt 40\n= 2 timedOut\n* dead\n> 1d 0300 01")
  }

  @Test("procedures go one at a time, in order") func order() throws {
    try play(
      """
      + read 0003
      < 0a 0300
      + write 0005 01
      +2 read 0007
      > 0b aa
      = 1 value aa
      < 12 0500 01
      > 13
      = 2 written
      < 0a 0700
      > 01 0a 0700 05
      = 3 refused 05 0007
      """)
  }

  @Test("arguments that are wrong end in their turn") func arguments() throws {
    let long = String(repeating: "00", count: 513)
    try play(
      """
      + read 0003
      < 0a 0300
      + read 0000
      + write 0000 00
      + write 0003 \(long)
      + characteristics 0000-0005
      + characteristics 0005-0004
      + included 0005-0004
      + uuid 2a00 0005-0004
      + descriptors 0005-0004
      + on 0000 0005 10
      > 0b
      = 1 value
      = 2 invalidArgument
      = 3 invalidArgument
      = 4 invalidArgument
      = 5 invalidArgument
      = 6 invalidArgument
      = 7 invalidArgument
      = 8 invalidArgument
      = 9
      = 10 invalidArgument
      """)
  }

  @Test("30 s without an answer: everything fails, in order, once") func timeout() throws {
    var bench = GATTClientBench()
    try bench.play("t 7\n+ read 0003\n< 0a 0300\n+ read 0004\n+ services")
    #expect(bench.client.nextDeadline == .seconds(37))
    try bench.play(
      """
      t 36.999
      t 37
      = 1 timedOut
      = 2 timedOut
      = 3 timedOut
      * dead
      > 0b 01
      t 99
      + read 0005
      = 4 disconnected
      x
      """)
    #expect(bench.client.nextDeadline == nil)
  }

  @Test("the 30 s begin anew with each request of a procedure") func timeoutOfParts() throws {
    var bench = GATTClientBench()
    let part = String(repeating: "ab", count: 22)
    try bench.play("+ read 0003\n< 0a 0300\nt 29\n> 0b \(part)\n< 0c 0300 1600\nt 58\n> 0d\n= 1 value \(part)\nt 99")
    #expect(bench.client.nextDeadline == nil)
  }

  @Test("an exchange without an answer is a timeout too") func timeoutOfExchange() throws {
    try play("+ read 0003\n< 02 0502\nt 30\n= 1 timedOut\n* dead", preferredMTU: 517)
  }

  @Test("a link that goes fails everything, in order, once") func disconnect() throws {
    try play(
      """
      + services
      < 10 0100 ffff 0028
      + read 0004
      +2 on 0005 0006 10
      x
      = 1 disconnected
      = 2 disconnected
      = 3 disconnected
      x
      > 11 06 0100 0500 0018
      + read 0003
      = 4 disconnected
      """)
  }

  @Test(
    "the answer to another request: answers can no longer be matched",
    arguments: [
      "13", "0d 01", "09 03 0300 01", "03 1700", "01 12 0300 05", "01 0a 0300", "01 0a 0300 05 00", "01", "21 00",
      "01 00 0000 06",
    ])
  func mismatch(answer: String) throws {
    try play("+ read 0003\n< 0a 0300\n+ read 0004\n> \(answer)\n= 1 peerMisbehaved\n= 2 disconnected\n* dead")
  }

  @Test("unexpected answers are ignored") func unasked() throws {
    var bench = GATTClientBench()
    try bench.play(
      "> 0b 01\n> 01 0a 0300 05\n> 13\n> 03 0002\n>\n+ read 0003\n< 0a 0300\n> 0b 02\n= 1 value 02\n> 0b 03")
    #expect(bench.client.ignoredPDUs == 5)
    #expect(bench.client.mtu == 23)
  }

  @Test("the queue has an end") func full() throws {
    var bench = GATTClientBench()
    try bench.play("+ read 0003\n< 0a 0300")
    for _ in 0..<GATTClient.mostWaiting { try bench.play("+ read 0004") }
    try bench.play("+ read 0005\n= 1026 queueFull\n> 0b\n= 1 value\n< 0a 0400\n+ read 0005")
  }

  @Test("the procedures of a removed client end with it") func removeClient() throws {
    try play(
      """
      + read 0003
      < 0a 0300
      +2 read 0004
      + read 0005
      - 1
      = 1 disconnected
      = 3 disconnected
      > 0b 01
      < 0a 0400
      > 0b 02
      = 2 value 02
      """)
  }

  @Test("a client that goes in a long write leaves nothing in the peer's queue") func removeWriter() throws {
    let value = String(repeating: "01", count: 36)
    try play(
      """
      + write 0003 \(value)
      < 16 0300 0000 \(value.prefix(36))
      - 1
      = 1 disconnected
      > 17 0300 0000 \(value.prefix(36))
      < 16 0300 1200 \(value.prefix(36))
      > 17 0300 1200 \(value.prefix(36))
      < 18 01
      > 19
      """)
  }

  @Test("GAW/CL/BV-01 Write Commands carry ATT_MTU - 3 bytes, 512 at most") func writeCommand() {
    var bench = GATTClientBench()
    #expect(bench.client.writeCommand([1, 2], to: 3).map { ATTText.frame($0) } == "< 5203000102")
    #expect(bench.client.writeCommand([], to: 3).map { ATTText.frame($0) } == "< 520300")
    #expect(bench.client.writeCommand([UInt8](repeating: 0, count: 20), to: 3) != nil)
    #expect(bench.client.writeCommand([UInt8](repeating: 0, count: 21), to: 3) == nil)
    #expect(bench.client.writeCommand([1], to: 0) == nil)
    bench.client.mtu = 517
    #expect(bench.client.maximumCommandLength == 512)
    #expect(bench.client.writeCommand([UInt8](repeating: 0, count: 512), to: 3)?.count == 9 + 515)
    #expect(bench.client.writeCommand([UInt8](repeating: 0, count: 513), to: 3) == nil)
  }
}
