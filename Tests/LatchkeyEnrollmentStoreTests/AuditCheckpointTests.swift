import LatchkeyTestSupport
import Crypto
@testable import LatchkeyEnrollmentStore
import Foundation
import LatchkeySQLiteTestSupport
import Testing

struct AuditCheckpointTests {
  private static let hash = [UInt8](repeating: 0xAB, count: 32)
  private static let digits = String(repeating: "ab", count: 32)

  private func store(_ folder: Folder, node: String, entries: Int) async throws {
    let store = try SQLiteStore(path: folder.path("server.db"), node: node)
    for number in 0..<entries { try await store.write { try $0.audit(AuditEntry(event: "e", time: Int64(number))) } }
    await store.close()
  }

  @Test("Its text is read as it was written, signed or not") func itsTextIsReadAsItWasWrittenSignedOrNot() throws {
    let heads = [
      AuditHead(node: "server 1", sequence: 7, hash: Self.hash),
      AuditHead(node: "ü/2", sequence: .max, hash: Self.hash),
    ]
    let key = P256.Signing.PrivateKey()
    let plain = AuditCheckpoint(time: 5, heads: heads)
    let signed = try plain.signed { Array(try key.signature(for: $0).derRepresentation) }
    #expect(plain.text.hasPrefix("latchkey-audit-heads 1\ntime 5\nhead 7 \(Self.digits) server 1\n"))
    for checkpoint in [plain, signed, AuditCheckpoint(time: -1, heads: [])] {
      #expect(try AuditCheckpoint(text: Array(checkpoint.text.utf8)) == checkpoint)
    }
    let publicKey = Array(key.publicKey.x963Representation)
    #expect(signed.isSigned(by: publicKey))
    #expect(!plain.isSigned(by: publicKey))
    #expect(!signed.isSigned(by: Array(P256.Signing.PrivateKey().publicKey.x963Representation)))
    #expect(!signed.isSigned(by: []))
    // Every byte counts, that of the time too.
    for place in signed.text.utf8.indices {
      var bytes = Array(signed.text.utf8)
      bytes[signed.text.utf8.distance(from: signed.text.startIndex, to: place)] ^= 1
      #expect((try? AuditCheckpoint(text: bytes))?.isSigned(by: publicKey) != true)
    }
  }

  @Test(
    "Another text is refused",
    arguments: [
      "", "\n", "latchkey-audit-heads 1\n", "latchkey-audit-heads 2\ntime 1\n", "latchkey-audit-heads 1\ntime 1",
      "latchkey-audit-heads 1\ntime +1\n", "latchkey-audit-heads 1\ntime 01\n", "latchkey-audit-heads 1\ntime x\n",
      "latchkey-audit-heads 1\ntime 1\n\n", "latchkey-audit-heads 1\r\ntime 1\r\n",
      "latchkey-audit-heads 1\ntime 1\nhead 0 \(digits) a\n", "latchkey-audit-heads 1\ntime 1\nhead 1 ab a\n",
      "latchkey-audit-heads 1\ntime 1\nhead 1 \(digits) \n", "latchkey-audit-heads 1\ntime 1\nhead 1 \(digits)\n",
      "latchkey-audit-heads 1\ntime 1\nhead 99999999999999999999 \(digits) a\n",
      "latchkey-audit-heads 1\ntime 1\nhead 1 \(digits.uppercased()) a\n",
      "latchkey-audit-heads 1\ntime 1\nsignature !\n",
      "latchkey-audit-heads 1\ntime 1\nsignature AA==\nsignature AA==\n",
      "latchkey-audit-heads 1\ntime 1\nsignature AA==\nhead 1 \(digits) a\n",
    ]) func anotherTextIsRefused(_ text: String)
  {
    #expect(throws: EnrollmentStoreError.self) { try AuditCheckpoint(text: Array(text.utf8)) }
  }

  @Test("Bytes that are no text, or too many, are refused") func bytesThatAreNoTextOrTooManyAreRefused() {
    #expect(throws: EnrollmentStoreError.self) { try AuditCheckpoint(text: [0xFF, 0xFE]) }
    #expect(throws: EnrollmentStoreError.self) { try AuditCheckpoint(text: [UInt8](repeating: 0x0A, count: 2 << 20)) }
  }

  /// What is done to the chain of node "a", of three entries, and what is said then of it.
  @Test(
    "Entries that another chain or a file records are missed",
    arguments: [
      ("SELECT 1", nil),
      ("DELETE FROM audit_entries WHERE node = 'a'; DELETE FROM audit_heads WHERE node = 'a'", .gone(3)),
      (
        "DELETE FROM audit_entries WHERE node = 'a' AND sequence = 3; UPDATE audit_heads SET sequence = 2, "
          + "hash = (SELECT hash FROM audit_entries WHERE node = 'a' AND sequence = 2) WHERE node = 'a'", .missing(3)
      ),
    ] as [(String, AuditChain.Fault?)])
  func entriesThatAnotherChainOrAFileRecordsAreMissed(_ harm: String, _ fault: AuditChain.Fault?)
    async throws
  {
    let folder = try Folder()
    try await store(folder, node: "a", entries: 3)
    let other = try SQLiteStore(path: folder.path("server.db"), node: "b")
    let heads = try await other.read { try $0.auditHeads() }
    #expect(heads.map(\.node) == ["a"])
    let kept = AuditCheckpoint(time: 1, heads: heads)
    try await other.write { for entry in AuditMention.entries(of: heads, at: 1) { try $0.audit(entry) } }
    #expect(try await AuditChain.verify(other).allSatisfy { $0.fault == nil })
    try ForeignConnection(other.path).execute(harm)
    let reports = try await AuditChain.verify(other)
    #expect(reports.first { $0.node == "a" }?.fault == fault)
    #expect(reports.first { $0.node == "b" }?.fault == nil)
    #expect(try await kept.faults(in: other).map(\.fault) == (fault.map { [$0] } ?? []))
    await other.close()
  }

  @Test("A chain that was written anew is another than the file knows")
  func aChainThatWasWrittenAnewIsAnotherThanTheFileKnows() async throws {
    let (folder, anew) = (try Folder(), try Folder())
    try await store(folder, node: "a", entries: 3)
    let first = try SQLiteStore(path: folder.path("server.db"), node: "b")
    let kept = AuditCheckpoint(time: 1, heads: try await first.read { try $0.auditHeads() })
    #expect(try await kept.faults(in: first) == [])
    await first.close()
    let second = try SQLiteStore(path: anew.path("server.db"), node: "a")
    for _ in 0..<5 { try await second.write { try $0.audit(AuditEntry(event: "forged", time: 9)) } }
    #expect(try await AuditChain.verify(second).allSatisfy { $0.fault == nil })
    #expect(try await kept.faults(in: second).map(\.fault) == [.rewritten(3)])
    await second.close()
  }

  /// Unicode holds these for equal; they are two servers.
  private static let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")

  /// A chain of one entry, as a program wrote it that took any name.
  private static func write(_ node: String, into database: ForeignConnection) throws {
    let next = try AuditHead.start(of: node).appending(AuditEntry(event: "old", time: 1))
    try database.execute(
      "INSERT INTO audit_entries (node, sequence, event, time, fields, previous, hash) VALUES (?, 1, ?, ?, ?, ?, ?)",
      [
        node, next.entry.event, next.entry.time, Data(AuditEncoding.encode(fields: [:])), Data(next.previous),
        Data(next.hash),
      ])
    try database.execute("INSERT INTO audit_heads (node, sequence, hash) VALUES (?, 1, ?)", [node, Data(next.hash)])
  }

  @Test("A name in another form than the composed one is refused") func aNameInAnotherFormThanTheComposedOneIsRefused()
    throws
  {
    let folder = try Folder()
    let error = #expect(throws: EnrollmentStoreError.self) {
      try SQLiteStore(path: folder.path("server.db"), node: Self.decomposed)
    }
    #expect("\(try #require(error))".contains("--node"))
  }

  @Test("Chains whose names look alike are two, each verified and each named by others")
  func chainsWhoseNamesLookAlikeAreTwo() async throws {
    let folder = try Folder()
    let store = try SQLiteStore(path: folder.path("server.db"), node: Self.composed)
    try ForeignConnection(store.path).transaction { try Self.write(Self.decomposed, into: $0) }
    let (heads, other) = try await store.write { store in
      for number in 1...3 { try store.audit(AuditEntry(event: "e", time: Int64(number))) }
      return (try store.auditHeads(), try store.auditHead(node: Self.decomposed))
    }
    #expect(heads.map(\.sequence).sorted() == [1, 3])
    #expect(other?.sequence == 1)
    #expect(try await store.read { try $0.auditNodes() }.count == 2)
    #expect(try await AuditChain.verify(store).map(\.fault) == [nil, nil])
    await store.close()
    let third = try SQLiteStore(path: folder.path("server.db"), node: "third")
    try await third.write { for entry in AuditMention.entries(of: heads, at: 1) { try $0.audit(entry) } }
    for (name, last) in [(Self.composed, Int64(3)), (Self.decomposed, 1)] {
      try ForeignConnection(third.path).execute(
        "DELETE FROM audit_entries WHERE node = ?; DELETE FROM audit_heads WHERE node = ?", [name, name])
      let reports = try await AuditChain.verify(third)
      let report = reports.first { $0.node.utf8.elementsEqual(name.utf8) }
      #expect(report?.fault == .gone(last), "\(reports)")
    }
    await third.close()
  }

  @Test("Of several mentions the furthest counts, and of several heads each")
  func ofSeveralMentionsTheFurthestCountsAndOfSeveralHeadsEach() async throws {
    let folder = try Folder()
    let other = try SQLiteStore(path: folder.path("server.db"), node: "b")
    var kept = AuditCheckpoint(time: 1, heads: [])
    for _ in 0..<2 {
      try await store(folder, node: "a", entries: 1)
      try await store(folder, node: "c", entries: 1)
      let heads = try await other.read { try $0.auditHeads().filter { $0.node != "b" } }
      try await other.write { for entry in AuditMention.entries(of: heads, at: 1) { try $0.audit(entry) } }
      kept = AuditCheckpoint(time: 1, heads: heads)
    }
    #expect(try await AuditChain.verify(other).allSatisfy { $0.fault == nil })
    #expect(try await kept.faults(in: other) == [])
    try ForeignConnection(other.path).execute(
      """
      DELETE FROM audit_entries WHERE node = 'c' AND sequence = 2; UPDATE audit_heads SET sequence = 1,
      hash = (SELECT hash FROM audit_entries WHERE node = 'c') WHERE node = 'c'
      """)
    let reports = try await AuditChain.verify(other)
    #expect(reports.map(\.node) == ["a", "b", "c"] && reports.map(\.fault) == [nil, nil, .missing(2)])
    #expect(try await kept.faults(in: other).map(\.node) == ["c"])
    // What a chain says of itself comes first.
    try ForeignConnection(other.path).execute("UPDATE audit_entries SET event = 'x' WHERE node = 'c'")
    #expect(try await AuditChain.verify(other).map(\.fault) == [nil, nil, .altered(1)])
    await other.close()
  }

  @Test("An entry of something else mentions nothing, whatever its fields are")
  func anEntryOfSomethingElseMentionsNothingWhateverItsFieldsAre() async throws {
    let folder = try Folder()
    let store = try SQLiteStore(path: folder.path("server.db"), node: "b")
    let field = ["head a": "3 \(Self.digits)"]
    try await store.write { try $0.audit(AuditEntry(event: "login.refused", time: 1, fields: field)) }
    #expect(try await AuditChain.verify(store).map(\.fault) == [nil])
    try await store.write { try $0.audit(AuditEntry(event: AuditMention.event, time: 1, fields: field)) }
    #expect(try await AuditChain.verify(store).map(\.fault) == [nil, .gone(3)])
    await store.close()
  }
}
