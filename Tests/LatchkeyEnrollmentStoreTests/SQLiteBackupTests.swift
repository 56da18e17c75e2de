import Foundation
import Glibc
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeyTestSupport
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
      let summary = try await onThread {
        began.wait()
        defer { mayEnd.signal() }
        return try SQLiteBackup.make(of: store.path, to: copy)
      }
      try await write
      #expect(summary.devices == 1 && summary.epoch == 0)
      let attributes = try FileManager.default.attributesOfItem(atPath: copy)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
      let other = folder.appending(path: "b.db").path
      _ = try SQLiteBackup.restore(copy, to: other, losesRevocations: true)
      let restored = try SQLiteStore(path: other, node: "test", isMade: false)
      let (users, tokens, chains) = try await restored.read { store in
        (
          try store.users(UserFilter(), after: nil, now: 0, limit: 10).records.map(\.name.text),
          try store.tokens(of: nil, after: nil, now: 0, limit: 10).records.count,
          try store.auditHeads().count
        )
      }
      #expect(users == ["ann"] && tokens == 0 && chains == 2)
      #expect(try await AuditChain.verify(restored).allSatisfy { $0.fault == nil })
      await restored.close()
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).allSatisfy { !$0.hasSuffix(".partial") })
    }
  }

  @Test("A copy that is cut off is refused, be it by one byte", arguments: [1, 4095, 4096, 5000])
  func cutOff(_ bytes: Int) async throws {
    try await Self.with { folder, store in
      let (copy, other) = (folder.appending(path: "copy.db").path, folder.appending(path: "b.db").path)
      _ = try SQLiteBackup.make(of: store.path, to: copy)
      let whole = try Data(contentsOf: URL(fileURLWithPath: copy))
      #expect(truncate(copy, whole.count - bytes) == 0)
      #expect {
        try SQLiteBackup.restore(copy, to: other, losesRevocations: true)
      } throws: { error in
        if case EnrollmentStoreError.damaged = error { true } else { false }
      }
      #expect(!FileManager.default.fileExists(atPath: other))
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
      _ = try SQLiteBackup.restore(copy, to: other, losesRevocations: true)
      #expect(throws: EnrollmentStoreError.self) {
        try SQLiteBackup.restore(copy, to: other, losesRevocations: true)
      }
      // A log without its database would be played into the copy.
      let third = folder.appending(path: "c.db").path
      try Data("x".utf8).write(to: URL(fileURLWithPath: third + "-wal"))
      #expect(throws: EnrollmentStoreError.self) {
        try SQLiteBackup.restore(copy, to: third, losesRevocations: true)
      }
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

  @Test("Without the count of revocations a copy is refused, and where it is forced, what was lost is not known")
  func missingCount() async throws {
    try await Self.with { folder, store in
      let (copy, other) = (folder.appending(path: "copy.db").path, folder.appending(path: "b.db").path)
      _ = try SQLiteBackup.make(of: store.path, to: copy)
      do {
        _ = try SQLiteBackup.restore(copy, to: other)
        Issue.record("the copy was restored")
      } catch EnrollmentStoreError.olderThanRevocations(let text) {
        #expect(text.contains("b.db.revocations") && text.contains("--lose-revocations"))
      }
      #expect(!FileManager.default.fileExists(atPath: other))
      #expect(try SQLiteBackup.restore(copy, to: other, losesRevocations: true).lost == nil)
      // A count of none is a count.
      let third = folder.appending(path: "c.db").path
      try Data("latchkey-revocations 1\n0\n".utf8).write(to: URL(fileURLWithPath: third + ".revocations"))
      #expect(try SQLiteBackup.restore(copy, to: third).lost == 0)
    }
  }

  @Test("A copy from before the removal of an administrator, or the revocation of a token, is refused")
  func administratorsAndTokens() async throws {
    try await Self.with { folder, store in
      let copy = folder.appending(path: "copy.db").path
      let token = Self.token(7, created: 1)
      try await store.write { store in
        _ = try store.addAdministrator(
          AdministratorRecord(name: "eve", role: .owner, created: 1, tokenHash: [UInt8](repeating: 1, count: 32)))
        try store.addEnrollmentToken(token)
      }
      for end in [
        { (store: any StoreTransaction) in try store.removeAdministrator("eve") },
        { (store: any StoreTransaction) in try store.revokeEnrollmentToken(token.id, at: 2) },
      ] as [@Sendable (any StoreTransaction) throws -> Bool] {
        try? FileManager.default.removeItem(atPath: copy)
        _ = try SQLiteBackup.make(of: store.path, to: copy)
        let epoch = try await store.read { try $0.revocationEpoch() }
        // What is repeated ends nothing.
        for isFirst in [true, false] {
          let (hasEnded, risen) = try await store.write { (try end($0), try $0.revocationEpoch()) }
          #expect(hasEnded == isFirst && risen == epoch + 1)
        }
        let other = folder.appending(path: "\(epoch).db").path
        try FileManager.default.copyItem(atPath: store.path + ".revocations", toPath: other + ".revocations")
        #expect(throws: EnrollmentStoreError.self) { try SQLiteBackup.restore(copy, to: other) }
      }
    }
  }

  @Test("Unused tokens are revoked when a copy is put back, unless they are to be kept; devices that wait ask again")
  func unusedTokens() async throws {
    try await Self.with { folder, store in
      let (unused, used, ended) = (Self.token(1, created: 1), Self.token(2, created: 1), Self.token(3, created: -9000))
      let waiting = try (0..<3).map { try Self.waiting(UInt8($0)) }
      try await store.write { store in
        for token in [unused, used, ended] { try store.addEnrollmentToken(token) }
        _ = try store.useEnrollmentToken(hash: used.hash, by: .init(time: 2, request: "r", device: .random()))
        for device in waiting { _ = try store.addPendingDevice(device) }
        _ = try store.decidePendingDevice(waiting[1].id, .init(isApproved: true, by: .operator), at: 2)
        _ = try store.decidePendingDevice(waiting[2].id, .init(isApproved: false, by: .operator), at: 2)
      }
      let copy = folder.appending(path: "copy.db").path
      _ = try SQLiteBackup.make(of: store.path, to: copy)
      for keeps in [false, true] {
        let other = folder.appending(path: "\(keeps).db").path
        let summary = try SQLiteBackup.restore(copy, to: other, losesRevocations: true, keepsTokens: keeps, now: 5)
        #expect(summary.voidedTokens == (keeps ? 0 : 1))
        let restored = try SQLiteStore(path: other, node: "test", isMade: false)
        let found = try await restored.read { store in
          (
            try store.enrollmentToken(hash: unused.hash)?.revoked,
            try store.enrollmentToken(hash: used.hash)?.use?.time,
            try store.enrollmentToken(hash: ended.hash)?.revoked,
            try waiting.map { try store.pendingDevice($0.id) != nil }
          )
        }
        #expect(found.0 == (keeps ? nil : 5) && found.1 == 2 && found.2 == nil)
        #expect(found.3 == [false, false, true])
        await restored.close()
      }
    }
  }

  private static func token(_ number: UInt8, created: Int64) -> EnrollmentTokenRecord {
    EnrollmentTokenRecord(
      id: .random(), hash: [UInt8](repeating: number, count: 32), user: "ann", deviceName: nil, profile: "default",
      created: created, expires: created + 3600)
  }

  private static func waiting(_ number: UInt8) throws -> PendingDeviceRecord {
    PendingDeviceRecord(
      id: .random(), user: "ann", name: "d", profile: "default", identityKey: [4, number], identityEvidence: "none",
      request: "r\(number)", digest: RequestDigest([UInt8](repeating: number, count: 32)), created: 1, expires: 3600)
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
        #expect(throws: (any Error).self, "\(place)") {
          try SQLiteBackup.restore(copy, to: other, losesRevocations: true)
        }
        #expect(!FileManager.default.fileExists(atPath: other))
      }
      try whole.prefix(whole.count / 2).write(to: URL(fileURLWithPath: copy))
      for file in [copy, folder.appending(path: "none").path] {
        #expect(throws: (any Error).self) { try SQLiteBackup.restore(file, to: other, losesRevocations: true) }
      }
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

  @Test(
    "Drafts that killed processes left for the same file are removed; one that is being written, and other files, stay")
  func leftDrafts() async throws {
    try await Self.with { folder, store in
      let copy = folder.appending(path: "copy.db").path
      let (left, written) = ("\(copy).\(UUID().uuidString).partial", "\(copy).\(UUID().uuidString).partial")
      let others = ["\(copy).mine.partial", "\(folder.path)/other.db.\(UUID().uuidString).partial"]
      for file in [left, left + "-journal", written] + others {
        #expect(FileManager.default.createFile(atPath: file, contents: Data([1])))
      }
      let descriptor = open(written, O_RDONLY | O_CLOEXEC)
      #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
      defer { close(descriptor) }
      #expect(SQLiteBackup.removeDrafts(of: copy) == [left])
      let there = Set(try FileManager.default.contentsOfDirectory(atPath: folder.path).map { "\(folder.path)/\($0)" })
      #expect(there.isDisjoint(with: [left, left + "-journal"]))
      #expect(there.isSuperset(of: [written] + others))
    }
  }
}
