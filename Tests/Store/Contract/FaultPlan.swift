package import LatchkeyEnrollmentStore
import Synchronization

/// Which statements of a store's writing connections fail, before the database sees them, as if another server had been in
/// the way: BEGIN, SAVEPOINT and COMMIT are statements, too.
package final class FaultPlan: Sendable {
  private struct State {
    var count = 0
    var failing: @Sendable (Int) -> Bool = { _ in false }
  }

  private let state = Mutex(State())

  package init() {}

  /// Begins to count anew. The statement of a number, from 1, fails if `failing` says so.
  package func arm(_ failing: @escaping @Sendable (Int) -> Bool) {
    state.withLock { $0 = State(failing: failing) }
  }

  /// How many statements ran since.
  package var count: Int { state.withLock { $0.count } }

  /// The same connection, with faults.
  package func wrap(_ session: any SQLSession) -> any SQLSession { FaultySession(session, self) }

  fileprivate func next() throws {
    let fails = state.withLock { state in
      state.count += 1
      return state.failing(state.count)
    }
    if fails { throw SQLFailure.retryable("planned") }
  }
}

private final class FaultySession: SQLSession {
  private let session: any SQLSession
  private let plan: FaultPlan

  init(_ session: any SQLSession, _ plan: FaultPlan) {
    self.session = session
    self.plan = plan
  }

  var dialect: SQLDialect { session.dialect }

  func define(_ text: String) throws {
    try plan.next()
    try session.define(text)
  }

  func rows(_ statement: StaticString, _ arguments: [SQLValue]) throws -> [[SQLValue]] {
    try plan.next()
    return try session.rows(statement, arguments)
  }

  func change(_ statement: StaticString, _ arguments: [SQLValue]) throws -> Int {
    // A rollback has no faults: the database ends a transaction whether or not the connection still exists.
    if !statement.isRollback { try plan.next() }
    return try session.change(statement, arguments)
  }

  func beginChange(_ statement: StaticString, _ arguments: [SQLValue]) throws -> SQLLater<Int> {
    try plan.next()
    return try session.beginChange(statement, arguments)
  }

  func settle() throws {
    try plan.next()
    try session.settle()
  }
}

extension StaticString {
  fileprivate var isRollback: Bool { description == "ROLLBACK" }
}
