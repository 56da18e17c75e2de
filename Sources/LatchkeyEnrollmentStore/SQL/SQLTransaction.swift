/// The verbs, once for every database, in statements that all of them know.
///
/// One value lives as long as a transaction of the database, which may hold many bodies. It keeps what they share: the head
/// of this connection's audit chain, so that it is read and written once a commit, and the revocation epoch, which must be
/// stored in a second place before any caller gets an answer.
///
/// Each connection that writes has an audit chain of its own, or all that write to one chain are serialized
/// (SQLite has one writer at a time): two that append to the same chain would conflict each time.
package final class SQLTransaction: StoreTransaction {
  let session: any SQLSession
  /// The audit chain of this connection.
  let chain: String
  private let isReadOnly: Bool

  /// The time limit; no statement runs after its end.
  package var limit: TransactionLimit?
  /// What failed in the body that runs. A failed statement undoes its body even where the body goes on.
  package private(set) var failure: (any Error)?
  /// The epoch that must be stored in its second place before a body is answered.
  package private(set) var epochToKeep: Int64?
  /// The chain's end, as far as this transaction has read it, and whether it has gone further since.
  var head: AuditHead?
  var hasAppended = false

  /// What the body that runs has written to the audit chain: for counting, once it is committed.
  package internal(set) var audited: [AuditEntry] = []

  private var saved: (head: AuditHead?, hasAppended: Bool, epoch: Int64?) = (nil, false, nil)

  /// The verbs over a connection whose transaction is open.
  ///
  /// - Parameter chain: the name of the connection's audit chain.
  package init(_ session: any SQLSession, chain: String, isReadOnly: Bool = false) {
    self.session = session
    self.chain = chain
    self.isReadOnly = isReadOnly
  }

  // MARK: The way of a transaction

  /// A body begins: what it does can be undone by ``undo()``.
  package func mark() {
    saved = (head, hasAppended, epochToKeep)
    failure = nil
    audited = []
  }

  /// The database has gone back to where the body began; this follows.
  package func undo() {
    (head, hasAppended, epochToKeep) = saved
    failure = nil
  }

  /// Writes what is written once a commit; COMMIT comes next.
  package func finish() throws {
    guard hasAppended, let head else { return }
    try writeHead(head)
    hasAppended = false
  }

  // MARK: Statements

  package func rows(_ statement: StaticString, _ arguments: [SQLValue]) throws -> [SQLRow] {
    do {
      try requireTime()
      return try session.rows(statement, arguments).map(SQLRow.init)
    } catch {
      throw failed(error)
    }
  }

  @discardableResult
  package func change(_ statement: StaticString, _ arguments: [SQLValue]) throws -> Int {
    try requireWriting()
    do {
      try requireTime()
      return try session.change(statement, arguments)
    } catch {
      throw failed(error)
    }
  }

  @discardableResult
  package func beginChange(_ statement: StaticString, _ arguments: [SQLValue]) throws -> SQLLater<Int> {
    try requireWriting()
    do {
      try requireTime()
      let result = try session.beginChange(statement, arguments)
      return SQLLater { [self] in
        do { return try result.take() } catch { throw failed(error) }
      }
    } catch {
      throw failed(error)
    }
  }

  /// Waits for all that the body has begun, before it counts as done.
  package func settle() throws {
    do { try session.settle() } catch { throw failed(error) }
  }

  /// Changes rows and gives them (`RETURNING`).
  package func changedRows(_ statement: StaticString, _ arguments: [SQLValue]) throws -> [SQLRow] {
    try requireWriting()
    return try rows(statement, arguments)
  }

  func mustKeep(epoch: Int64) { epochToKeep = max(epoch, epochToKeep ?? 0) }

  private func requireTime() throws {
    if limit?.isExceeded == true { throw TransactionLimit.error }
  }

  func requireWriting() throws {
    if isReadOnly { throw EnrollmentStoreError.misuse("a read changes nothing: call write") }
  }

  /// Callers get the store's own errors; the first failure is recorded unchanged for the code that runs the body.
  func failed(_ error: any Error) -> any Error {
    if failure == nil { failure = error }
    return (error as? SQLFailure)?.storeError ?? error
  }
}
