import Glibc
import LatchkeySQLite

/// A process beside the tests, at work on a database of theirs: `sqlite-worker PATH COMMAND…`. Each command reports on a line of
/// standard output what it did.
///
///   write NUMBER    commits rows 1 to NUMBER, one a commit, each after a wait of at most 60 seconds for others
///   hold            inserts a row in an open transaction, and waits for a line of input
///   as-nobody       gives up root's rights, so that permissions of files count
@main struct SQLiteWorker {
  let path: String

  static func main() {
    guard CommandLine.arguments.count > 2 else {
      report("usage: sqlite-worker PATH COMMAND…")
      exit(64)
    }
    let worker = SQLiteWorker(path: CommandLine.arguments[1])
    do throws(SQLiteError) {
      try worker.run(CommandLine.arguments.dropFirst(2))
    } catch {
      report("failed: \(error.kind)")
      exit(1)
    }
  }

  private func run(_ words: ArraySlice<String>) throws(SQLiteError) {
    var words = words
    var opened: SQLiteConnection?
    // One connection for all commands: the last one that closes empties the log.
    func connection() throws(SQLiteError) -> SQLiteConnection {
      if let opened { return opened }
      let connection = try open()
      opened = connection
      return connection
    }
    while let word = words.popFirst() {
      switch word {
      case "as-nobody":
        if geteuid() == 0, setgid(65_534) != 0 || setuid(65_534) != 0 { exit(71) }
      case "write":
        try write(words.popFirst().flatMap { Int64($0) } ?? 1, try connection())
      case "hold":
        try hold(try connection())
      default:
        Self.report("unknown command \(word)")
        exit(64)
      }
    }
  }

  private func write(_ count: Int64, _ connection: SQLiteConnection) throws(SQLiteError) {
    for number in 1...max(1, count) {
      try connection.execute("BEGIN IMMEDIATE")
      try insert(number, connection)
      try connection.execute("COMMIT")
      Self.report("committed \(number)")
    }
  }

  private func hold(_ connection: SQLiteConnection) throws(SQLiteError) {
    try connection.execute("BEGIN IMMEDIATE")
    try insert(-1, connection)
    Self.report("holds")
    _ = readLine()
    try connection.execute("COMMIT")
  }

  private func open() throws(SQLiteError) -> SQLiteConnection {
    var options = SQLiteOptions(.readWrite, busyTimeout: 60)
    options.pragmas = [.writeAheadLog] + SQLitePragma.durableLog
    let connection = try SQLiteConnection(path: path, options: options)
    try connection.execute("CREATE TABLE IF NOT EXISTS row(process INTEGER, number INTEGER)")
    return connection
  }

  private func insert(_ number: Int64, _ connection: SQLiteConnection) throws(SQLiteError) {
    let statement = try connection.statement("INSERT INTO row VALUES (?, ?)")
    try statement.bind(Int64(getpid()), 1)
    try statement.bind(number, 2)
    try statement.run()
  }

  /// Writes a line at once: a test waits for it.
  private static func report(_ line: String) {
    let bytes = Array("\(line)\n".utf8)
    _ = Glibc.write(STDOUT_FILENO, bytes, bytes.count)
  }
}
