import Foundation
import Glibc
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import Testing

/// Restores and copies whose process is killed, and those that end in another way.
@Suite("A killed restore") struct KilledRestoreTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-killed-\(UUID().uuidString)")
  private var copy: String { folder.appending(path: "copy.db").path }
  private var database: String { folder.appending(path: "server.db").path }

  /// Makes a copy of a database with a user, a device, and an entry.
  private func makeCopy() async throws {
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let store = try SQLiteStore(path: folder.appending(path: "a.db").path, node: "a")
    try await store.write { store in
      _ = try store.addUser(UserRecord(name: "ann", passwordHash: nil))
      try store.audit(AuditEntry(event: "user.added", time: 1, fields: ["user": "ann"]))
    }
    _ = try SQLiteBackup.make(of: store.path, to: copy)
    await store.close()
  }

  private var drafts: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.contains(".partial") }.sorted()
    }
  }

  private static func entries(_ path: String, _ node: String) async throws -> [AuditEntry] {
    let store = try SQLiteStore(path: path, node: "reader", isMade: false)
    let entries = try await store.read { try $0.auditEntries(node: node, after: 0, limit: 10).map(\.entry) }
    #expect(try await AuditChain.verify(store).allSatisfy { $0.fault == nil })
    await store.close()
    return entries
  }

  @Test("Killed before the database has its name it leaves a draft with its entry, which goes, and a restore works")
  func killed() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try await makeCopy()
    await #expect(processExitsWith: .signal(SIGKILL)) { [copy = copy as String, database = database as String] in
      _ = try SQLiteBackup.restore(copy, to: database, losesRevocations: true, node: "b", now: 7) {
        kill(getpid(), SIGKILL)
      }
    }
    #expect(!FileManager.default.fileExists(atPath: database))
    let left = try drafts
    let draft = try #require(left.first { $0.hasSuffix(".partial") })
    // What has the name later has the entry already: nothing is written behind the link.
    let path = folder.appending(path: draft).path
    let inspected = folder.appending(path: "inspected.db").path
    try FileManager.default.copyItem(atPath: path, toPath: inspected)
    let wanted = AuditEntry(
      event: "store.restored", time: 7,
      fields: ["devices": "0", "lost": "unknown", "voidedTokens": "0", "by": "operator"])
    #expect(try await Self.entries(inspected, "b") == [wanted])
    #expect(SQLiteBackup.removeDrafts(of: database) == [path])
    #expect(try drafts.isEmpty)
    #expect(SQLiteBackup.removeDrafts(of: database).isEmpty)
    _ = try SQLiteBackup.restore(copy, to: database, losesRevocations: true, node: "b", now: 8)
    #expect(try await Self.entries(database, "b").map(\.time) == [8])
    #expect(try await Self.entries(database, "a").map(\.event) == ["user.added"])
    #expect(try drafts.isEmpty)
  }

  @Test("A draft that is being written stays, and so does what is none")
  func others() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try await makeCopy()
    let (folder, database) = (folder.path, database)
    let kept = [
      "server.db.partial", "server.db.x.partial", "other.db.\(UUID().uuidString).partial",
      "server.db.\(UUID().uuidString).partial.bak", "server.db.\(UUID().uuidString)",
    ]
    for name in kept { #expect(FileManager.default.createFile(atPath: "\(folder)/\(name)", contents: Data([1]))) }
    let linked = "server.db.\(UUID().uuidString).partial"
    try FileManager.default.createSymbolicLink(atPath: "\(folder)/\(linked)", withDestinationPath: copy)
    let nested = "server.db.\(UUID().uuidString).partial"
    try FileManager.default.createDirectory(atPath: "\(folder)/\(nested)", withIntermediateDirectories: false)
    let pipe = "server.db.\(UUID().uuidString).partial"
    #expect(mkfifo("\(folder)/\(pipe)", 0o600) == 0)
    _ = try SQLiteBackup.restore(copy, to: database, losesRevocations: true) {
      #expect(SQLiteBackup.removeDrafts(of: database).isEmpty)
    }
    for name in kept + [linked, nested, pipe] {
      #expect((try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")) != nil, "\(name)")
    }
    #expect(FileManager.default.fileExists(atPath: copy))
    #expect(try await Self.entries(database, "operator").map(\.event) == ["store.restored"])
  }

  @Test("A restore that fails at its end leaves neither a database nor a draft")
  func failed() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try await makeCopy()
    struct Failure: Error {}
    #expect(throws: Failure.self) {
      try SQLiteBackup.restore(copy, to: database, losesRevocations: true) { throw Failure() }
    }
    #expect(throws: EnrollmentStoreError.self) {
      try SQLiteBackup.restore(copy, to: database, losesRevocations: true, node: "a\nb")
    }
    #expect(!FileManager.default.fileExists(atPath: database))
    #expect(try drafts.isEmpty)
  }
}
