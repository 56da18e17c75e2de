import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

/// What a client does not ask a bonded peer again (Core 6.0 Vol 3 Part G 2.5.2, 7.3), as PDUs.
@Suite("A client that knows a bonded peer's database") struct GATTClientCachingTests {
  private static let hash = "0102030405060708090a0b0c0d0e0f10"
  private static let other = "ff02030405060708090a0b0c0d0e0f10"
  /// The first discovery of a bonded link, and what the peer answers.
  private static let discovery = """
    k
    + services
    < 08 0100 ffff 2a2b
    > 09 12 0d00 \(hash)
    < 10 0100 ffff 0028
    > 11 06 0100 0500 0018 1000 1300 0f18
    < 10 1400 ffff 0028
    > 01 10 1400 0a
    = 1 0001-0005 1800; 0010-0013 180F
    + characteristics 0010-0013
    < 08 1000 1300 0328
    > 09 07 1100 12 1200 192a
    = 2 0011 0012-0013 12 2A19

    """
  /// The same on another link, until the hash is asked for.
  private static let again = """
    n
    k
    + services
    < 08 0100 ffff 2a2b

    """

  @discardableResult
  private func play(_ transcript: String, _ location: SourceLocation = #_sourceLocation) throws -> GATTClientBench {
    var bench = GATTClientBench()
    try bench.play(transcript, location)
    return bench
  }

  @Test("reads its hash, and asks for nothing that it knows") func reconnect() throws {
    try play(
      Self.discovery + """
        + included 0010-0013
        < 08 1000 1300 0228
        > 01 08 1000 0a
        = 3
        + descriptors 0013-0013
        < 04 1300 1300
        > 05 01 1300 0229
        = 4 0013 2902

        """ + Self.again + """
          > 09 12 0d00 \(Self.hash)
          = 5 0001-0005 1800; 0010-0013 180F
          + characteristics 0010-0013
          = 6 0011 0012-0013 12 2A19
          + services 180F 180F 1234
          = 7 0010-0013 180F
          + included 0010-0013
          = 8
          + descriptors 0013-0013
          = 9 0013 2902
          + on 0012 0013 12           # the configuration is known, too
          < 12 1300 0100
          > 13
          = 10 written
          + read 0012
          < 0a 1200
          > 0b 07
          = 11 value 07
          + characteristics 0001-0005 # this was not asked for
          < 08 0100 0500 0328
          > 01 08 0100 0a
          = 12
          """)
  }

  @Test("asks a peer that is not bonded for everything, each time") func notBonded() throws {
    let ask = """
      + services 180F
      < 06 0100 ffff 0028 0f18
      > 07 1000 ffff

      """
    try play(ask + "= 1 0010-ffff 180F\n" + ask + "= 2 0010-ffff 180F\nn\n" + ask + "= 3 0010-ffff 180F")
  }

  @Test("asks again where the hash is another one, and knows that database from then on") func changed() throws {
    try play(
      Self.discovery + Self.again + """
        > 09 12 0d00 \(Self.other)
        < 10 0100 ffff 0028
        > 11 06 0100 ffff 0018
        = 3 0001-ffff 1800
        n
        k
        + services
        < 08 0100 ffff 2a2b
        > 09 12 0d00 \(Self.other)
        = 4 0001-ffff 1800
        + characteristics 0010-0013
        < 08 1000 1300 0328
        > 01 08 1000 0a
        = 5
        """)
  }

  @Test(
    "takes a peer that gives no hash for one that is not bonded",
    arguments: [
      "01 08 0100 0a", "01 08 0100 06", "01 08 0d00 0f", "01 08 0d00 12", "01 08 0100 01",
      "09 11 0d00 0102030405060708090a0b0c0d0e0f", "09 02 0d00", "09 12 0000 \(hash)", "09 13 0d00 \(hash) 11", "09",
      "09 12 0d00",
    ]) func noHash(_ answer: String) throws
  {
    let bench = try play(
      Self.discovery + Self.again + """
        > \(answer)
        < 10 0100 ffff 0028
        > 11 06 0100 ffff 0018
        = 3 0001-ffff 1800
        + services
        < 10 0100 ffff 0028
        > 11 06 0100 ffff 0018
        = 4 0001-ffff 1800
        """)
    #expect(bench.client.knownDatabase == nil)
  }

  @Test("takes the first of several hashes") func manyHashes() throws {
    var bench = GATTClientBench(mtu: 64)
    try bench.play(
      "k\n+ services\n< 08 0100 ffff 2a2b\n> 09 12 0d00 \(Self.hash) 0e00 \(Self.other)\n< 10 0100 ffff 0028")
    #expect(bench.client.knownDatabase.map { Hexadecimal.encode($0.hash.bytes) } == Self.hash)
  }

  @Test("loses the link to a peer that answers another request, and knows what it knew") func mismatch() throws {
    var bench = try play(Self.discovery + Self.again + "> 0b 00\n= 3 disconnected\n* dead")
    _ = try bench.perform("n")
    #expect(bench.known != nil)
  }

  @Test("forgets it with a Service Changed, and what is under way is not kept") func serviceChanged() throws {
    let listen = """
      + changes
      < 06 0100 ffff 0028 0118
      > 07 0600 0900
      < 08 0600 0900 0328
      > 09 07 0700 20 0800 052a
      < 04 0900 0900
      > 05 01 0900 0229
      < 12 0900 0200
      > 13
      = 3 written

      """
    try play(
      Self.discovery + listen + """
        + characteristics 0001-0005
        < 08 0100 0500 0328
        > 1d 0800 1000 ffff         # meanwhile
        < 1e
        * changed 0010-ffff
        > 01 08 0100 0a
        = 4
        + characteristics 0001-0005
        < 08 0100 ffff 2a2b
        > 09 12 0d00 \(Self.other)
        < 08 0100 0500 0328
        > 01 08 0100 0a
        = 5
        + characteristics 0001-0005
        = 6
        + services
        < 10 0100 ffff 0028
        > 11 06 0100 ffff 0018
        = 7 0001-ffff 1800
        """)
    // One that comes while the hash is read: that may be the old one.
    try play(
      Self.discovery + listen + Self.again + """
        > 1d 0800 1000 ffff
        < 1e
        * changed 0010-ffff
        > 09 12 0d00 \(Self.hash)
        < 08 0100 ffff 2a2b
        > 09 12 0d00 \(Self.hash)
        < 10 0100 ffff 0028
        """)
  }

  @Test("listens for changes by one request where it knows how") func listening() throws {
    let first = """
      k
      + changes
      < 08 0100 ffff 2a2b
      > 09 12 0d00 \(Self.hash)
      < 06 0100 ffff 0028 0118
      > 07 0600 0900
      < 08 0600 0900 0328
      > 09 07 0700 20 0800 052a
      < 04 0900 0900
      > 05 01 0900 0229
      < 12 0900 0200
      > 13
      = 1 written
      n
      k
      + changes
      < 08 0100 ffff 2a2b
      > 09 12 0d00 \(Self.hash)
      < 12 0900 0200

      """
    try play(first + "> 13\n= 2 written\n> 1d 0800 0a00 ffff\n< 1e\n* changed 000a-ffff")
    // A hash that lies: it searches anew, once.
    try play(
      first + """
        > 01 12 0900 01
        * changed 0001-ffff
        = 2 refused 01 0009
        < 08 0100 ffff 2a2b
        > 09 12 0d00 \(Self.hash)
        < 06 0100 ffff 0028 0118
        > 01 06 0100 0a
        """)
  }

  @Test("reports a hash that lied once an attribute is not there, and discovers anew") func lie() throws {
    try play(
      Self.discovery + Self.again + """
        > 09 12 0d00 \(Self.hash)
        = 3 0001-0005 1800; 0010-0013 180F
        + read 0012
        < 0a 1200
        > 01 0a 1200 01
        * changed 0001-ffff
        = 4 refused 01 0012
        + read 0012
        < 0a 1200
        > 01 0a 1200 01
        = 5 refused 01 0012
        + services 180F
        < 08 0100 ffff 2a2b
        > 09 12 0d00 \(Self.hash)
        < 06 0100 ffff 0028 0f18
        > 07 2000 2300
        < 06 2400 ffff 0028 0f18
        > 01 06 2400 0a
        = 6 0020-0023 180F
        + read 0022
        < 0a 2200
        > 01 0a 2200 01
        = 7 refused 01 0022
        """)
  }

  @Test("discovers anew when the peer says that its database is another one, however often") func outOfSync() throws {
    try play(
      Self.discovery + """
        + read 0012
        < 0a 1200
        > 01 0a 1200 12
        * changed 0001-ffff
        = 3 refused 12 0012
        + read 0012
        < 0a 1200
        > 0b 01
        = 4 value 01
        + services
        < 08 0100 ffff 2a2b
        > 01 08 0100 12
        < 10 0100 ffff 0028
        > 01 10 0100 12
        * changed 0001-ffff
        = 5 refused 12 0001
        """)
  }

  @Test("asks for a name that no app wants after what apps want") func name() throws {
    try play(
      """
      k
      + read 0012
      < 0a 1200
      + first 2A00 0001-ffff
      + read 0013
      > 0b 01
      = 1 value 01
      < 0a 1300
      > 0b 02
      = 3 value 02
      < 08 0100 ffff 002a
      > 09 04 0300 4142
      = 2 0003=4142
      """)
  }

  @Test("keeps so many bytes of a peer's records, and databases of so many peers") func bounds() throws {
    var database = KnownDatabase(hash: try #require(DatabaseHash([UInt8](repeating: 1, count: 16))))
    let record = GATTCharacteristicRecord(uuid: 1, declaration: 1, valueHandle: 2, end: 3, properties: .read)
    let records = [GATTCharacteristicRecord](repeating: record, count: 100)
    for start in 1...2000 as ClosedRange<UInt16> {
      database.record(.characteristics(records), of: .discoverCharacteristics(AttributeHandleRange(start, 0xFFFF)))
      database.record(configuration: start, of: start)
    }
    #expect((KnownDatabase.mostBytes - 8192...KnownDatabase.mostBytes).contains(database.byteCount))
    #expect(database.outcome(of: .discoverCharacteristics(AttributeHandleRange(1, 0xFFFF))) != nil)
    #expect(database.outcome(of: .discoverCharacteristics(AttributeHandleRange(2000, 0xFFFF))) == nil)
    var table = KnownDatabases()
    for number in 0..<200 as Range<UInt64> { table[.staticRandom(number)] = database }
    #expect(table.count == KnownDatabases.mostBytes / database.byteCount)
    #expect(table[.staticRandom(199)] != nil && table[.staticRandom(0)] == nil)
    let small = KnownDatabase(hash: database.hash)
    for number in 0..<200 as Range<UInt64> { table[.staticRandom(number)] = small }
    #expect(table.count == KnownDatabases.mostPeers)
    table[.staticRandom(199)] = nil
    #expect(table.count == KnownDatabases.mostPeers - 1)
  }
}
