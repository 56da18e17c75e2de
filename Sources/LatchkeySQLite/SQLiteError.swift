internal import CLatchkeySQLite
internal import Glibc

/// Why a call of SQLite failed.
package struct SQLiteError: Error, Hashable, Sendable {
  /// SQLite's extended result code (sqlite.org/rescode.html).
  package let code: Int32
  /// `errno` of the file operation behind it; 0 if there is none.
  package let systemError: Int32
  /// SQLite's message.
  package let message: String

  package init(code: Int32, systemError: Int32 = 0, message: String) {
    self.code = code
    self.systemError = systemError
    self.message = message
  }

  /// The failure of the last call on a connection.
  init(_ connection: OpaquePointer?) {
    guard let connection else {
      self.init(code: SQLITE_MISUSE, message: "the connection is closed")
      return
    }
    let code = sqlite3_extended_errcode(connection)
    // SQLite sets it with these codes alone, and keeps it for later failures.
    let hasSystemError = code & 0xFF == SQLITE_IOERR || code & 0xFF == SQLITE_CANTOPEN
    self.init(
      code: code, systemError: hasSystemError ? sqlite3_system_errno(connection) : 0,
      message: String(cString: sqlite3_errmsg(connection)))
  }

  /// The kinds of failure that callers treat differently.
  package enum Kind: Sendable {
    /// Another connection is in the way; the same call may succeed later.
    case busy
    /// The disk or its quota is full, or the process may not make a file of this size.
    case full
    /// The file, its log or its folder cannot be opened or written.
    case readOnly
    /// The file is not an SQLite database.
    case notADatabase
    /// The database contradicts itself.
    case corrupt
    /// A constraint of a table refuses the row.
    case constraint
    /// A value does not fit into its place.
    case doesNotFit
    /// The statement is wrong, or one of its sums leaves 64 bits.
    case statement
    /// The disk fails, and anything else.
    case other
  }

  /// What kind of failure it is.
  package var kind: Kind {
    let hasNoRoom = [ENOSPC, EDQUOT, EFBIG].contains(systemError)
    switch code & 0xFF {
    case SQLITE_BUSY, SQLITE_LOCKED: return .busy
    case SQLITE_FULL: return .full
    // The index of the log cannot grow.
    case SQLITE_IOERR where code == Self.indexCannotGrow || hasNoRoom: return .full
    case SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH: return hasNoRoom ? .full : .readOnly
    case SQLITE_NOTADB: return .notADatabase
    case SQLITE_CORRUPT: return .corrupt
    case SQLITE_CONSTRAINT: return .constraint
    case SQLITE_TOOBIG, SQLITE_RANGE, SQLITE_MISMATCH: return .doesNotFit
    case SQLITE_ERROR: return .statement
    default: return .other
    }
  }

  /// Whether the failure is one of the disk.
  package var isInputOutput: Bool { code & 0xFF == SQLITE_IOERR }

  /// What the operator of the database can do; nil where that depends on the caller.
  package var advice: String? {
    switch kind {
    case .busy: "try again later"
    case .full: "make room"
    case .readOnly: "look at its owner and mode"
    case .corrupt, .notADatabase: "restore a copy of it"
    case .constraint, .doesNotFit, .statement, .other: nil
    }
  }

  /// `SQLITE_IOERR_SHMSIZE`, which is a macro with arithmetic that Swift does not import.
  private static let indexCannotGrow = SQLITE_IOERR | 19 << 8
}
