import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

/// What a server does for clients that cache its database (Core 6.0 Vol 3 Part G 2.5.2.1, 7.2 to 7.4).
@Suite("A server whose clients cache") struct ATTServerCachingTests {
  /// The client wants to be told.
  private static let robust = "> 12 0b00 01\n< 13\n"

  @discardableResult
  private func play(_ transcript: String, _ location: SourceLocation = #_sourceLocation) throws -> ATTServerBench {
    var bench = try ATTServerBench(hasCaching: true)
    try bench.play(transcript, location)
    return bench
  }

  @Test("keeps the client's features: no bit can be cleared, unknown ones are ignored") func features() throws {
    try play(
      """
      > 0a 0b00
      < 0b 00
      > 12 0b00 01
      < 13
      > 12 0b00 00
      < 01 12 0b00 13
      > 12 0b00 06
      < 01 12 0b00 13
      > 12 0b00
      < 01 12 0b00 0d
      > 12 0b00 fb ff             # further bytes have no meaning yet
      < 13
      > 0a 0b00
      < 0b 03
      > 52 0b00 07                # a command is not offered
      > 0a 0b00
      < 0b 03
      > 16 0b00 0000 07           # nor are parts
      < 17 0b00 0000 07
      > 18 01
      < 01 18 0b00 03
      > 08 0100 ffff 292b
      < 09 03 0b00 03
      > 0a 0f00                   # the server's features
      < 0b 00
      > 12 0f00 01
      < 01 12 0f00 03
      > 12 0d00 00
      < 01 12 0d00 03
      """)
  }

  @Test("gives the hash by one request") func hash() throws {
    var bench = try ATTServerBench(hasCaching: true)
    let hash = Hexadecimal.encode(bench.database.hash.bytes)
    try bench.play("> 08 0100 ffff 2a2b\n< 09 12 0d00 \(hash)\n> 0a 0d00\n< 0b \(hash)")
  }

  @Test("refuses a client out of step once, ignores its commands and sends it no values") func outOfSync() throws {
    try play(
      Self.robust + """
        > 12 1300 0100
        < 13
        * 1 0012 notifications
        ~ 0012 01
        < 1b 1200 01
        a
        ~ 0012 02
        * nobody
        > 52 1500 aa
        > 10 0100 ffff 0028         # discovery goes on, and makes nobody aware
        < 11 06 0100 0500 0018 0600 0f00 0118 1000 1d00 0f18
        > 04 1200 1300
        < 05 01 1200 192a 1300 0229
        > 08 1000 1100 0328
        < 09 07 1100 32 1200 192a
        > 06 0100 ffff 0028 0f18
        < 07 1000 1d00
        > 02 1700
        < 03 0502
        > 0a 1800
        < 01 0a 1800 12
        > 52 1500 aa                # told, but no request since
        ~ 0012 03
        * nobody
        > 0a 1800
        < 0b 0102030405
        > 52 1500 aa
        ? command 1 0015@0=aa
        ~ 0012 04
        < 1b 1200 04
        a                           # the next change, the next refusal
        > 0a 1800
        < 01 0a 1800 12
        """)
  }

  @Test(
    "refuses all requests that name attributes",
    arguments: [
      ("0a 1800", "1800"), ("0c 1800 0000", "1800"), ("0e 1800 1800", "1800"), ("20 1800 1800", "1800"),
      ("12 1500 01", "1500"), ("12 1300 0000", "1300"), ("12 0b00 01", "0b00"), ("16 1500 0000 01", "1500"),
      ("18 01", "0000"), ("08 1000 ffff f3ff", "1000"), ("08 0100 feff 2a2b", "0100"), ("0a 9900", "9900"),
    ]) func requests(_ request: String, _ handle: String) throws
  {
    try play(Self.robust + "a\n> \(request)\n< 01 \(request.prefix(2)) \(handle) 12")
    // And serves them when they come again, which any answer but this one shows.
    var bench = try ATTServerBench(hasCaching: true)
    try bench.play(Self.robust + "a\n> \(request)\n< 01 \(request.prefix(2)) \(handle) 12")
    _ = try bench.perform("> \(request)")
    #expect(bench.server.awareness.isAware)
  }

  @Test("answers requests that are malformed, or no operations on attributes, as ever") func others() throws {
    try play(
      Self.robust + """
        a
        > 0a
        < 01 0a 0000 04
        > 08 1000 ffff
        < 01 08 0000 04
        > 18 00
        < 19
        > 08 0100 ffff f3ff         # the whole range
        < 09 07 1800 0102030405
        > 0a 1800
        < 01 0a 1800 12
        """)
  }

  @Test("drops the parts that a client out of step has queued") func preparedWrites() throws {
    try play(
      Self.robust + """
        > 16 1500 0000 01
        < 17 1500 0000 01
        a
        > 18 01
        < 01 18 0000 12
        > 18 01
        < 19
        """)
  }

  @Test("counts a client as aware after it has read the hash and requests something") func hashRead() throws {
    for read in ["08 0100 ffff 2a2b"] {
      var bench = try ATTServerBench(hasCaching: true)
      try bench.play(Self.robust + "a\n> 52 1500 aa")
      _ = try bench.perform("> \(read)")
      try bench.play("> 52 1500 aa\n> 04 1200 1200\n< 05 01 1200 192a\n> 52 1500 aa\n? command 1 0015@0=aa")
    }
    // A change after the read counts again.
    var bench = try ATTServerBench(hasCaching: true)
    try bench.play(Self.robust + "a")
    _ = try bench.perform("> 08 0100 ffff 2a2b")
    try bench.play("a\n> 0a 1800\n< 01 0a 1800 12")
  }

  @Test("counts a client as aware when it confirms a Service Changed that tells of the last change")
  func serviceChanged() throws {
    try play(
      Self.robust + """
        > 12 0900 0200
        < 13
        a
        ~ 0008 1000ffff
        < 1d 0800 1000ffff
        a
        ~ 0008 1000ffff
        * queued
        > 1e
        < 1d 0800 1000ffff
        * confirmed 0008
        > 52 1500 aa                # it tells of the first
        > 1e
        * confirmed 0008
        > 52 1500 aa
        ? command 1 0015@0=aa
        """)
  }

  @Test("does not take the confirmation of another value for that") func otherConfirmation() throws {
    try play(
      Self.robust + """
        > 12 1300 0200
        < 13
        * 1 0012 indications
        ~ 0012 01
        < 1d 1200 01
        ~ 0012 02
        * queued
        a
        > 1e                        # the queued value is dropped
        * confirmed 0012
        > 1e
        > 0a 1800
        < 01 0a 1800 12
        """)
  }

  @Test("does not take the confirmation of a newer value for that, either") func laterConfirmation() throws {
    var bench = try ATTServerBench(hasCaching: true)
    // A client that did not ask to be told gets values as ever.
    try bench.play(
      """
      > 12 1300 0200
      < 13
      * 1 0012 indications
      a
      ~ 0012 01
      < 1d 1200 01
      > 1e
      * confirmed 0012
      """)
    #expect(!bench.server.awareness.isAware)
  }

  @Test("leaves clients alone that did not ask to be told") func plainClient() throws {
    try play(
      """
      > 12 0b00 06
      < 13
      > 12 1300 0100
      < 13
      * 1 0012 notifications
      a
      > 0a 1800
      < 0b 0102030405
      ~ 0012 01
      < 1b 1200 01
      > 52 1500 aa
      ? command 1 0015@0=aa
      """)
  }

  // MARK: Bonded clients

  private func bonded(_ transcript: String) throws -> (BondedClient, GATTDatabase) {
    let bench = try play(transcript)
    return (bench.server.bondedClient(bench.database, before: nil), bench.database)
  }

  /// A server on a new link, with what was kept.
  private func next(_ client: BondedClient, _ database: GATTDatabase, isCurrent: Bool) throws -> ATTServerBench {
    var bench = try ATTServerBench(hasCaching: true)
    bench.database = database
    var outputs: [ATTServerOutput] = []
    let wasCurrent = bench.server.restore(client, database, into: &outputs)
    #expect(wasCurrent == isCurrent)
    return bench
  }

  @Test("has the features and configurations of a bonded client on the next link") func restored() throws {
    let (client, database) = try bonded(Self.robust + "> 12 1300 0300\n< 13\n* 1 0012 notifications")
    #expect(client.features == 1 && client.knownHash == database.hash && client.informedHash == nil)
    #expect(client.configurations == [.init(valueHandle: 0x12, uuid: 0x2A19, bits: 3)])
    var bench = try next(client, database, isCurrent: true)
    try bench.play("> 0a 0b00\n< 0b 01\n> 0a 1300\n< 0b 0300\n~ 0012 07\n< 1b 1200 07")
  }

  @Test("refuses a bonded client that missed a change, and tells the owner of its configurations all the same")
  func missedChange() throws {
    let (client, old) = try bonded(Self.robust + "> 12 1300 0100\n< 13\n* 1 0012 notifications")
    var database = old
    _ = try database.add(GATTServiceDefinition(uuid: 0xFFE0), owner: ClientID(3))
    var bench = try ATTServerBench(hasCaching: true)
    bench.database = database
    var outputs: [ATTServerOutput] = []
    let isCurrent = bench.server.restore(client, database, into: &outputs)
    #expect(!isCurrent)
    guard case .subscriptionChanged(ClientID(1), 0x12, .notifications)? = outputs.first else {
      Issue.record("the owner was not told")
      return
    }
    try bench.play(
      "~ 0012 07\n* nobody\n> 0a 1800\n< 01 0a 1800 12\n> 0a 1800\n< 0b 0102030405\n~ 0012 07\n< 1b 1200 07")
    // It is told once, also over two links.
    let told = try play(Self.robust + "a\n> 0a 1800\n< 01 0a 1800 12")
    let kept = told.server.bondedClient(told.database, before: client)
    #expect(kept.knownHash == old.hash && kept.informedHash == told.database.hash)
    var third = try next(kept, told.database, isCurrent: false)
    try third.play("> 52 1500 aa\n> 0a 1800\n< 0b 0102030405")
    // Unless the database changes between them.
    var changed = told.database
    _ = try changed.add(GATTServiceDefinition(uuid: 0xFFE1), owner: ClientID(3))
    var fourth = try next(kept, changed, isCurrent: false)
    try fourth.play("> 0a 1800\n< 01 0a 1800 12")
  }

  @Test("restores no configuration of another characteristic, or of bits that are not offered") func otherDatabase()
    throws
  {
    let (_, database) = try bonded("")
    var client = BondedClient()
    client.configurations = [
      .init(valueHandle: 0x12, uuid: 0x2A1A, bits: 1), .init(valueHandle: 0x1A, uuid: 0xFFF4, bits: 1),
      .init(valueHandle: 0x15, uuid: 0xFFF2, bits: 1), .init(valueHandle: 0xFFFF, uuid: 0x2A19, bits: 1),
      .init(valueHandle: 0x99, uuid: 0x2A19, bits: 1), .init(valueHandle: 0x00, uuid: 0x2A19, bits: 1),
    ]
    let bench = try next(client, database, isCurrent: false)
    #expect(bench.server.subscriptions.entries.isEmpty)
    // They are kept, for services that come back: as many as fit.
    client.configurations = (1...100).map { .init(valueHandle: 0x1000 + $0, uuid: 0x2A19, bits: 1) }
    let kept = bench.server.bondedClient(database, before: client)
    #expect(kept.configurations.count == BondedClient.mostConfigurations)
  }

  @Test("keeps what the client wrote on the link before it was encrypted") func writtenBefore() throws {
    let (client, database) = try bonded("> 12 1300 0100\n< 13\n* 1 0012 notifications")
    var bench = try ATTServerBench(hasCaching: true)
    try bench.play("> 12 1300 0200\n< 13\n* 1 0012 indications\n> 12 0b00 02\n< 13")
    var outputs: [ATTServerOutput] = []
    let isCurrent = bench.server.restore(client, database, into: &outputs)
    #expect(isCurrent && outputs.isEmpty)
    try bench.play("> 0a 1300\n< 0b 0200\n> 0a 0b00\n< 0b 02")
  }
}
