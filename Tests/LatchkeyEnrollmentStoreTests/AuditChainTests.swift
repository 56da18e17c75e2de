@testable import LatchkeyEnrollmentStore
import LatchkeyTestSupport
import Foundation
import LatchkeySQLiteTestSupport
import Testing

/// A harm done to a chain of five entries behind the store's back, and what is said of it.
struct ChainHarm: Sendable, CustomTestStringConvertible {
  let sql: String
  let entries: Int64
  let fault: AuditChain.Fault?

  var testDescription: String { sql }
}

struct AuditChainTests {
  private static let harms: [ChainHarm] = [
    ChainHarm(sql: "SELECT 1", entries: 5, fault: nil),
    ChainHarm(sql: "UPDATE audit_entries SET event = 'other' WHERE sequence = 3", entries: 2, fault: .altered(3)),
    ChainHarm(sql: "UPDATE audit_entries SET time = time + 1 WHERE sequence = 1", entries: 0, fault: .altered(1)),
    ChainHarm(sql: "UPDATE audit_entries SET fields = x'00000000' WHERE sequence = 5", entries: 4, fault: .altered(5)),
    ChainHarm(sql: "UPDATE audit_entries SET fields = x'ff' WHERE sequence = 4", entries: 3, fault: .altered(4)),
    ChainHarm(sql: "UPDATE audit_entries SET fields = x'ffffffff' WHERE sequence = 1", entries: 0, fault: .altered(1)),
    ChainHarm(sql: "UPDATE audit_entries SET hash = zeroblob(32) WHERE sequence = 5", entries: 4, fault: .altered(5)),
    ChainHarm(sql: "UPDATE audit_entries SET hash = zeroblob(0) WHERE sequence = 2", entries: 1, fault: .altered(2)),
    ChainHarm(
      sql: "UPDATE audit_entries SET previous = zeroblob(32) WHERE sequence = 4", entries: 3, fault: .broken(4)),
    ChainHarm(sql: "DELETE FROM audit_entries WHERE sequence = 1", entries: 0, fault: .missing(1)),
    ChainHarm(sql: "DELETE FROM audit_entries WHERE sequence IN (2, 3)", entries: 1, fault: .missing(2)),
    ChainHarm(sql: "DELETE FROM audit_entries WHERE sequence = 5", entries: 4, fault: .truncated(5)),
    ChainHarm(sql: "DELETE FROM audit_entries WHERE sequence > 2", entries: 2, fault: .truncated(3)),
    ChainHarm(sql: "DELETE FROM audit_entries", entries: 0, fault: .truncated(1)),
    ChainHarm(sql: "DELETE FROM audit_heads", entries: 0, fault: .beyondHead(1)),
    ChainHarm(sql: "UPDATE audit_heads SET sequence = 3", entries: 3, fault: .beyondHead(4)),
    ChainHarm(sql: "UPDATE audit_heads SET sequence = 6", entries: 5, fault: .truncated(6)),
    ChainHarm(sql: "UPDATE audit_heads SET hash = zeroblob(32)", entries: 5, fault: .altered(5)),
    ChainHarm(
      sql: "UPDATE audit_entries SET node = 'other' WHERE sequence = 5", entries: 4, fault: .truncated(5)),
    ChainHarm(
      sql: """
        UPDATE audit_entries SET sequence = 9 WHERE sequence = 2; UPDATE audit_entries SET sequence = 2 WHERE sequence = 3;
        UPDATE audit_entries SET sequence = 3 WHERE sequence = 9
        """, entries: 1, fault: .broken(2)),
  ]

  @Test("A change of a chain is found at the first entry that it affects", arguments: harms)
  func aChangeOfAChainIsFoundAtTheFirstEntryThatItAffects(_ harm: ChainHarm) async throws {
    let folder = try Folder()
    let store = try SQLiteStore(path: folder.path("server.db"), node: "node")
    for number in 1...5 {
      let entry = AuditEntry(event: "e", time: Int64(number), fields: ["a": "\(number)"])
      try await store.write { try $0.audit(entry) }
    }
    try ForeignConnection(store.path).execute(harm.sql)
    for page in [1, 2, 5, 1000] {
      let reports = try await AuditChain.verify(store, page: page)
      #expect(
        reports.first { $0.node == "node" } == AuditChain.Report(node: "node", entries: harm.entries, fault: harm.fault)
      )
    }
    await store.close()
  }

  @Test("Texts do not run into one another") func textsDoNotRunIntoOneAnother() {
    let previous = [UInt8](repeating: 0, count: 32)
    let hashes = [
      AuditEncoding.hash(AuditEntry(event: "ab", time: 1), node: "c", sequence: 1, previous: previous),
      AuditEncoding.hash(AuditEntry(event: "a", time: 1), node: "cb", sequence: 1, previous: previous),
      AuditEncoding.hash(
        AuditEntry(event: "a", time: 1, fields: ["b": ""]), node: "c", sequence: 1, previous: previous),
      AuditEncoding.hash(
        AuditEntry(event: "a", time: 1, fields: ["": "b"]), node: "c", sequence: 1, previous: previous),
      AuditEncoding.hash(
        AuditEntry(event: "a", time: 1, fields: ["b": "", "": "b"]), node: "c", sequence: 1, previous: previous),
      AuditEncoding.hash(AuditEntry(event: "a", time: 1), node: "c", sequence: 2, previous: previous),
    ]
    #expect(Set(hashes).count == hashes.count)
  }

  @Test("Fields come back as they were, and nothing else reads") func fieldsComeBackAsTheyWereAndNothingElseReads()
    throws
  {
    for fields in [[:], ["a": "b"], ["": ""], ["é": "名", "b": String(repeating: "x", count: 70_000)]] {
      #expect(try AuditEncoding.decode(fields: AuditEncoding.encode(fields: fields)) == fields)
    }
    let bytes = AuditEncoding.encode(fields: ["ab": "cd", "e": ""])
    for count in 0..<bytes.count {
      #expect(throws: EnrollmentStoreError.self) { try AuditEncoding.decode(fields: Array(bytes[..<count])) }
    }
    #expect(throws: EnrollmentStoreError.self) { try AuditEncoding.decode(fields: bytes + [0]) }
    let twice: [UInt8] = [0, 0, 0, 2, 0, 0, 0, 1, 97, 0, 0, 0, 0, 0, 0, 0, 1, 97, 0, 0, 0, 0]
    #expect(throws: EnrollmentStoreError.self) { try AuditEncoding.decode(fields: twice) }
    let noText: [UInt8] = [0, 0, 0, 1, 0, 0, 0, 1, 0xFF, 0, 0, 0, 0]
    #expect(throws: EnrollmentStoreError.self) { try AuditEncoding.decode(fields: noText) }
  }
}
