/// What became of a statement that failed, as every ``SQLSession`` says it: what matters is who may try again.
package enum SQLFailure: Error, Hashable, Sendable {
  /// Nothing was committed and all of the transaction may run again: another one was in the way (40001, 40P01,
  /// SQLITE_BUSY), or the connection was lost before COMMIT was sent.
  case retryable(String)
  /// The statement's content was refused: a constraint, a value that does not fit. The transaction goes on from the
  /// savepoint before it.
  case refused(String)
  /// Nothing goes on: the disk is full, the server is gone. At COMMIT: it may or may not have happened.
  case unavailable(String)
  /// The data contradict themselves.
  case damaged(String)

  /// The error that callers of the store get.
  package var storeError: EnrollmentStoreError {
    switch self {
    case .retryable: .contention
    case .refused(let text): .misuse(text)
    case .unavailable(let text): .unavailable(text)
    case .damaged(let text): .damaged(text)
    }
  }
}
