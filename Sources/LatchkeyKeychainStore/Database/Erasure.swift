import Glibc
import LatchkeyKeychainModel
import LatchkeySQLite
import LatchkeySystem
import Synchronization

/// Deleted and replaced content that still stands in the log: old frames, which stay until the log is emptied. (In the
/// file itself SQLite overwrites what goes, `secure_delete`.)
///
/// Emptying costs the disk two waits, so that not each deletion does it: the first one starts the clock, and whatever was
/// deleted until it strikes goes at once. That something waits stands in the database (`user_version`), so that after a process
/// was killed the next one that opens the keychain for writing does it. The number is a hint and not authenticated: who can
/// change it can keep the log, too.
final class Erasure: Sendable {
  private struct State {
    var isDue = false
    var isScheduled = false
  }

  private let state = Mutex(State())

  /// Whether something waits.
  var isDue: Bool { state.withLock { $0.isDue } }

  /// Notes that something waits; true if the timer is not running yet.
  func begin() -> Bool {
    state.withLock { state in
      state.isDue = true
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
  }

  /// The timer has fired.
  func strike() { state.withLock { $0.isScheduled = false } }

  /// Notes that nothing waits any more.
  func end() { state.withLock { $0.isDue = false } }

  /// Writes into the database whether something waits, in the transaction that is open.
  ///
  /// - Parameter startsLog: whether the transaction is the log's first, so that nothing older waits.
  func note(_ erases: Bool, startsLog: Bool, _ connection: Connection) throws(StoreError) {
    let noted = try connection.number("PRAGMA user_version") ?? 0
    if erases, noted != 1 {
      try connection.run("PRAGMA user_version = 1")
    } else if !erases, noted == 1, startsLog, Self.logSize(connection.path) == 0 {
      try connection.run("PRAGMA user_version = 0")
    }
  }

  /// Whether another process has left something in the log, and died.
  static func wasLeft(_ connection: Connection) -> Bool {
    (try? connection.number("PRAGMA user_version")) == 1 && logSize(connection.path) > 0
  }

  /// Bytes of the log.
  private static func logSize(_ path: String) -> Int { FilePaths.size(path + "-wal") }
}

extension KeychainDatabase {
  /// The longest time that an emptying in the background holds up this process's writers while others read, in milliseconds.
  private static let patience: Int32 = 100

  /// Empties the log when the timer fires.
  func eraseLater() {
    guard erasure.begin() else { return }
    configuration.later(configuration.erasureDelay) { [weak self] in self?.eraseNow() }
  }

  /// Looks whether a process that died has left something in the log.
  func takeOverErasure() {
    guard !configuration.isReadOnly else { return }
    let wasLeft = try? reading { (connection) throws(StoreError) in Erasure.wasLeft(connection) }
    if wasLeft == true { eraseLater() }
  }

  private func eraseNow() {
    erasure.strike()
    guard erasure.isDue, (try? requireOpen()) != nil else { return }
    if emptyLog(waiting: Self.patience) != nil { eraseLater() }
  }

  /// Empties the log before it returns.
  ///
  /// - Parameter done: what was done, for the error.
  /// - Throws: `.inputOutput` if another process reads for longer than this one waits, or the disk refuses it.
  func erase(after done: String) throws(StoreError) {
    guard let failure = emptyLog(waiting: busyMilliseconds) else { return }
    eraseLater()
    let cause =
      switch failure {
      case .busy:
        "another process has been reading the keychain for \(Int(configuration.busyTimeout)) seconds: end it"
      case .diskFull: "there is no room on the disk: free some"
      default: "\(failure)"
      }
    throw .inputOutput(
      "\(done), but what it replaced still stands in \(path)-wal, since \(cause), then run latchkey keychain rotate")
  }

  /// Moves all that is in the log into the file and leaves the log without a byte; returns the failure, `.busy` if others read or
  /// write for longer than so many milliseconds.
  func emptyLog(waiting milliseconds: Int32) -> StoreError? {
    do throws(StoreError) {
      try pool.withWriter { (connection) throws(StoreError) in
        let before = CommitMark.read(connection)
        connection.database.setBusyTimeout(milliseconds)
        defer { connection.database.setBusyTimeout(busyMilliseconds) }
        try connection.truncateLog()
        learnEmptied(before, CommitMark.read(connection))
      }.get()
      erasure.end()
      return nil
    } catch {
      return error
    }
  }

  /// The state is the same after the log was emptied, unless another connection has committed meanwhile.
  private func learnEmptied(_ before: CommitMark?, _ after: CommitMark?) {
    guard let before, let after, before.count == after.count else { return }
    verified.withLock { if $0.commits == before { $0.commits = after } }
  }
}
