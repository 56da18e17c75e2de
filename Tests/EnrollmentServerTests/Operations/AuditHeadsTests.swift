import CertificateAuthority
import EnrollmentStore
import Foundation
import Synchronization
import Testing

@testable import EnrollmentServer

@Suite("The ends of the audit chains, noted")
struct AuditHeadsTests {
  @Test("They are noted where something happened, signed, and what knows more than the database is not overwritten")
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
  }
}
