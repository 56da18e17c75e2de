import Foundation
import LatchkeySQLite
import LatchkeyTestSupport
import Testing

/// A database in two processes, one of them perhaps killed or without the rights to write.
struct SQLiteProcessTests {
  private let folder: Folder
  private var path: String { folder.path("test.db") }

  init() throws { folder = try Folder() }

  private func open(busyTimeout: Double = 0) throws(SQLiteError) -> SQLiteConnection {
    var options = SQLiteOptions(.readWrite, busyTimeout: busyTimeout)
    options.pragmas = [.writeAheadLog] + SQLitePragma.durableLog
    return try SQLiteConnection(path: path, options: options)
  }

  private func start(_ words: String...) throws -> RunningCommand {
    try RunningCommand([path] + words, of: "sqlite-worker", state: folder.url)
  }

  private func number(_ text: String, _ connection: SQLiteConnection) throws -> Int64 {
    let statement = try connection.statement(text)
    defer { statement.reset() }
    try #require(try statement.step())
    return try #require(statement.integer(0))
  }

  @Test("Two processes that write at once lose no commit") func twoWriters() async throws {
    let workers = try [start("write", "100"), start("write", "100")]
    for worker in workers { #expect(try await worker.end() == 0, "\(worker.lines)") }
    let connection = try open()
    #expect(try number("SELECT count(*) FROM row", connection) == 200)
    #expect(try number("SELECT count(DISTINCT process) FROM row", connection) == 2)
    #expect(workers.allSatisfy { $0.lines.last == "committed 100" })
  }

  @Test("Two processes that make a database at once both have it") func twoMakers() async throws {
    // Many such pairs meet in the change of the journal mode, for which SQLite does not wait.
    for _ in 0..<20 {
      let workers = try [start("write", "1"), start("write", "1")]
      for worker in workers { #expect(try await worker.end() == 0, "\(worker.lines)") }
      for name in try folder.names() { #expect(unlink(folder.path(name)) == 0) }
    }
  }

  @Test("A write beside another process's transaction is busy after a bounded wait, and a read is not")
  func boundedWait() async throws {
    let holder = try start("write", "1", "hold")
    #expect(await holder.wait(for: "holds"))
    let connection = try open(busyTimeout: 0.2)
    let begin = ContinuousClock.now
    let error = #expect(throws: SQLiteError.self) { try connection.execute("BEGIN IMMEDIATE") }
    #expect(error?.kind == .busy)
    #expect(begin.duration(to: .now) >= .milliseconds(200))
    #expect(!connection.isInTransaction)
    #expect(try number("SELECT count(*) FROM row", connection) == 1)
    try holder.type("")
    #expect(try await holder.end() == 0)
    try connection.execute("BEGIN IMMEDIATE; ROLLBACK")
    #expect(try number("SELECT count(*) FROM row", connection) == 2)
  }

  @Test("The log of a killed process has all that it committed, and nothing of its open transaction")
  func killed() async throws {
    let worker = try start("write", "20", "hold")
    #expect(await worker.wait(for: "holds"))
    worker.kill()
    #expect(try await worker.end() == SIGKILL)
    #expect(try folder.names() == ["test.db", "test.db-shm", "test.db-wal"])
    // Everything stands in the log: the file itself has no table yet.
    #expect(try folder.read("test.db-wal").count > 20 * 4096)
    let connection = try open()
    #expect(try number("SELECT count(*) FROM row WHERE number > 0", connection) == 20)
    #expect(try number("SELECT count(*) FROM row WHERE number < 0", connection) == 0)
    // Its lock ended with it.
    try connection.execute("BEGIN IMMEDIATE; INSERT INTO row VALUES (0, 0); COMMIT")
  }

  @Test("A log whose end was torn off has the commits before it") func tornLog() async throws {
    let worker = try start("write", "20", "hold")
    #expect(await worker.wait(for: "holds"))
    worker.kill()
    _ = try await worker.end()
    var log = try folder.read("test.db-wal")
    log.removeLast(4096 + 24)
    try folder.write("test.db-wal", log)
    let connection = try open()
    let count = try number("SELECT count(*) FROM row", connection)
    #expect((1...20).contains(count))
    #expect(try number("SELECT max(number) FROM row", connection) == count)
  }

  @Test("A file or folder that cannot be written is read-only, and stays as it is", arguments: ["file", "folder"])
  func unwritable(_ place: String) async throws {
    do {
      let connection = try open()
      try connection.execute("CREATE TABLE row(process INTEGER, number INTEGER)")
      try connection.close()
    }
    let before = try folder.read("test.db")
    chmod(folder.path, place == "file" ? 0o777 : 0o555)
    chmod(path, place == "file" ? 0o444 : 0o666)
    defer { chmod(folder.path, 0o700) }
    let worker = try start("as-nobody", "write", "1")
    #expect(try await worker.end() == 1)
    #expect(worker.lines == ["failed: readOnly"])
    #expect(try folder.read("test.db") == before)
  }
}
