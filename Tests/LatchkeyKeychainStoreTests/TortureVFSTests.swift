import LatchkeyTestSupport
import CLatchkeySQLite
import CRecordingVFS
import Foundation
import LatchkeySQLiteTestSupport
import Testing

/// The recording VFS itself: it keeps what SQLite writes and in which order, fails when told to, and is in nobody's way.
@Suite("The recording VFS") struct TortureVFSTests {
  private func open(_ folder: TortureFolder) throws -> ForeignConnection {
    let connection = try ForeignConnection(folder.file("a.db"))
    try connection.execute(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE IF NOT EXISTS row(value BLOB)")
    return connection
  }

  private func insert(_ value: String, into connection: ForeignConnection) throws {
    try connection.transaction { try $0.execute("INSERT INTO row VALUES (?)", [value]) }
  }

  private func rows(_ connection: ForeignConnection) throws -> [String] {
    try connection.values("SELECT value FROM row ORDER BY rowid")
  }

  @Test("keeps enough to make the same files again") func replay() throws {
    let (folder, copy) = (try TortureFolder(), try TortureFolder())
    let recording = try Recording(folder)
    let connection = try open(folder)
    for value in ["one", "two", "three"] { try insert(value, into: connection) }
    var disk = TortureDisk([:])
    for event in try recording.events() { disk.happened(event) }
    #expect(disk.pending.isEmpty, "every commit was synced")
    try copy.set(disk.contents(fates: [], keepsNames: false))
    #expect(try rows(ForeignConnection(copy.file("a.db"))) == ["one", "two", "three"])
    connection.close()
  }

  @Test("records a commit as writes to the log, then its sync, then the test's mark") func order() throws {
    let folder = try TortureFolder()
    let recording = try Recording(folder)
    let connection = try open(folder)
    let before = recording.count
    try insert("one", into: connection)
    recording.mark(7)
    let events = try recording.events()[before...]
    #expect(events.last == .mark(7))
    #expect(events.dropLast().last == .synced("a.db-wal", folder: false))
    #expect(events.dropLast(2).count >= 2)
    #expect(
      events.dropLast(2).allSatisfy { if case .written("a.db-wal", _, _) = $0 { true } else { false } })
    connection.close()
    #expect(try recording.events().contains { if case .deleted("a.db-wal", _) = $0 { true } else { false } })
  }

  @Test("leaves files elsewhere alone, with the real VFS's own methods") func elsewhere() throws {
    let (armed, other) = (try TortureFolder(), try TortureFolder())
    let recording = try Recording(armed)
    recording.setRoom(0)
    recording.failSyncs(from: 1, count: .max)
    let connection = try open(other)
    try insert("one", into: connection)
    #expect(try rows(connection) == ["one"])
    #expect(recording.count == 0 && recording.failures == 0)
    connection.close()
  }

  @Test("knows a folder from one whose name it begins") func prefix() throws {
    try Recording.register()
    let folder = try TortureFolder()
    let (short, long) = (folder.file("a"), folder.file("ab"))
    for path in [short, long] {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }
    let log = try #require(recording_vfs_arm(short, 1 << 20))
    try ForeignConnection(long + "/x.db").execute("CREATE TABLE t(a)")
    #expect(recording_vfs_count(log) == 0)
    try ForeignConnection(short + "/x.db").execute("CREATE TABLE t(a)")
    #expect(recording_vfs_count(log) > 0)
    recording_vfs_disarm(log)
  }

  @Test("is full after a given number of bytes, and has room again") func full() throws {
    let folder = try TortureFolder()
    let recording = try Recording(folder)
    let connection = try open(folder)
    recording.setRoom(100)
    let error = #expect(throws: ForeignFailure.self) { try insert("one", into: connection) }
    #expect(error?.code == SQLITE_FULL)
    #expect(recording.failures > 0)
    recording.heal()
    try insert("two", into: connection)
    #expect(try rows(connection) == ["two"])
    connection.close()
  }

  @Test("fails the chosen write or sync, once") func fails() throws {
    let folder = try TortureFolder()
    let recording = try Recording(folder)
    let connection = try open(folder)
    recording.failWrites(from: 2)
    #expect(throws: ForeignFailure.self) { try insert("one", into: connection) }
    recording.failSyncs(from: 1)
    let error = #expect(throws: ForeignFailure.self) { try insert("two", into: connection) }
    #expect(error?.code == SQLITE_IOERR | 4 << 8)
    #expect(recording.failures == 2)
    try insert("three", into: connection)
    #expect(try rows(connection) == ["three"])
    connection.close()
  }

  @Test("stops at its limit and says so") func limit() throws {
    try Recording.register()
    let folder = try TortureFolder()
    let log = try #require(recording_vfs_arm(folder.path, 5_000))
    let connection = try open(folder)
    for _ in 0..<5 { try insert("one", into: connection) }
    #expect(recording_vfs_overflowed(log) != 0)
    recording_vfs_disarm(log)
    try insert("after the log's end", into: connection)
    connection.close()
  }
}
