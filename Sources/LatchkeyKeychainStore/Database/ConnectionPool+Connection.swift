import GRDB
import LatchkeyKeychainModel

extension ConnectionPool {
  /// Runs `body` on the connection that writes. A transaction that it leaves open is rolled back.
  ///
  /// - Returns: what came of `body`.
  /// - Throws: where there is no such connection.
  func withWriter<Value, Failure: Error>(
    _ body: (Connection) throws(Failure) -> Value
  ) throws(StoreError) -> Result<Value, Failure> {
    do { return try writeWithoutTransaction { result(of: body, on: $0) } } catch {
      throw StoreError(database: error, path: path)
    }
  }

  /// The same on one of the connections that read.
  func withReader<Value, Failure: Error>(
    _ body: (Connection) throws(Failure) -> Value
  ) throws(StoreError) -> Result<Value, Failure> {
    do { return try unsafeRead { result(of: body, on: $0) } } catch { throw StoreError(database: error, path: path) }
  }

  private func result<Value, Failure: Error>(
    of body: (Connection) throws(Failure) -> Value, on database: Database
  ) -> Result<Value, Failure> {
    let connection = Connection(database: database, path: path)
    defer { if connection.isInTransaction { try? connection.run("ROLLBACK") } }
    return Result { () throws(Failure) in try body(connection) }
  }
}
