import LatchkeyEnrollmentStore
import Synchronization

/// A session without a database: it notes the statements of a transaction, and fails where the plan says so.
final class PlannedSession: SQLSession, Sendable {
  /// The calls, in order.
  private let asked = Mutex<[String]>([])
  /// The failure of a call, by its name and how often it was called before.
  private let failure: @Sendable (String, Int) -> SQLFailure?

  init(failure: @escaping @Sendable (String, Int) -> SQLFailure? = { _, _ in nil }) { self.failure = failure }

  /// A connection over this session.
  var connection: SQLConnection { SQLConnection(self, beginning: "BEGIN", chain: "node") }

  var calls: [String] { asked.withLock { $0 } }

  func count(_ name: String) -> Int { calls.filter { $0 == name }.count }

  var dialect: SQLDialect { .sqlite }

  func define(_ text: String) throws {}

  func rows(_ statement: StaticString, _ arguments: [SQLValue]) throws -> [[SQLValue]] { [] }

  func change(_ statement: StaticString, _ arguments: [SQLValue]) throws -> Int {
    let names = [
      "BEGIN": "begin", "SAVEPOINT body": "savepoint", "RELEASE SAVEPOINT body": "release",
      "ROLLBACK TO SAVEPOINT body": "undo", "COMMIT": "commit", "ROLLBACK": "rollback",
    ]
    let name = names[statement.description] ?? statement.description
    let before: Int? = asked.withLock { asked in
      // The mark that was gone back to is released with it.
      if name == "release", asked.last == "undo" { return nil }
      asked.append(name)
      return asked.filter { $0 == name }.count - 1
    }
    if let before, let failure = failure(name, before) { throw failure }
    return 0
  }
}
