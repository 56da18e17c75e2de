import Dispatch
import GRDB
import GRDBSQLite
import Glibc
import LatchkeyKeychainModel
import Synchronization

/// The connections of an open keychain: up to eight that read, side by side, and one that writes, each opened when it is
/// first needed.
///
/// GRDB's own pool commits a table that it drops again whenever it opens a file whose log is empty (`setUpWALMode`). That
/// makes every other process look at the whole keychain anew, and fails on a full disk. These connections write nothing
/// before somebody wants something written.
final class ConnectionPool: Sendable {
  /// How the file is read.
  enum Access: Sendable {
    /// With its log, beside others.
    case shared
    /// Without its log, which is empty or missing, where neither it nor its index can be made: on a medium that cannot be
    /// written, or has no room.
    case immutable(FileIdentity)
  }

  private struct State {
    var idle: [DatabaseQueue] = []
    var writer: DatabaseQueue?
    var isClosed = false
    /// Grows when another file takes the place of the one that the connections have open.
    var generation = 0
    /// The file that they have open; nil before the first.
    var file: FileNumber?
    var access = Access.shared
  }

  private static let maximumReaders = 8

  let path: String
  private let busyTimeout: Double
  private let isReadOnly: Bool
  private let state = Mutex(State())
  private let readers = DispatchSemaphore(value: maximumReaders)

  init(path: String, configuration: KeychainDatabase.Configuration) {
    self.path = path
    busyTimeout = configuration.busyTimeout
    isReadOnly = configuration.isReadOnly
  }

  /// Runs `body` on a connection that reads. It must end every transaction that it begins.
  func unsafeRead<Value>(_ body: (Database) throws -> Value) throws -> Value {
    readers.wait()
    defer { readers.signal() }
    let (idle, generation, access) = try state.withLock { state in
      if state.isClosed { throw StoreError.inputOutput("\(path) was closed") }
      return (state.idle.popLast(), state.generation, state.access)
    }
    if case .immutable(let identity) = access, !identity.isUnchanged(path) || !Self.hasNoLog(path) {
      // What could not change has changed: others can write again.
      try? idle?.close()
      reopen()
      return try reading(try openShared(), state.withLock { $0.generation }, body)
    }
    return try reading(try idle ?? openReader(), generation, body)
  }

  private func reading<Value>(
    _ connection: DatabaseQueue, _ generation: Int, _ body: (Database) throws -> Value
  ) throws -> Value {
    defer {
      let isKept = state.withLock { state in
        guard !state.isClosed, state.generation == generation else { return false }
        state.idle.append(connection)
        return true
      }
      if !isKept { try? connection.close() }
    }
    return try connection.unsafeRead(body)
  }

  /// Runs `body` on the connection that writes, alone of all threads of this process.
  func writeWithoutTransaction<Value>(_ body: (Database) throws -> Value) throws -> Value {
    try writer().writeWithoutTransaction(body)
  }

  /// Whether anything was to be written yet.
  var hasWriter: Bool { state.withLock { $0.writer != nil } }

  /// Whether the file is read as one that nobody can write.
  var isImmutable: Bool {
    state.withLock { state in
      if case .immutable = state.access { return true }
      return false
    }
  }

  /// Lets go of the connections, since another file has taken this one's place; calls under way end on the old one.
  func reopen() {
    let old = state.withLock { state in
      state.generation += 1
      state.access = .shared
      state.file = nil
      defer {
        state.idle = []
        state.writer = nil
      }
      return state.idle + [state.writer].compactMap { $0 }
    }
    for connection in old { try? connection.close() }
  }

  /// Closes all connections; calls that are under way come to their end before.
  func close() throws {
    guard
      !state.withLock({ state in
        defer { state.isClosed = true }
        return state.isClosed
      })
    else { return }
    for _ in 0..<Self.maximumReaders { readers.wait() }
    defer { for _ in 0..<Self.maximumReaders { readers.signal() } }
    let (idle, writer) = state.withLock { state in
      defer {
        state.idle = []
        state.writer = nil
      }
      return (state.idle, state.writer)
    }
    // The one that writes goes last: only it can empty the log.
    for connection in idle { try? connection.close() }
    try writer?.close()
  }

  // MARK: Opening

  private func openReader() throws -> DatabaseQueue {
    if case .immutable = state.withLock({ $0.access }) { return try openImmutable() }
    do {
      return try openShared()
    } catch {
      let cause = StoreError(database: error, path: path)
      switch cause {
      case .readOnly, .diskFull, .inputOutput: break
      default: throw cause
      }
      // Where the log and its index cannot be made nobody else can have made them, and an empty log holds nothing.
      guard Self.hasNoLog(path), let identity = FileIdentity(path) else { throw cause }
      let connection: DatabaseQueue
      do { connection = try openImmutable() } catch { throw cause }
      state.withLock { $0.access = .immutable(identity) }
      return connection
    }
  }

  private func openImmutable() throws -> DatabaseQueue {
    var settings = settings(isReadOnly: true)
    settings.label = "keychain, immutable"
    return try DatabaseQueue(path: Self.immutableName(path), configuration: settings)
  }

  /// SQLite's name for a file that does not change (sqlite.org/uri.html).
  private static func immutableName(_ path: String) -> String {
    var name = "file:"
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
        UInt8(ascii: "_"):
        name.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = Array("0123456789ABCDEF".unicodeScalars)
        name.unicodeScalars.append("%")
        name.unicodeScalars.append(digits[Int(byte >> 4)])
        name.unicodeScalars.append(digits[Int(byte & 0xF)])
      }
    }
    return name + "?immutable=1"
  }

  /// Whether nothing stands in a log beside the file.
  private static func hasNoLog(_ path: String) -> Bool {
    var status = stat()
    guard stat(path + "-wal", &status) == 0 else { return errno == ENOENT }
    return status.st_size == 0
  }

  private func openShared() throws -> DatabaseQueue {
    try openWhole(isReadOnly: true) { connection in
      // The first read makes the log's index, where that is missing.
      _ = try connection.number("PRAGMA schema_version")
    }
  }

  /// Opens a connection whose database and log belong together. SQLite opens the two by their names, one after the other, the
  /// log at the first read: if another file takes the place between, that connection has the old database with the new one's
  /// log, and would write the one's pages into the other. So it is looked at after its first read.
  private func openWhole(isReadOnly: Bool, _ firstRead: (Connection) throws -> Void) throws -> DatabaseQueue {
    for _ in 0..<Self.exchanges {
      try AbandonedLog.check(path)
      let queue = try DatabaseQueue(path: path, configuration: settings(isReadOnly: isReadOnly))
      let (result, file) = queue.unsafeRead { database in
        let connection = Connection(database: database, path: path)
        return (Result { try firstRead(connection) }, connection.fileNumber)
      }
      guard let file else {
        // Closed, it would empty the new file's log into the old one.
        if isReadOnly { try? queue.close() } else { _ = Unmanaged.passRetained(queue) }
        continue
      }
      do {
        try result.get()
        try requireSame(file)
        return queue
      } catch {
        try? queue.close()
        throw error
      }
    }
    throw StoreError.exchanged(path)
  }

  /// So often another file may take the place while a connection is being opened.
  private static let exchanges = 8

  /// All connections have the same file open: what one of them has read says nothing of another file.
  private func requireSame(_ file: FileNumber) throws(StoreError) {
    let known = state.withLock { state in
      state.file = state.file ?? file
      return state.file
    }
    guard known == file else { throw .exchanged(path) }
  }

  private func writer() throws -> DatabaseQueue {
    if let writer = try state.withLock({ state in
      if state.isClosed { throw StoreError.inputOutput("\(path) was closed") }
      return state.writer
    }) {
      return writer
    }
    guard !isReadOnly else { throw StoreError.readOnly(path: path) }
    let opened = try Self.waiting(busyTimeout, path) { try openWriter() }
    let (kept, isOurs) = state.withLock { state -> (DatabaseQueue?, Bool) in
      if let writer = state.writer { return (writer, false) }
      if state.isClosed { return (nil, false) }
      state.writer = opened
      return (opened, true)
    }
    if !isOurs { try? opened.close() }
    guard let kept else { throw StoreError.inputOutput("\(path) was closed") }
    return kept
  }

  private func openWriter() throws -> DatabaseQueue {
    try openWhole(isReadOnly: false) { connection in
      // A file that is in this mode already stays as it is.
      try connection.run("PRAGMA journal_mode = WAL")
      try connection.run("PRAGMA synchronous = FULL")
      try connection.run("PRAGMA wal_autocheckpoint = 4000")
      try connection.run("PRAGMA journal_size_limit = 67108864")
      try connection.run("PRAGMA cache_size = -16000")
      _ = try connection.number("PRAGMA schema_version")
    }
  }

  private func settings(isReadOnly: Bool) -> GRDB.Configuration {
    var settings = GRDB.Configuration()
    settings.readonly = isReadOnly
    settings.busyMode = .timeout(isReadOnly ? max(busyTimeout, 10) : busyTimeout)
    settings.foreignKeysEnabled = false
    settings.allowsUnsafeTransactions = true
    settings.label = "keychain"
    settings.prepareDatabase { [path] database in
      let connection = Connection(database: database, path: path)
      for pragma in ["secure_delete = ON", "cell_size_check = ON", "trusted_schema = OFF", "temp_store = MEMORY"] {
        try connection.run("PRAGMA \(pragma)")
      }
      // The -wal and -shm files stay when the last connection goes, emptied: who may only read needs them.
      var isOn: Int32 = 1
      sqlite3_file_control(database.sqliteConnection, "main", SQLITE_FCNTL_PERSIST_WAL, &isOn)
    }
    return settings
  }

  /// Tries again while another process changes the file's mode: SQLite does not wait for that by itself.
  static func waiting<Value>(
    _ seconds: Double, _ path: String, _ body: () throws -> Value
  ) throws(StoreError) -> Value {
    let end = ContinuousClock.now + .seconds(seconds)
    while true {
      do {
        return try body()
      } catch {
        let error = StoreError(database: error, path: path)
        guard case .busy = error, ContinuousClock.now < end else { throw error }
        usleep(2000)
      }
    }
  }
}
