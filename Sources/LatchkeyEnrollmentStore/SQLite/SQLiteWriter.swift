internal import GRDB

/// The one connection that writes, with the statements it has prepared. Everything in here happens on the pool's queue for
/// writes, which lends it to one at a time.
final class SQLiteWriter: @unchecked Sendable {
  private let pool: DatabasePool
  private let connect: (any SQLSession) -> SQLConnection
  private var connection: SQLConnection?

  init(_ pool: DatabasePool, connect: @escaping @Sendable (any SQLSession) -> SQLConnection) {
    self.pool = pool
    self.connect = connect
  }

  func lend(_ use: (any BatchConnection) -> Void) throws {
    pool.writeWithoutTransaction { database in
      let connection = self.connection ?? connect(SQLiteSession(database))
      self.connection = connection
      use(connection)
    }
  }

  /// Gives its statements back, which the database needs to close.
  func end() {
    pool.writeWithoutTransaction { _ in connection = nil }
  }
}
