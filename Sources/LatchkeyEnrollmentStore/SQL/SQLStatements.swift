/// The statements of a transaction, for the tables of a service (``ServiceSchema``): the same on every database.
///
/// A statement is static text with `$1`, `$2`, … in the order of their first use, which keeps values out of it, and which each
/// connection prepares once.
public protocol SQLStatements: AnyObject {
  /// Runs a statement that reads, and gives its rows.
  ///
  /// - Throws: ``EnrollmentStoreError``.
  func rows(_ statement: StaticString, _ arguments: [SQLValue]) throws -> [SQLRow]
  /// Runs a statement that changes rows, and gives how many.
  ///
  /// - Throws: ``EnrollmentStoreError``: `.misuse` in a transaction that only reads, and for what a constraint refuses.
  @discardableResult
  func change(_ statement: StaticString, _ arguments: [SQLValue]) throws -> Int
  /// Runs a statement that changes rows and gives them (`RETURNING`).
  ///
  /// - Throws: as ``change(_:_:)``.
  func changedRows(_ statement: StaticString, _ arguments: [SQLValue]) throws -> [SQLRow]
  /// Begins a statement that changes rows. Where the database is another process, it goes there with the next statement that is
  /// waited for, which saves a round trip. Use it where nothing depends on the count before the transaction ends. A failure of
  /// the statement undoes the body as any other does, even if the result is not taken.
  ///
  /// - Throws: as ``change(_:_:)``, then or when the result is taken.
  @discardableResult
  func beginChange(_ statement: StaticString, _ arguments: [SQLValue]) throws -> SQLLater<Int>
}

extension SQLStatements {
  /// The rows of a statement without arguments.
  public func rows(_ statement: StaticString) throws -> [SQLRow] { try rows(statement, []) }

  /// The first row of a statement; nil if there is none.
  public func row(_ statement: StaticString, _ arguments: [SQLValue] = []) throws -> SQLRow? {
    try rows(statement, arguments).first
  }
}
