import GRDB
import GRDBSQLite
import Glibc
import LatchkeyKeychainModel

/// SQLite's result codes, told once in the store's own words.
extension StoreError {
  /// What GRDB threw on the file at `path`.
  init(database error: any Error, path: String) {
    if let error = error as? StoreError {
      self = error
    } else if let error = error as? DatabaseError {
      self.init(
        code: error.extendedResultCode.rawValue, systemError: 0, message: error.message ?? "", path: path)
    } else {
      self = .inputOutput("\(path): \(error)")
    }
  }

  /// What the last call on `connection` failed with.
  init(connection: OpaquePointer?, path: String) {
    guard let connection else {
      self = .inputOutput("\(path) is closed")
      return
    }
    self.init(
      code: sqlite3_extended_errcode(connection), systemError: sqlite3_system_errno(connection),
      message: String(cString: sqlite3_errmsg(connection)), path: path)
  }

  /// The meaning of an extended result code of SQLite.
  init(code: Int32, systemError: Int32, message: String, path: String) {
    switch code & 0xFF {
    case SQLITE_FULL: self = .diskFull(path: path)
    // The log's index could not grow.
    case SQLITE_IOERR where code == SQLITE_IOERR | 19 << 8: self = .diskFull(path: path)
    case SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH:
      self = systemError == ENOSPC ? .diskFull(path: path) : .readOnly(path: path)
    case SQLITE_NOTADB: self = .notAKeychain(path: path)
    case SQLITE_CORRUPT: self = .damaged("the database file \(path) does not hold together (\(message))")
    case SQLITE_BUSY, SQLITE_LOCKED: self = .busy(path: path)
    case SQLITE_IOERR:
      self =
        systemError == ENOSPC || systemError == EDQUOT
        ? .diskFull(path: path) : .inputOutput("\(path): \(message) (SQLite code \(code), errno \(systemError))")
    case SQLITE_TOOBIG, SQLITE_RANGE, SQLITE_MISMATCH:
      self = .invalidParameter("the item does not fit into a row: \(message)")
    default: self = .inputOutput("\(path): \(message) (SQLite code \(code))")
    }
  }
}

extension StoreError {
  /// Another file stands at `path` than the one that was opened, or none.
  static func exchanged(_ path: String) -> StoreError {
    .inputOutput("\(path) was replaced or removed while it was open: open it again")
  }
}
