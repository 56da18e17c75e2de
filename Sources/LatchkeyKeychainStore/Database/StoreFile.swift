import Glibc
import LatchkeyKeychainModel
import LatchkeySQLite
import Synchronization

/// The file of a keychain as connections open it: all of them have the same file open, with its own log.
final class StoreFile: Sendable {
  /// How the file is read.
  enum Access: Sendable {
    /// With its log, beside other processes.
    case shared
    /// Without its log, which is empty or missing, where neither it nor its index can be made: on a medium that cannot be
    /// written, or has no room.
    case immutable(FileIdentity)
  }

  private struct State {
    /// The file that the connections have open; nil before the first.
    var number: FileNumber?
    var access = Access.shared
  }

  let path: String
  private let busyTimeout: Double
  private let isReadOnly: Bool
  private let state = Mutex(State())

  init(path: String, configuration: KeychainDatabase.Configuration) {
    self.path = path
    busyTimeout = configuration.busyTimeout
    isReadOnly = configuration.isReadOnly
  }

  /// Whether the file is read as one that nobody can write.
  var isImmutable: Bool {
    if case .immutable = state.withLock({ $0.access }) { true } else { false }
  }

  /// Whether the file was read as one that nobody can write, and somebody has written.
  var hasBecomeWritable: Bool {
    guard case .immutable(let identity) = state.withLock({ $0.access }) else { return false }
    return !identity.isUnchanged(path) || !hasNoLog
  }

  /// Forgets the open file: another one has taken its place.
  func forget() { state.withLock { $0 = State() } }

  /// Opens a connection that reads.
  func openReader() throws(StoreError) -> SQLiteConnection {
    if isImmutable { return try open(.immutable) }
    do throws(StoreError) {
      return try openReadOnly()
    } catch {
      switch error {
      case .readOnly, .diskFull, .inputOutput: break
      default: throw error
      }
      // Where the log and its index cannot be made nobody else can have made them, and an empty log holds nothing.
      guard hasNoLog, let identity = FileIdentity(path), let connection = try? open(.immutable) else { throw error }
      state.withLock { $0.access = .immutable(identity) }
      return connection
    }
  }

  /// Opens the connection that writes, and waits while another process changes the file's mode.
  func openWriter() throws(StoreError) -> SQLiteConnection {
    guard !isReadOnly else { throw .readOnly(path: path) }
    return try BusyWait(seconds: busyTimeout).run(isBusy: { (error: StoreError) in error.isBusy }) {
      () throws(StoreError) in
      try openWhole(.readWrite) { (connection) throws(StoreError) in
        // A file that is in this mode already stays as it is.
        try connection.set(.writeAheadLog)
        for pragma in SQLitePragma.durableLog { try connection.set(pragma) }
        try connection.set(.cache(kibibytes: 16000))
        _ = try connection.number("PRAGMA schema_version")
      }
    }
  }

  private func openReadOnly() throws(StoreError) -> SQLiteConnection {
    try openWhole(.readOnly) { (connection) throws(StoreError) in
      // The first read makes the log's index, where that is missing.
      _ = try connection.number("PRAGMA schema_version")
    }
  }

  private func open(_ access: SQLiteOptions.Access) throws(StoreError) -> SQLiteConnection {
    var options = SQLiteOptions(access, busyTimeout: busyTimeout)
    if access != .readWrite { options.busyTimeout = max(options.busyTimeout, Self.readersWait) }
    options.keepsLog = true
    options.pragmas = [.secureDelete] + SQLitePragma.hardened
    do throws(SQLiteError) {
      return try SQLiteConnection(path: path, options: options)
    } catch {
      throw StoreError(error, path: path)
    }
  }

  /// Readers wait only for the recovery of a log, at least so many milliseconds.
  private static let readersWait: Int32 = 10_000

  /// Opens a connection whose database and log belong together. SQLite opens the two by their names, one after the other, the
  /// log at the first read: if another file takes the place between, that connection has the old database with the new one's
  /// log, and would write the one's pages into the other. So the connection is checked after its first read.
  private func openWhole(
    _ access: SQLiteOptions.Access, _ firstRead: (Connection) throws(StoreError) -> Void
  ) throws(StoreError) -> SQLiteConnection {
    for _ in 0..<Self.exchanges {
      try AbandonedLog.check(path)
      let opened = try open(access)
      let connection = Connection(database: opened)
      let result = Result { () throws(StoreError) in try firstRead(connection) }
      guard let number = connection.fileNumber else {
        // Closed, it would empty the new file's log into the old one.
        if access == .readWrite { _ = Unmanaged.passRetained(opened) } else { try? opened.close() }
        continue
      }
      do throws(StoreError) {
        try result.get()
        try requireSame(number)
        return opened
      } catch {
        try? opened.close()
        throw error
      }
    }
    throw .exchanged(path)
  }

  /// So often another file may take the place while a connection is being opened.
  private static let exchanges = 8

  /// All connections have the same file open: what one of them has read says nothing of another file.
  private func requireSame(_ number: FileNumber) throws(StoreError) {
    let known = state.withLock { state in
      state.number = state.number ?? number
      return state.number
    }
    guard known == number else { throw .exchanged(path) }
  }

  /// Whether nothing stands in a log beside the file.
  private var hasNoLog: Bool {
    var status = stat()
    guard stat(path + "-wal", &status) == 0 else { return errno == ENOENT }
    return status.st_size == 0
  }
}
