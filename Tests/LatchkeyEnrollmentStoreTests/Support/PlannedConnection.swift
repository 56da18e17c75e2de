import LatchkeyEnrollmentStore
import Synchronization

/// A connection without a database: it records its statements, and fails where a test plans it.
final class PlannedConnection: BatchConnection, Sendable {
  /// Its statements, in order, and their counts.
  private let asked = Mutex<[String]>([])
  /// The failure of a call, by its name and how often it was called before.
  private let failure: @Sendable (String, Int) -> SQLFailure?

  init(failure: @escaping @Sendable (String, Int) -> SQLFailure? = { _, _ in nil }) { self.failure = failure }

  var calls: [String] { asked.withLock { $0 } }

  func count(_ name: String) -> Int { calls.filter { $0 == name }.count }

  func begin() throws -> SQLTransaction {
    try note("begin")
    return SQLTransaction(NoSession(), chain: "node")
  }

  func savepoint() throws { try note("savepoint") }
  func release() throws { try note("release") }
  func rollbackToSavepoint() throws { try note("undo") }
  func commit() throws { try note("commit") }
  func rollback() { try? note("rollback") }

  private func note(_ name: String) throws {
    let before = asked.withLock { asked in
      asked.append(name)
      return asked.filter { $0 == name }.count - 1
    }
    if let failure = failure(name, before) { throw failure }
  }
}

/// Nothing is asked of it.
private final class NoSession: SQLSession {
  func rows(_ statement: StaticString, _ arguments: [SQLValue]) throws -> [[SQLValue]] { [] }
  func change(_ statement: StaticString, _ arguments: [SQLValue]) throws -> Int { 0 }
}
