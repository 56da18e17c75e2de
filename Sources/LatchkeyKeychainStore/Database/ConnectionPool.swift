import Dispatch
import LatchkeyKeychainModel
import LatchkeySQLite
import Synchronization

/// The connections of an open keychain: up to eight that read, side by side, and one that writes, each opened when it is
/// first needed. They write nothing before the first write.
final class ConnectionPool: Sendable {
  private struct State {
    var idle: [SQLiteConnection] = []
    var isClosed = false
    /// Grows when another file takes the place of the one that the connections have open.
    var generation = 0
  }

  private static let maximumReaders = 8

  private let file: StoreFile
  private let state = Mutex(State())
  private let readers = DispatchSemaphore(value: maximumReaders)
  /// Held while the connection that writes is in use.
  private let writer = Mutex<SQLiteConnection?>(nil)

  init(path: String, configuration: KeychainDatabase.Configuration) {
    file = StoreFile(path: path, configuration: configuration)
  }

  /// The file.
  var path: String { file.path }

  /// Whether the file is read as one that nobody can write.
  var isImmutable: Bool { file.isImmutable }

  private var closed: StoreError { .inputOutput("\(path) was closed") }

  /// Runs `body` on a connection that reads. A transaction that it leaves open is rolled back.
  ///
  /// - Returns: the outcome of `body`.
  /// - Throws: where there is no connection.
  func withReader<Value, Failure: Error>(
    _ body: (Connection) throws(Failure) -> Value
  ) throws(StoreError) -> Result<Value, Failure> {
    readers.wait()
    defer { readers.signal() }
    if file.hasBecomeWritable { reopen() }
    let (idle, generation) = try state.withLock { (state) throws(StoreError) in
      if state.isClosed { throw closed }
      return (state.idle.popLast(), state.generation)
    }
    let connection: SQLiteConnection
    if let idle { connection = idle } else { connection = try file.openReader() }
    defer {
      let isKept = state.withLock { state in
        guard !state.isClosed, state.generation == generation else { return false }
        state.idle.append(connection)
        return true
      }
      if !isKept { try? connection.close() }
    }
    return Connection(database: connection).run(body)
  }

  /// Runs `body` on the connection that writes, alone of all threads of this process; see ``withReader(_:)``.
  func withWriter<Value, Failure: Error>(
    _ body: (Connection) throws(Failure) -> Value
  ) throws(StoreError) -> Result<Value, Failure> {
    var outcome: Result<Value, Failure>?
    try writer.withLock { (writer) throws(StoreError) in
      if state.withLock({ $0.isClosed }) { throw closed }
      let connection: SQLiteConnection
      if let writer { connection = writer } else { connection = try file.openWriter() }
      writer = connection
      outcome = Connection(database: connection).run(body)
    }
    guard let outcome else { throw closed }
    return outcome
  }

  /// Closes the connections, since another file has taken this one's place; calls under way end on the old one.
  func reopen() {
    let idle = state.withLock { state in
      state.generation += 1
      file.forget()
      defer { state.idle = [] }
      return state.idle
    }
    for connection in idle { try? connection.close() }
    closeWriter()
  }

  /// Closes all connections; calls that are under way come to their end before.
  func close() {
    guard
      !state.withLock({ state in
        defer { state.isClosed = true }
        return state.isClosed
      })
    else { return }
    for _ in 0..<Self.maximumReaders { readers.wait() }
    defer { for _ in 0..<Self.maximumReaders { readers.signal() } }
    let idle = state.withLock { state in
      defer { state.idle = [] }
      return state.idle
    }
    // The one that writes goes last: only it can empty the log.
    for connection in idle { try? connection.close() }
    closeWriter()
  }

  private func closeWriter() {
    writer.withLock { writer in
      try? writer?.close()
      writer = nil
    }
  }
}
