internal import GRDB
internal import GRDBSQLite

/// SQLite's result codes, told once in the store's own words.
extension SQLFailure {
  /// What GRDB threw.
  init(_ error: any Error) {
    if let failure = error as? SQLFailure {
      self = failure
    } else if let error = error as? DatabaseError {
      self.init(code: error.extendedResultCode.rawValue, message: error.message ?? "")
    } else {
      self = .unavailable("\(error)")
    }
  }

  /// The meaning of an extended result code.
  init(code: Int32, message: String) {
    switch code & 0xFF {
    case SQLITE_BUSY, SQLITE_LOCKED: self = .retryable(message)
    case SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_RANGE, SQLITE_TOOBIG: self = .refused(message)
    // A sum that leaves 64 bits; every statement was prepared before, so no other error of this kind is left.
    case SQLITE_ERROR: self = .refused(message)
    case SQLITE_CORRUPT, SQLITE_NOTADB:
      self = .damaged("the database file does not hold together (\(message)): restore a copy of it")
    case SQLITE_FULL: self = .unavailable("the disk is full: make room")
    case SQLITE_READONLY: self = .unavailable("the database cannot be written (\(message)): look at its owner and mode")
    default: self = .unavailable("\(message) (SQLite code \(code))")
    }
  }
}
