/// A connection as ``CommitBatcher`` drives it. Every call blocks, and comes from one thread at a time.
///
/// What fails throws an ``SQLFailure``, which says whether all may run again.
package protocol BatchConnection: AnyObject {
  /// Opens a transaction that is serializable with all others, after connecting again if need be.
  func begin() throws -> SQLTransaction
  /// Marks the place to which ``rollbackToSavepoint()`` goes back.
  func savepoint() throws
  /// Forgets the mark, keeping what was done since.
  func release() throws
  /// Undoes what was done since the mark, and forgets it.
  func rollbackToSavepoint() throws
  /// Makes all of it durable. When it returns everybody may be told.
  func commit() throws
  /// Ends the transaction as if it had not been, if there still is one.
  func rollback()
}
