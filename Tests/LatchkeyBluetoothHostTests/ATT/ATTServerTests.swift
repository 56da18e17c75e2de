import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

/// The server half, request by request, as PDUs. Named after the qualification tests where there is
/// one; `Qualification` holds those one by one.
@Suite struct ATTServerTests {
  private func play(_ transcript: String, mtu: Int = 23, _ location: SourceLocation = #_sourceLocation) throws {
    var bench = try ATTServerBench(mtu: mtu)
    try bench.play(transcript, location)
  }

  @Test(
    "GAC/SR/BV-01 exchange of ATT_MTU",
    arguments: [
      ("1700", 23), ("1800", 24), ("f700", 247), ("0502", 517), ("ffff", 517), ("0000", 23), ("1600", 23),
    ])
  func exchange(client: String, agreed: Int) throws {
    var bench = try ATTServerBench()
    try bench.play("> 02 \(client)\n< 03 0502" + (agreed == 23 ? "" : "\n* mtu \(agreed)"))
    #expect(bench.server.mtu == agreed)
  }

  @Test("a second exchange is answered alike, and changes nothing") func exchangeTwice() throws {
    try play("> 02 4000\n< 03 0502\n* mtu 64\n> 02 4000\n< 03 0502\n> 02 1700\n< 03 0502")
  }

  @Test("GAD/SR/BV-01 all primary services, by group") func groups() throws {
    try play(
      """
      > 10 0100 ffff 0028
      < 11 06 0100 0500 0018 0600 0900 0118 0a00 1700 0f18
      > 10 1800 ffff 0028
      < 11 14 1b00 1f00 ffeeddccbbaa99887766554433221100
      > 10 2000 ffff 0028
      < 01 10 2000 0a
      > 10 0100 ffff 0128
      < 11 14 1800 1a00 ffeeddccbbaa99887766554433221100
      > 10 0200 0900 0028         # a group counts by its declaration
      < 11 06 0600 0900 0118
      """, mtu: 517)
  }

  @Test("GAD/SR/BV-01 as many groups as fit") func groupsThatFit() throws {
    try play(
      """
      > 10 0100 ffff 0028
      < 11 06 0100 0500 0018 0600 0900 0118 0a00 1700 0f18
      """, mtu: 23)
  }

  @Test("group requests that are wrong") func groupErrors() throws {
    try play(
      """
      > 10 0000 ffff 0028
      < 01 10 0000 01
      > 10 0500 0400 0028
      < 01 10 0500 01
      > 10 0100 ffff 0328         # a characteristic is no group for this request
      < 01 10 0100 10
      > 10 0100 ffff fb349b5f80000080001000000028 0000
      < 11 06 0100 0500 0018 0600 0900 0118 0a00 1700 0f18
      > 10 0100 ffff 00
      < 01 10 0000 04
      > 10 0100 ffff 002800
      < 01 10 0000 04
      > 10
      < 01 10 0000 04
      """)
  }

  @Test("GAD/SR/BV-02 primary services by UUID") func byTypeValue() throws {
    try play(
      """
      > 06 0100 ffff 0028 0f18
      < 07 0a00 1700
      > 06 0100 ffff 0028 ffeeddccbbaa99887766554433221100
      < 07 1b00 1f00
      > 06 0100 ffff 0028 0f19
      < 01 06 0100 0a
      > 06 0100 ffff 0028         # no UUID, no service
      < 01 06 0100 0a
      > 06 0b00 ffff 0028 0f18
      < 01 06 0b00 0a
      > 06 0000 ffff 0028 0f18
      < 01 06 0000 01
      > 06 0200 0100 0028 0f18
      < 01 06 0200 01
      > 06 0100 ffff 00
      < 01 06 0000 04
      """)
  }

  @Test("Find By Type Value of other types") func byOtherTypeValue() throws {
    try play(
      """
      > 06 0100 ffff 0229 0000    # configurations: this link's, and no group
      < 07 0900 0900 0d00 0d00 1500 1500
      > 06 0100 ffff 0328 02 0300 002a   # a characteristic ends before the next one
      < 07 0200 0300
      > 06 0100 ffff f2ff         # only the owner knows the value
      < 01 06 0100 0a
      > 06 0100 ffff f5ff         # nor may it be read here
      < 01 06 0100 0a
      """)
  }

  @Test("GAD/SR/BV-03 included services") func includes() throws {
    try play(
      """
      > 08 1b00 1f00 0228
      < 09 08 1c00 0a00 1700 0f18
      > 08 1d00 1f00 0228
      < 09 06 1d00 1800 1a00      # a 128-bit UUID is left out
      > 08 1e00 1f00 0228
      < 01 08 1e00 0a
      """)
  }

  @Test("GAD/SR/BV-04 characteristics") func characteristics() throws {
    try play(
      """
      > 08 0a00 1700 0328
      < 09 07 0b00 32 0c00 192a 0e00 0e 0f00 f2ff 1100 02 1200 f3ff
      > 08 0f00 1700 0328
      < 09 07 1100 02 1200 f3ff 1300 28 1400 f4ff 1600 0a 1700 f5ff
      > 08 1400 1700 0328
      < 09 07 1600 0a 1700 f5ff
      > 08 1700 1700 0328
      < 01 08 1700 0a
      > 08 1800 ffff 0328
      < 09 15 1900 02 1a00 ffeeddccbbaa99887766554433221100
      """, mtu: 23)
  }

  @Test("as many entries as fit, to the byte", arguments: [23, 24, 25, 26, 27, 28, 29, 30, 31, 247])
  func entriesThatFit(mtu: Int) throws {
    var bench = try ATTServerBench(mtu: mtu)
    for _ in 0..<60 { _ = try bench.database.add(GATTServiceDefinition(uuid: 0x180D), owner: ClientID(1)) }
    func count(_ request: String, _ head: Int, _ width: Int) throws -> Int {
      let outputs = try bench.perform("> \(request)") ?? []
      let pdu = try Hexadecimal.decode(String(#require(outputs.first).dropFirst(2)))
      #expect(pdu.count <= mtu && (pdu.count - head) % width == 0)
      return (pdu.count - head) / width
    }
    #expect(try count("04 2000 ffff", 2, 4) == min(60, (mtu - 2) / 4))
    #expect(try count("06 2000 ffff 0028 0d18", 1, 4) == min(60, (mtu - 1) / 4))
    #expect(try count("08 2000 ffff 0028", 2, 4) == min(60, (mtu - 2) / 4))
    #expect(try count("10 2000 ffff 0028", 2, 6) == min(60, (mtu - 2) / 6))
  }

  @Test("GAD/SR/BV-06 descriptors") func descriptors() throws {
    try play(
      """
      > 04 1000 1000
      < 05 01 1000 0129
      > 04 0c00 0f00
      < 05 01 0c00 192a 0d00 0229 0e00 0328 0f00 f2ff
      > 04 1900 1a00              # of one width only
      < 05 01 1900 0328
      > 04 1a00 1a00
      < 05 02 1a00 ffeeddccbbaa99887766554433221100
      > 04 2000 ffff
      < 01 04 2000 0a
      > 04 0000 ffff
      < 01 04 0000 01
      > 04 0200 0100
      < 01 04 0200 01
      > 04 0200
      < 01 04 0000 04
      """)
  }

  @Test("GAR/SR/BV-01 a fixed value, and one of the owner") func read() throws {
    try play(
      """
      > 0a 1200
      < 0b 0102030405
      > 0a 0c00
      ? read 1 000c @0
      ! value 64
      < 0b 64
      > 0a 0c00
      ? read 1 000c @0
      ! value
      < 0b
      > 0a 0c00
      ? read 1 000c @0
      ! written                   # no value reads as empty
      < 0b
      > 0a 1000
      < 0b 616263
      > 0a 0300
      < 0b 4c616d70
      > 0a 0500
      < 0b 8005
      """)
  }

  @Test("GAR/SR/BI-01 to 05 reads that are refused") func readErrors() throws {
    try play(
      """
      > 0a 1400
      < 01 0a 1400 02             # not readable
      > 0a 0800
      < 01 0a 0800 02
      > 0a 2000
      < 01 0a 2000 01             # no such handle
      > 0a 0000
      < 01 0a 0000 01
      > 0a ffff
      < 01 0a ffff 01
      > 0a 1700
      < 01 0a 1700 05             # on an encrypted link only
      > 0a 0c00
      ? read 1 000c @0
      ! error 08
      < 01 0a 0c00 08
      > 0a 0c00
      ? read 1 000c @0
      ! error 80                  # application error
      < 01 0a 0c00 80
      > 0a 0c
      < 01 0a 0000 04
      > 0a 0c0000
      < 01 0a 0000 04
      """)
  }

  @Test("an encrypted link may read") func readEncrypted() throws {
    var bench = try ATTServerBench()
    bench.server.security.isEncrypted = true
    bench.server.security.keySize = 16
    try bench.play(
      """
      > 0a 1700
      ? read 1 0017 @0
      ! value 01
      < 0b 01
      > 12 1700 02
      ? write 1 0017@0=02
      ! written
      < 13
      """)
  }

  @Test("GAR/SR/BV-04 long values, part by part") func readBlob() throws {
    let all = Hexadecimal.encode(ATTServerBench.long)
    let part = { (from: Int) in all.dropFirst(from * 2).prefix(44) }
    try play(
      """
      > 0a 1a00
      < 0b \(part(0))
      > 0c 1a00 1600
      < 0d \(part(22))
      > 0c 1a00 2c00
      < 0d \(part(44))
      > 0c 1a00 3c00              # the end
      < 0d
      > 0c 1a00 3d00
      < 01 0c 1a00 07
      > 0c 1a00 ffff
      < 01 0c 1a00 07
      > 0c 1200 0100              # a short value is read in parts as well
      < 0d 02030405
      > 0c 0f00 1600
      ? read 1 000f @22
      ! value 0102
      < 0d 0102
      > 0c 0f00 0002
      ? read 1 000f @512
      ! error 07
      < 01 0c 0f00 07
      > 0c 0f00 0102              # past what any value has: nobody is asked
      < 01 0c 0f00 07
      > 0c 1400 0000
      < 01 0c 1400 02
      > 0c 2000 0000
      < 01 0c 2000 01
      > 0c 1700 0000
      < 01 0c 1700 05
      > 0c 1a00 00
      < 01 0c 0000 04
      """)
  }

  @Test("an owner's value is cut to what fits") func readCut() throws {
    let value = String(repeating: "ab", count: 40)
    try play(
      """
      > 0a 0f00
      ? read 1 000f @0
      ! value \(value)
      < 0b \(value.prefix(44))
      > 0c 0f00 1600
      ? read 1 000f @22
      ! value \(value)
      < 0d \(value.prefix(44))
      > 08 0100 ffff f2ff
      ? read 1 000f @0
      ! value \(value)
      < 09 15 0f00 \(value.prefix(38))
      """)
  }

  @Test("an owner's value ends where any value does") func readLongest() throws {
    let value = String(repeating: "ab", count: 600)
    try play("> 0a 0f00\n? read 1 000f @0\n! value \(value)\n< 0b \(value.prefix(1024))", mtu: 517)
  }

  @Test("GAR/SR/BV-03 by characteristic UUID") func readByType() throws {
    try play(
      """
      > 08 0100 ffff f3ff
      < 09 07 1200 0102030405
      > 08 0100 ffff 192a
      ? read 1 000c @0
      ! value 64
      < 09 03 0c00 64
      > 08 0100 ffff 192a
      ? read 1 000c @0
      ! error 05
      < 01 08 0c00 05
      > 08 0100 ffff ffeeddccbbaa99887766554433221100
      < 09 15 1a00 \(Hexadecimal.encode(ATTServerBench.long.prefix(19)))
      > 08 0100 ffff 0229
      < 09 04 0900 0000 0d00 0000 1500 0000
      > 08 0100 ffff f4ff
      < 01 08 1400 02
      > 08 0100 ffff f5ff
      < 01 08 1700 05
      > 08 0100 1100 f3ff
      < 01 08 0100 0a
      > 08 0000 ffff f3ff
      < 01 08 0000 01
      > 08 0900 0800 f3ff
      < 01 08 0900 01
      > 08 0100 ffff f3ff0000
      < 01 08 0000 04
      > 08 0100 ffff 0000         # handle 0 and free ones have no type
      < 01 08 0100 0a
      """)
  }

  @Test("GAR/SR/BV-05 several values at once") func readMultiple() throws {
    try play(
      """
      > 0e 1200 1000
      < 0f 0102030405 616263
      > 0e 1200 0c00 0f00 0300
      ? read 1 000c @0
      ! value 64
      ? read 1 000f @0
      ! value 0a0b
      < 0f 0102030405 64 0a0b 4c616d70
      > 0e 0c00 0f00
      ? read 1 000c @0
      ! value \(String(repeating: "cd", count: 40))
      < 0f \(String(repeating: "cd", count: 22))
      > 0e 0c00 1400              # all are validation before anybody is asked
      < 01 0e 1400 02
      > 0e 0c00 2000
      < 01 0e 2000 01
      > 0e 0c00 1700
      < 01 0e 1700 05
      > 0e 1200 0c00
      ? read 1 000c @0
      ! error 81
      < 01 0e 0c00 81
      > 0e 1200                   # two at least
      < 01 0e 0000 04
      > 0e 1200 10
      < 01 0e 0000 04
      """)
  }

  @Test("the length before a value of variable length is that of the value as it is sent") func readMultipleLongest()
    throws
  {
    let (sent, whole) = (String(repeating: "5a", count: 512), String(repeating: "5a", count: 600))
    try play(
      """
      > 20 0c00 1200
      ? read 1 000c @0
      ! value \(whole)
      < 21 0002 \(sent)
      """, mtu: 517)
  }

  @Test("GAR/SR/BV-09 several values of variable length at once") func readMultipleVariable() throws {
    try play(
      """
      > 20 1200 1000
      < 21 0500 0102030405 0300 616263
      > 20 0300 0c00 0f00 0300
      ? read 1 000c @0
      ! value 64
      ? read 1 000f @0
      ! value
      < 21 0400 4c616d70 0100 64 0000 0400 4c616d70
      > 20 0f00 0c00              # the value is cut, its length is not
      ? read 1 000f @0
      ! value \(String(repeating: "cd", count: 40))
      < 21 2800 \(String(repeating: "cd", count: 20))
      > 20 0c00 1000              # no space for another length
      ? read 1 000c @0
      ! value \(String(repeating: "cd", count: 18))
      < 21 1200 \(String(repeating: "cd", count: 18))
      > 20 0c00 1000              # one byte of the second value
      ? read 1 000c @0
      ! value \(String(repeating: "cd", count: 17))
      < 21 1100 \(String(repeating: "cd", count: 17)) 0300 61
      > 20 0c00 1400
      < 01 20 1400 02
      > 20 0c00 2000
      < 01 20 2000 01
      > 20 0c00 1700
      < 01 20 1700 05
      > 20 1200 0c00
      ? read 1 000c @0
      ! error 81
      < 01 20 0c00 81
      > 20 1200                   # two at least
      < 01 20 0000 04
      > 20 1200 10
      < 01 20 0000 04
      > 20
      < 01 20 0000 04
      """)
  }

  @Test("GAW/SR/BV-03 writes") func write() throws {
    try play(
      """
      > 12 0f00 0102
      ? write 1 000f@0=0102
      ! written
      < 13
      > 12 0f00
      ? write 1 000f@0=
      ! value 01                  # any answer but an error will do
      < 13
      > 12 0f00 00
      ? write 1 000f@0=00
      ! error 80
      < 01 12 0f00 80
      > 12 1200 00
      < 01 12 1200 03             # fixed
      > 12 1000 00
      < 01 12 1000 03
      > 12 0a00 00
      < 01 12 0a00 03             # a declaration
      > 12 2000 00
      < 01 12 2000 01
      > 12 0000 00
      < 01 12 0000 01
      > 12 1700 00
      < 01 12 1700 05
      > 12 0f
      < 01 12 0000 04
      """)
  }

  @Test("a value longer than an attribute's is refused") func writeTooLong() throws {
    let value = String(repeating: "11", count: 513)
    try play("> 12 0f00 \(value)\n< 01 12 0f00 0d\n> 52 0f00 \(value)", mtu: 517)
  }

  @Test("GAW/SR/BV-01 commands: what is wrong goes unsaid") func commands() throws {
    try play(
      """
      > 52 0f00 0102
      ? command 1 000f@0=0102
      > 52 0f00
      ? command 1 000f@0=
      > 52 1200 00
      > 52 2000 00
      > 52 0000 00
      > 52 1700 00
      > 52 0f
      > 52
      > 52 0d00 0100
      * 1 000c notifications
      > 52 0d00 ff00
      """)
  }

  @Test("UNS/SR/BI-01 opcodes that are not known") func unknown() throws {
    try play(
      """
      > 22 0c00 0f00
      < 01 22 0000 06
      > 14
      < 01 14 0000 06
      > 00
      < 01 00 0000 06
      > 3f ffff
      < 01 3f 0000 06
      > 80
      < 01 80 0000 06
      > 41 0000                   # with the command flag: ignored
      > d2 0f00 01 000000000000000000000000
      > ff
      >
      """)
  }

  @Test("a PDU longer than ATT_MTU is refused", arguments: [23, 64, 517])
  func tooLong(mtu: Int) throws {
    let value = { (count: Int) in String(repeating: "22", count: count) }
    try play(
      """
      > 12 0f00 \(value(mtu - 2))
      < 01 12 0000 04
      > 52 0f00 \(value(mtu - 2))
      > 16 0f00 0000 \(value(mtu - 4))
      < 01 16 0000 04
      > 16 0f00 0000 \(value(mtu - 5))
      < 17 0f00 0000 \(value(mtu - 5))
      """, mtu: mtu)
  }
}
