@testable import LatchkeyEnrollmentStore
import LatchkeyTestSupport
import Crypto
import Foundation
import LatchkeySQLiteTestSupport
import Testing

@Suite("A pruned audit chain")
struct AuditPruningTests {
  private static let key = P256.Signing.PrivateKey()
  private static let signers = AuditSigners.keys([Array(key.publicKey.x963Representation)])

  private static func sign(_ message: [UInt8]) throws -> [UInt8] {
    Array(try key.signature(for: message).derRepresentation)
  }

  private let folder: Folder

  init() throws { folder = try Folder() }

  /// A store whose chain "a" has ten entries, the first four of them pruned.
  private func store(isPruned: Bool = true) async throws -> SQLiteStore {
    let store = try SQLiteStore(path: folder.path("server.db"), node: "a")
    try await store.write { store in
      for number in 1...10 { try store.audit(AuditEntry(event: "e", time: Int64(number))) }
    }
    if isPruned { try await Self.prune(store, upTo: 4) }
    return store
  }

  private static func prune(_ store: SQLiteStore, upTo number: Int64) async throws {
    try await store.write { store in
      let last = try store.auditEntries(node: "a", after: number - 1, limit: 1)[0]
      let head = AuditHead(node: "a", sequence: number, hash: last.hash)
      _ = try store.pruneAudit(try AuditPruning(upTo: head, before: 100, at: 100, by: sign))
    }
  }

  private static let five =
    "sequence = 5, hash = (SELECT hash FROM audit_entries WHERE sequence = 5); DELETE FROM audit_entries WHERE sequence = 5"

  /// What is done to the tables, and what is said then.
  private static let harms: [(sql: String, fault: AuditChain.Fault?)] = [
    ("SELECT 1", nil),
    ("DELETE FROM audit_prunings", .missing(1)),
    ("DELETE FROM audit_entries WHERE sequence = 5", .missing(5)),
    ("DELETE FROM audit_entries WHERE sequence = 10", .truncated(10)),
    ("DELETE FROM audit_entries", .truncated(5)),
    ("DELETE FROM audit_heads", .beyondHead(5)),
    ("DELETE FROM audit_heads; DELETE FROM audit_entries", .gone(4)),
    ("UPDATE audit_heads SET sequence = 3", .beyondHead(5)),
    ("UPDATE audit_prunings SET \(five)", .unsignedPruning(5)),
    ("UPDATE audit_prunings SET sequence = 3", .unsignedPruning(3)),
    ("UPDATE audit_prunings SET hash = zeroblob(32)", .unsignedPruning(4)),
    ("UPDATE audit_prunings SET before = before + 1", .unsignedPruning(4)),
    ("UPDATE audit_prunings SET time = time - 1", .unsignedPruning(4)),
    ("UPDATE audit_prunings SET signature = zeroblob(0)", .unsignedPruning(4)),
    ("UPDATE audit_prunings SET signature = zeroblob(10000)", .unsignedPruning(4)),
    ("UPDATE audit_entries SET event = 'x' WHERE sequence = 5", .altered(5)),
    ("UPDATE audit_entries SET previous = zeroblob(32) WHERE sequence = 5", .broken(5)),
    (
      "INSERT INTO audit_entries SELECT node, 2, event, time, fields, previous, hash FROM audit_entries WHERE sequence = 7",
      .pruned(2)
    ),
  ]

  @Test("Forged prunings, missing rows and rows that were put in again are found", arguments: harms)
  func harm(_ harm: (sql: String, fault: AuditChain.Fault?)) async throws {
    let store = try await store()
    try ForeignConnection(store.path).execute(harm.sql)
    for page in [1, 3, 1000] {
      let reports = try await AuditChain.verify(store, page: page, signers: Self.signers)
      #expect(reports.map(\.fault) == [harm.fault])
    }
    await store.close()
  }

  @Test("Signed heads of a chain, which servers write each minute, prune nothing")
  func headsAreNoPruning() async throws {
    let store = try await store(isPruned: false)
    let entry = try await store.read { try $0.auditEntries(node: "a", after: 3, limit: 1)[0] }
    let head = AuditHead(node: "a", sequence: 4, hash: entry.hash)
    let heads = try AuditCheckpoint(time: 100, heads: [head]).signed(by: Self.sign)
    let signature = try #require(heads.signature)
    for before in [Int64(0), 100] {
      try ForeignConnection(store.path).execute(
        """
        DELETE FROM audit_entries WHERE sequence <= 4;
        INSERT OR REPLACE INTO audit_prunings (node, sequence, hash, before, time, signature) VALUES ('a', 4, x'00', 0, 100, x'00')
        """)
      try ForeignConnection(store.path).execute(
        "UPDATE audit_prunings SET hash = ?, before = ?, signature = ?", [Data(entry.hash), before, Data(signature)])
      #expect(try await AuditChain.verify(store, signers: Self.signers).map(\.fault) == [.unsignedPruning(4)])
    }
    await store.close()
  }

  @Test("A pruning of one chain is none of another")
  func anotherChain() async throws {
    await (try await store()).close()
    let store = try SQLiteStore(path: folder.path("server.db"), node: "b")
    try await store.write { store in
      for number in 1...9 { try store.audit(AuditEntry(event: "e", time: Int64(number))) }
    }
    try ForeignConnection(store.path).execute(
      """
      DELETE FROM audit_entries WHERE node = 'b' AND sequence <= 4;
      INSERT INTO audit_prunings SELECT 'b', sequence, hash, before, time, signature FROM audit_prunings
      """)
    let reports = try await AuditChain.verify(store, signers: Self.signers)
    #expect(reports.map(\.fault) == [nil, .unsignedPruning(4)])
    await store.close()
  }

  @Test("Ends that were noted before a pruning count as far as it, and no further")
  func notedEnds() async throws {
    let store = try await store(isPruned: false)
    let heads = try await store.read { store in
      try ([3, 4, 7] as [Int64]).map { number -> AuditHead in
        let entry = try store.auditEntries(node: "a", after: number - 1, limit: 1)[0]
        return AuditHead(node: "a", sequence: number, hash: entry.hash)
      }
    }
    try await Self.prune(store, upTo: 4)
    func faults(_ head: AuditHead, _ signers: AuditSigners = Self.signers) async throws -> [AuditChain.Fault?] {
      try await AuditCheckpoint(time: 1, heads: [head]).faults(in: store, signers: signers).map(\.fault)
    }
    for head in heads { #expect(try await faults(head) == []) }
    var other = heads[1]
    other.hash[0] ^= 1
    #expect(try await faults(other) == [.rewritten(4)])
    // Below it, nothing but the signature says that the entry was there.
    #expect(try await faults(heads[0], .keys([])) == [.unsignedPruning(4)])
    #expect(try await faults(heads[1], .keys([])) == [])
    try ForeignConnection(store.path).execute("DELETE FROM audit_entries WHERE sequence >= 7")
    #expect(try await faults(heads[2]) == [.missing(7)])
    await store.close()
  }

  @Test("A copy from before a pruning is whole, and what was noted after it is found missing")
  func olderCopy() async throws {
    let store = try await store(isPruned: false)
    _ = try SQLiteBackup.make(of: store.path, to: folder.path("copy.db"))
    try await store.write { try $0.audit(AuditEntry(event: "later", time: 11)) }
    try await Self.prune(store, upTo: 11)
    let noted = AuditCheckpoint(time: 1, heads: try await store.read { try $0.auditHeads() })
    #expect(try await noted.faults(in: store, signers: Self.signers) == [])
    await store.close()
    _ = try SQLiteBackup.restore(folder.path("copy.db"), to: folder.path("b.db"), losesRevocations: true)
    let restored = try SQLiteStore(path: folder.path("b.db"), node: "a")
    #expect(
      try await AuditChain.verify(restored) == [
        AuditChain.Report(node: "a", entries: 10), AuditChain.Report(node: "operator", entries: 1),
      ])
    #expect(try await noted.faults(in: restored, signers: Self.signers).map(\.fault) == [.missing(11)])
    await restored.close()
  }

  @Test("Another server's heads note a pruned chain once, and not at each start")
  func news() async throws {
    let store = try await store(isPruned: false)
    try await Self.prune(store, upTo: 10)
    let hasNews = try await store.read { store in
      try AuditMention.hasNews(try store.auditHeads()[0], since: [], in: store)
    }
    #expect(!hasNews)
    await store.close()
  }

  // MARK: Exports

  private func lines(_ store: SQLiteStore) async throws -> [[UInt8]] {
    try await store.read {
      try $0.auditEntries(node: "a", after: 0, limit: 99).map { Array(AuditExport.line($0).utf8) }
    }
  }

  @Test("A line of an export comes back as the entry that it is")
  func lineOfEntry() throws {
    let entry = AuditEntry(event: "名前\n", time: .max, fields: ["": "\"\\/", "é": "e\u{301}\u{0}"])
    let chained = try AuditHead.start(of: "ü/2").appending(entry)
    #expect(try AuditExport.entry(Array(AuditExport.line(chained).utf8)) == chained)
    #expect(!AuditExport.line(chained).contains("\n"))
  }

  @Test("A line that was altered, is missing, or stands in another order is refused")
  func alteredLines() async throws {
    let store = try await store(isPruned: false)
    let lines = try await lines(store)
    await store.close()
    func refused(_ lines: [[UInt8]]) -> Bool {
      var verifier = AuditExportVerifier()
      do { for line in lines { try verifier.take(line: line) } } catch { return true }
      return false
    }
    #expect(!refused(lines) && !refused(Array(lines[3...])))
    #expect(refused([lines[0], lines[2]]) && refused([lines[1], lines[0]]) && refused([lines[0], lines[0]]))
    for bytes in [[], [0x7B, 0x7D], [0xFF], Array("null".utf8), [UInt8](repeating: 0x20, count: 2 << 20)] {
      #expect(refused([bytes]))
    }
    // Each byte counts.
    for place in lines[0].indices {
      var line = lines[0]
      line[place] ^= 1
      #expect(refused([line]), "\(String(decoding: line, as: UTF8.self))")
    }
  }
}
