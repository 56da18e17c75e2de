import Foundation
import LatchkeySQLite
import Testing

struct SQLiteConnectionTests {
  private let folder = DatabaseFolder()

  private func open(
    _ access: SQLiteOptions.Access = .readWrite, pragmas: [SQLitePragma] = [.writeAheadLog], busyTimeout: Double = 0
  ) throws(SQLiteError) -> SQLiteConnection {
    var options = SQLiteOptions(access, busyTimeout: busyTimeout)
    options.pragmas = pragmas
    return try SQLiteConnection(path: folder.database, options: options)
  }

  private func kind(_ body: () throws(SQLiteError) -> Void) -> SQLiteError.Kind? {
    do throws(SQLiteError) {
      try body()
      return nil
    } catch {
      return error.kind
    }
  }

  @Test("Values come back as they were bound, empty ones and U+0000 included") func values() throws {
    let connection = try open()
    try connection.execute("CREATE TABLE t(a, b, c, d)")
    let insert = try connection.statement("INSERT INTO t VALUES (?, ?, ?, ?)")
    for (number, bytes, text) in [(Int64.min, [UInt8](), ""), (0, [0, 255], "a\0b"), (.max, [7], "caf\u{E9}")] {
      try insert.bind(number, 1)
      try insert.bind(bytes, 2)
      try insert.bind(text, 3)
      try insert.bind(nil, 4)
      try insert.run()
    }
    let select = try connection.statement(compiled: "SELECT a, b, c, d FROM t ORDER BY a")
    defer { select.reset() }
    for (number, bytes, text) in [(Int64.min, [UInt8](), ""), (0, [0, 255], "a\0b"), (.max, [7], "caf\u{E9}")] {
      #expect(try select.step())
      #expect(select.integer(0) == number)
      #expect(select.bytes(1) == bytes)
      #expect(select.text(2) == text)
      #expect(select.kind(3) == .null && select.bytes(3) == nil)
      #expect(select.integer(1) == nil && select.text(0) == nil && select.bytes(2) == nil)
    }
    #expect(try !select.step())
  }

  @Test("A statement is prepared once, whichever way it is found") func cachedStatements() throws {
    let connection = try open()
    try connection.execute("CREATE TABLE t(a)")
    for number in 1...3 {
      let statement = try connection.statement(compiled: "INSERT INTO t VALUES (?)")
      #expect(statement.argumentCount == 1)
      try statement.bind(Int64(number), 1)
      try statement.run()
      #expect(connection.changedRows == 1 && connection.lastInsertedRow == Int64(number))
    }
    let count = try connection.statement("SELECT count(*) FROM t")
    defer { count.reset() }
    #expect(try count.step())
    #expect(count.integer(0) == 3)
  }

  @Test("An argument beyond the last one is refused") func argumentOutOfRange() throws {
    let connection = try open()
    let statement = try connection.statement("SELECT ?")
    #expect(kind { () throws(SQLiteError) in try statement.bind(1, 2) } == .doesNotFit)
  }

  @Test("A text in double quotes is a name and no literal") func doubleQuotes() throws {
    let connection = try open()
    #expect(kind { () throws(SQLiteError) in _ = try connection.statement("SELECT \"text\"") } == .statement)
  }

  @Test("A full disk is told as one, and the transaction can be rolled back") func full() throws {
    let connection = try open()
    try connection.execute("CREATE TABLE t(a); PRAGMA max_page_count = 3; BEGIN IMMEDIATE")
    #expect(
      kind { () throws(SQLiteError) in try connection.execute("INSERT INTO t VALUES (zeroblob(100000))") } == .full)
    if connection.isInTransaction { try connection.execute("ROLLBACK") }
    try connection.execute("INSERT INTO t VALUES (1)")
  }

  @Test("Another connection that writes is busy") func busy() throws {
    let (first, second) = (try open(), try open())
    try first.execute("BEGIN IMMEDIATE")
    #expect(first.isInTransaction && !second.isInTransaction)
    #expect(kind { () throws(SQLiteError) in try second.execute("BEGIN IMMEDIATE") } == .busy)
    try first.execute("ROLLBACK")
    try second.execute("BEGIN IMMEDIATE; ROLLBACK")
  }

  @Test("A connection that reads refuses to write") func readOnly() throws {
    try open().execute("CREATE TABLE t(a)")
    for access in [SQLiteOptions.Access.readOnly, .immutable] {
      let reader = try open(access, pragmas: SQLitePragma.hardened)
      #expect(kind { () throws(SQLiteError) in try reader.execute("INSERT INTO t VALUES (1)") } == .readOnly)
    }
  }

  @Test("A missing file is made by a writer alone") func missing() throws {
    #expect(kind { () throws(SQLiteError) in _ = try open(.readOnly, pragmas: []) } == .readOnly)
    #expect(!FileManager.default.fileExists(atPath: folder.database))
    _ = try open()
    #expect(FileManager.default.fileExists(atPath: folder.database))
  }

  @Test("A folder is no file to open") func aFolder() throws {
    try FileManager.default.createDirectory(atPath: folder.database, withIntermediateDirectories: true)
    for access in [SQLiteOptions.Access.readOnly, .readWrite] {
      #expect(throws: SQLiteError.self) { try open(access) }
    }
  }

  @Test("A file of another kind is no database, when it is opened") func noDatabase() throws {
    try Data(repeating: 0x41, count: 4096).write(to: URL(fileURLWithPath: folder.database))
    for pragmas in [[], [SQLitePragma.writeAheadLog]] {
      #expect(kind { () throws(SQLiteError) in _ = try open(pragmas: pragmas) } == .notADatabase)
    }
  }

  @Test("A page that was overwritten is corrupt") func corrupt() throws {
    let writer = try open(pragmas: [])
    try writer.execute("CREATE TABLE t(a); INSERT INTO t VALUES (1)")
    try writer.close()
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: folder.database))
    try file.seek(toOffset: 4096)
    try file.write(contentsOf: Data(repeating: 0xFF, count: 4096))
    try file.close()
    let reader = try open(.readOnly, pragmas: SQLitePragma.hardened)
    #expect(kind { () throws(SQLiteError) in try reader.execute("SELECT a FROM t") } == .corrupt)
  }

  @Test("A name with question mark, per cent and hash is opened as it is") func immutableName() throws {
    let path = folder.path + "/a?b=c%20#d.db"
    let writer = try SQLiteConnection(path: path, options: SQLiteOptions(.readWrite, busyTimeout: 0))
    try writer.execute("CREATE TABLE t(a)")
    try writer.close()
    let reader = try SQLiteConnection(path: path, options: SQLiteOptions(.immutable, busyTimeout: 0))
    try reader.execute("SELECT a FROM t")
  }

  @Test("The log is emptied on request, and stays where the options say so") func log() throws {
    for keepsLog in [true, false] {
      var options = SQLiteOptions(.readWrite, busyTimeout: 0)
      options.pragmas = [.writeAheadLog] + SQLitePragma.durableLog
      options.keepsLog = keepsLog
      let connection = try SQLiteConnection(path: folder.database, options: options)
      try connection.execute("CREATE TABLE IF NOT EXISTS t(a); INSERT INTO t VALUES (1)")
      #expect(size("-wal") ?? 0 > 0)
      #expect(connection.logIndexHeader != nil)
      try connection.truncateLog()
      #expect(size("-wal") == 0)
      try connection.close()
      #expect((size("-wal") != nil) == keepsLog)
    }
  }

  @Test("The open file is read without its log, and is known when another one has its name") func openFile() throws {
    let connection = try open()
    try connection.execute("CREATE TABLE t(a)")
    try connection.truncateLog()
    let count = try #require(connection.fileSize)
    #expect(count == Int64(try #require(size(""))))
    let start = try connection.readFile(from: 0, count: 16)
    #expect(start == Array("SQLite format 3\0".utf8))
    #expect(throws: SQLiteError.self) { try connection.readFile(from: count, count: 16) }
    #expect(throws: SQLiteError.self) { try connection.readFile(from: 0, count: -1) }
    #expect(try #require(connection.image).starts(with: start))
    #expect(!connection.hasLostFile)
    try FileManager.default.moveItem(atPath: folder.database, toPath: folder.path + "/other")
    #expect(connection.hasLostFile)
  }

  @Test("A closed connection refuses everything") func closed() throws {
    let connection = try open()
    _ = try connection.statement("SELECT 1")
    try connection.close()
    try connection.close()
    #expect(throws: SQLiteError.self) { try connection.execute("SELECT 1") }
    #expect(throws: SQLiteError.self) { try connection.statement("SELECT 1") }
    #expect(throws: SQLiteError.self) { try connection.truncateLog() }
    #expect(connection.image == nil && connection.fileSize == nil && !connection.hasLostFile)
  }

  @Test("A statement of a closed connection refuses everything") func closedStatement() throws {
    let connection = try open()
    let (select, compiled) = (
      try connection.statement("SELECT ?, ?"), try connection.statement(compiled: "SELECT ?, ?")
    )
    for statement in [select, compiled] {
      try statement.bind("text", 1)
      #expect(try statement.step() && statement.text(0) == "text")
    }
    try connection.close()
    for statement in [select, compiled] {
      #expect(kind { () throws(SQLiteError) in try statement.bind(1, 1) } == .other)
      #expect(kind { () throws(SQLiteError) in try statement.bind([1], 1) } == .other)
      #expect(kind { () throws(SQLiteError) in try statement.bind([UInt8](), 1) } == .other)
      #expect(kind { () throws(SQLiteError) in try statement.bind("", 1) } == .other)
      #expect(kind { () throws(SQLiteError) in _ = try statement.step() } == .other)
      #expect(kind { () throws(SQLiteError) in try statement.run() } == .other)
      statement.clearArguments()
      statement.reset()
      #expect(statement.argumentCount == 0 && statement.columnCount == 0)
      #expect(statement.kind(0) == .null && statement.text(0) == nil && statement.bytes(0) == nil)
      #expect(statement.integer(0) == nil && statement.byteCount(0) == nil)
    }
  }

  @Test("The system's error of an earlier failure is not that of a later one") func systemError() throws {
    let connection = try open(pragmas: [])
    try connection.execute("CREATE TABLE t(a UNIQUE); INSERT INTO t VALUES (1)")
    func error(_ text: String) -> SQLiteError? {
      do throws(SQLiteError) { try connection.execute(text) } catch { return error }
      return nil
    }
    let first = try #require(error("ATTACH '\(folder.path)/none/none.db' AS other"))
    #expect(first.kind == .readOnly && first.systemError == ENOENT)
    let second = try #require(error("INSERT INTO t VALUES (1)"))
    #expect(second.kind == .constraint && second.systemError == 0)
  }

  @Test("A path with a zero character is refused, not cut off", arguments: SQLiteOptions.Access.allCases)
  func zeroCharacter(access: SQLiteOptions.Access) throws {
    _ = try open()
    #expect(throws: SQLiteError.self) {
      try SQLiteConnection(path: folder.database + "\0x", options: SQLiteOptions(access, busyTimeout: 0))
    }
  }

  @Test("Two slashes in front of a path are as good as one", arguments: SQLiteOptions.Access.allCases)
  func twoSlashes(access: SQLiteOptions.Access) throws {
    try open(pragmas: []).execute("CREATE TABLE t(a)")
    let path = "//" + folder.database.drop { $0 == "/" }
    let connection = try SQLiteConnection(path: path, options: SQLiteOptions(access, busyTimeout: 0))
    #expect(try connection.statement("SELECT a FROM t").step() == false)
  }

  @Test("64 MiB come back as they were bound, and a value beyond SQLite's maximum is refused") func largeValue() throws
  {
    let connection = try open()
    try connection.execute("CREATE TABLE t(a)")
    var bytes = [UInt8](repeating: 7, count: 64 << 20)
    bytes[bytes.count - 1] = 9
    let insert = try connection.statement("INSERT INTO t VALUES (?)")
    try insert.bind(bytes, 1)
    try insert.run()
    let select = try connection.statement("SELECT a FROM t")
    #expect(try select.step() && select.bytes(0) == bytes)
    select.reset()
    #expect(kind { () throws(SQLiteError) in try connection.execute("SELECT zeroblob(2000000000)") } == .doesNotFit)
  }

  @Test("Text that is not UTF-8 is read with U+FFFD, and as nothing else") func malformedText() throws {
    let connection = try open()
    let select = try connection.statement("SELECT CAST(x'61FF62C3' AS TEXT), CAST(x'EDA080' AS TEXT)")
    defer { select.reset() }
    #expect(try select.step())
    #expect(select.text(0) == "a\u{FFFD}b\u{FFFD}" && select.bytes(0) == nil)
    #expect(select.text(1)?.unicodeScalars.allSatisfy { $0 == "\u{FFFD}" } == true)
  }

  @Test(
    "Seconds become milliseconds without a trap",
    arguments: [
      (5, 5000), (0.25, 250), (0, 0), (-1, 0), (1e300, .max), (.infinity, .max), (.nan, 0),
    ] as [(Double, Int32)])
  func milliseconds(_ seconds: Double, _ expected: Int32) {
    #expect(SQLiteOptions.milliseconds(seconds) == expected)
  }

  private func size(_ suffix: String) -> Int? {
    (try? FileManager.default.attributesOfItem(atPath: folder.database + suffix))?[.size] as? Int
  }
}

/// A temporary folder for one database.
final class DatabaseFolder {
  let path = NSTemporaryDirectory() + "/latchkey-sqlite-\(UUID().uuidString)"
  var database: String { path + "/test.db" }

  init() { try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
