internal import LatchkeySQLite

extension SQLFailure {
  /// What a failure of SQLite means for the transaction.
  init(_ failure: SQLiteError) {
    let message = failure.message
    func unavailable(_ text: String) -> SQLFailure { .unavailable(failure.advice.map { "\(text): \($0)" } ?? text) }
    self =
      switch failure.kind {
      case .busy: .retryable(message)
      // Every statement was prepared before: as its failure only a sum that leaves 64 bits is left.
      case .constraint, .doesNotFit, .statement: .refused(message)
      case .corrupt, .notADatabase:
        .damaged("the database file does not hold together (\(message)): \(failure.advice ?? "")")
      case .full: unavailable("the disk is full")
      case .readOnly: unavailable("the database cannot be written (\(message))")
      case .other: .unavailable("\(message) (SQLite code \(failure.code))")
      }
  }
}
