import LatchkeyServerTestSupport
import Foundation
import LatchkeyCertificateAuthority
import LatchkeyEnrollmentStore
import Synchronization
import Testing

@testable import LatchkeyEnrollmentServer

@Suite("The ends of the audit chains, noted")
struct AuditHeadsTests {
  @Test("A head is noted after a change and signed, and one that is ahead of the database is not overwritten")
  func notes() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-heads-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "audit-heads").path
    let bench = try CeremonyBench { $0.auditHeadsFile = file }
    let heads = AuditHeads(services: bench.services)
    let kept = { try AuditCheckpoint(text: Array(try Data(contentsOf: URL(filePath: file)))) }
    try await bench.store.write { try $0.audit(AuditEntry(event: "e", time: 1)) }
    try await heads.note()
    let first = try kept()
    #expect(first.heads.map(\.sequence) == [1])
    #expect(first.isSigned(by: bench.services.configuration.answerKey.publicKey))
    #expect(!first.isSigned(by: FileAuthorityKey().publicKey))
    bench.clock.advance(by: 60)
    try await heads.note()
    #expect(try kept() == first)
    try await bench.store.write { try $0.audit(AuditEntry(event: "e", time: 2)) }
    try await heads.note()
    #expect(try kept().heads.map(\.sequence) == [2])
    // Of another database: it has lost what the file knows of.
    let other = try CeremonyBench { $0.auditHeadsFile = file }
    try await other.store.write { try $0.audit(AuditEntry(event: "other", time: 1)) }
    let before = try kept()
    try await AuditHeads(services: other.services).note()
    #expect(try kept() == before)
    #expect(try await before.faults(in: other.store).map(\.fault) == [.missing(2)])
    // The chain itself is whole; the note is ahead of it.
    #expect(try await Operator(other.store).verifyAudit().map(\.fault) == [nil])
    #expect(try await Operator(other.store).verifyAudit(against: [before]).map(\.fault) == [.missing(2)])
    // A note that this server has not signed is not trusted, and stays.
    let foreign = AuditCheckpoint(time: 1, heads: [])
    try Data(foreign.text.utf8).write(to: URL(filePath: file))
    try await bench.store.write { try $0.audit(AuditEntry(event: "e", time: 3)) }
    try await heads.note()
    #expect(try kept() == foreign)
  }

  /// A store that two servers share, and what each of them notes.
  private func pair() throws -> (path: String, servers: [(store: SQLiteStore, heads: AuditHeads)]) {
    let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-heads-\(UUID().uuidString)")
    let path = folder.appending(path: "server.db").path
    let servers = try ["a", "b"].map { node in
      let store = try SQLiteStore(path: path, node: node)
      let bench = try CeremonyBench { ($0.store, $0.node) = (store, node) }
      return (store, AuditHeads(services: bench.services))
    }
    return (folder.path, servers)
  }

  @Test("Two servers that have nothing to do note each other's ends once, and what comes then once more")
  func idle() async throws {
    let (folder, servers) = try pair()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    func rounds(_ count: Int) async throws -> [Int64] {
      for _ in 0..<count { for server in servers { try await server.heads.note() } }
      return try await servers[0].store.read { try $0.auditHeads().map(\.sequence) }
    }
    for server in servers { try await server.store.write { try $0.audit(AuditEntry(event: "e", time: 1)) } }
    #expect(try await rounds(1) == [2, 2])
    #expect(try await rounds(5) == [2, 2])
    try await servers[1].store.write { try $0.audit(AuditEntry(event: "e", time: 2)) }
    #expect(try await rounds(5) == [3, 3])
    // The last entry that says something is known to the other: without it the chain is cut.
    let known = try await servers[0].store.read { try $0.auditEntries(node: "a", after: 2, limit: 1).first }
    #expect(known?.entry.fields["head b"]?.hasPrefix("3 ") == true)
    for server in servers { await server.store.close() }
  }
}
