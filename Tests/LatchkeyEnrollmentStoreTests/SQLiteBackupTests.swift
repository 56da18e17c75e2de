import Foundation
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import Testing

/// Copies of a database, and what must not happen when they are put back.
@Suite("Backup and restore of SQLite")
struct SQLiteBackupTests {
  /// A folder with a store that has a device and a revocation.
  private static func with(_ body: (URL, SQLiteStore) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-backup-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = try SQLiteStore(path: folder.appending(path: "a.db").path, node: "test")
    do {
      _ = try await store.write { try $0.addUser(UserRecord(name: "ann", passwordHash: nil)) }
      try await device(in: store)
      try await body(folder, store)
    } catch {
      await store.close()
      throw error
    }
    await store.close()
  }

  @discardableResult private static func device(in store: SQLiteStore) async throws -> Identifier {
    let id = Identifier.random()
    try await store.write { store in
      try store.addDevice(DeviceRecord(id: id, user: "ann", name: "d", created: 0, identityKey: [4]))
      try store.addToken(TokenRecord(hash: id.bytes + id.bytes, user: "ann", device: nil, expires: 4_000_000_000))
      try store.audit(AuditEntry(event: "device.registered", time: 0, fields: ["device": id.description]))
    }
    return id
  }

  @Test(
    "A copy that is made while another transaction writes has what was committed, and opens elsewhere; sessions end")
  func online() async throws {
    try await Self.with { folder, store in
      let (began, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      async let write: Void = store.write { store in
        _ = try store.addUser(UserRecord(name: "bob", passwordHash: nil))
        began.signal()
        mayEnd.wait()
      }
      let copy = folder.appending(path: "copy.db").path
      let summary = try await Self.off {
        began.wait()
        defer { mayEnd.signal() }
        return try SQLiteBackup.make(of: store.path, to: copy)
      }
      try await write
      #expect(summary.devices == 1 && summary.epoch == 0)
      let attributes = try FileManager.default.attributesOfItem(atPath: copy)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
      let other = folder.appending(path: "b.db").path
      _ = try SQLiteBackup.restore(copy, to: other)
      let restored = try SQLiteStore(path: other, node: "test", isMade: false)
      let (users, tokens, chains) = try await restored.read { store in
        (
          try store.users(UserFilter(), after: nil, now: 0, limit: 10).map(\.name.text),
          try store.tokens(of: nil, after: nil, now: 0, limit: 10).count, try store.auditHeads().count
        )
      }
      #expect(users == ["ann"] && tokens == 0 && chains == 1)
      #expect(try await AuditChain.verify(restored).allSatisfy { $0.fault == nil })
      await restored.close()
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).allSatisfy { !$0.hasSuffix(".partial") })
    }
  }

  @Test("Nothing is overwritten: no copy by a copy, and no database by a restore, the second one neither")
  func overwriting() async throws {
    try await Self.with { folder, store in
      let (copy, other) = (folder.appending(path: "copy.db").path, folder.appending(path: "b.db").path)
      _ = try SQLiteBackup.make(of: store.path, to: copy)
      let before = try Data(contentsOf: URL(fileURLWithPath: copy))
      #expect(throws: EnrollmentStoreError.self) { try SQLiteBackup.make(of: store.path, to: copy) }
      #expect(try Data(contentsOf: URL(fileURLWithPath: copy)) == before)
      #expect(throws: EnrollmentStoreError.self) { try SQLiteBackup.restore(copy, to: store.path) }
      _ = try SQLiteBackup.restore(copy, to: other)
      #expect(throws: EnrollmentStoreError.self) { try SQLiteBackup.restore(copy, to: other) }
      // A log without its database would be played into the copy.
      let third = folder.appending(path: "c.db").path
      try Data("x".utf8).write(to: URL(fileURLWithPath: third + "-wal"))
      #expect(throws: EnrollmentStoreError.self) { try SQLiteBackup.restore(copy, to: third) }
    }
  }

  @Test("A copy from before a revocation is refused, and where it is forced, the count of revocations does not go back")
  func revocations() async throws {
    try await Self.with { folder, store in
      let copy = folder.appending(path: "copy.db").path
      _ = try SQLiteBackup.make(of: store.path, to: copy)
      let id = try await Self.device(in: store)
      _ = try await store.write { try $0.revokeDevice(id, at: 1, reason: 1) }
      await store.close()
      let path = store.path
      for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
      do {
        _ = try SQLiteBackup.restore(copy, to: path)
        Issue.record("the copy was restored")
      } catch EnrollmentStoreError.olderThanRevocations {}
      #expect(!FileManager.default.fileExists(atPath: path))
      let summary = try SQLiteBackup.restore(copy, to: path, losesRevocations: true)
      #expect(summary.lost == 1)
      let restored = try SQLiteStore(path: path, node: "test", isMade: false)
      let epoch = try await restored.read { try $0.revocationEpoch() }
      #expect(epoch == 1)
      await restored.close()
    }
  }

  @Test("What is no database, or a damaged one, is not restored, and leaves nothing behind")
  func damage() async throws {
    try await Self.with { folder, store in
      let (copy, other) = (folder.appending(path: "copy.db").path, folder.appending(path: "b.db").path)
      _ = try SQLiteBackup.make(of: store.path, to: copy)
      let whole = try Data(contentsOf: URL(fileURLWithPath: copy))
      for (place, length) in [(0, 16), (4096, whole.count)] {
        var damaged = whole
        damaged.replaceSubrange(place..<min(place + length, damaged.count), with: Data(repeating: 0xA5, count: length))
        try damaged.write(to: URL(fileURLWithPath: copy))
        #expect(throws: (any Error).self, "\(place)") { try SQLiteBackup.restore(copy, to: other) }
        #expect(!FileManager.default.fileExists(atPath: other))
      }
      try whole.prefix(whole.count / 2).write(to: URL(fileURLWithPath: copy))
      #expect(throws: (any Error).self) { try SQLiteBackup.restore(copy, to: other) }
      #expect(throws: (any Error).self) { try SQLiteBackup.restore(folder.appending(path: "none").path, to: other) }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).allSatisfy { !$0.contains(".partial") })
    }
  }

  @Test("A copy to a place where no file can be made fails, and leaves nothing of that name")
  func noPlace() async throws {
    try await Self.with { folder, store in
      let copy = "/proc/self/copy.db"
      #expect(throws: EnrollmentStoreError.self) { try SQLiteBackup.make(of: store.path, to: copy) }
      #expect(!FileManager.default.fileExists(atPath: copy))
    }
  }

  private static func off<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { caller in
      DispatchQueue.global().async { caller.resume(with: Result(catching: work)) }
    }
  }
}
