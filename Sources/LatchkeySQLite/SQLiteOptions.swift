internal import CLatchkeySQLite

/// How a connection opens its file.
package struct SQLiteOptions: Sendable {
  /// What the connection may do with the file.
  package enum Access: Sendable, CaseIterable {
    /// Reads and writes; makes the file where there is none.
    case readWrite
    /// Reads alone.
    case readOnly
    /// Reads a file that nothing changes, without its log and without locks (sqlite.org/uri.html, "immutable").
    case immutable
  }

  package var access: Access
  /// How long a statement waits for other connections, in milliseconds.
  package var busyTimeout: Int32
  /// Whether foreign keys are enforced.
  package var enforcesForeignKeys = false
  /// Whether the log and its index stay, emptied, when the last connection closes: a reader that cannot make them needs them.
  package var keepsLog = false
  /// Settings of the connection, run in this order before anything is read.
  package var pragmas: [SQLitePragma] = []

  /// - Parameter busyTimeout: how long a statement waits for other connections, in seconds.
  package init(_ access: Access, busyTimeout: Double) {
    self.access = access
    self.busyTimeout = Self.milliseconds(busyTimeout)
  }

  /// Seconds as SQLite counts them.
  package static func milliseconds(_ seconds: Double) -> Int32 {
    guard seconds > 0 else { return 0 }
    return Int32(exactly: (seconds * 1000).rounded(.down)) ?? .max
  }

  var flags: Int32 {
    let access: Int32 =
      switch access {
      case .readWrite: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      case .readOnly: SQLITE_OPEN_READONLY
      case .immutable: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
      }
    // One thread at a time uses a connection.
    return access | SQLITE_OPEN_NOMUTEX
  }

  /// The name by which SQLite opens `path`.
  func name(_ path: String) -> String {
    guard case .immutable = access else { return path }
    let digits = Array("0123456789ABCDEF".unicodeScalars)
    // The empty authority: without it, a path that begins with two slashes would begin with one.
    var name = path.utf8.first == UInt8(ascii: "/") ? "file://" : "file:"
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
        UInt8(ascii: "_"):
        name.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        name.unicodeScalars.append("%")
        name.unicodeScalars.append(digits[Int(byte >> 4)])
        name.unicodeScalars.append(digits[Int(byte & 0xF)])
      }
    }
    return name + "?immutable=1"
  }
}

/// A setting of a connection (sqlite.org/pragma.html).
package struct SQLitePragma: Sendable {
  /// The statement.
  package let statement: String

  private init(_ setting: String) { statement = "PRAGMA \(setting)" }

  /// Cells of a page are checked against its size, so that a damaged page is found early.
  package static let checkedCells = SQLitePragma("cell_size_check = ON")
  /// Functions with side effects do not run from within the schema, which may come from outside.
  package static let untrustedSchema = SQLitePragma("trusted_schema = OFF")
  /// Nothing temporary reaches the disk.
  package static let temporaryInMemory = SQLitePragma("temp_store = MEMORY")
  /// Deleted content is overwritten.
  package static let secureDelete = SQLitePragma("secure_delete = ON")
  /// Changes go to a log beside the file, so that readers and one writer do not wait for each other.
  package static let writeAheadLog = SQLitePragma("journal_mode = WAL")
  /// COMMIT returns when the disk has everything, the power cut included.
  package static let durableCommits = SQLitePragma("synchronous = FULL")
  /// The log goes into the file when it has 4000 pages (16 MB).
  package static let checkpointPages = SQLitePragma("wal_autocheckpoint = 4000")
  /// A log that has grown beyond 64 MiB is cut to it.
  package static let logSizeLimit = SQLitePragma("journal_size_limit = 67108864")
  /// The first connection locks the file for itself.
  package static let exclusiveLocking = SQLitePragma("locking_mode = EXCLUSIVE")

  /// The page cache's bound, in kibibytes.
  package static func cache(kibibytes: Int) -> SQLitePragma { SQLitePragma("cache_size = -\(kibibytes)") }

  /// What each connection of a store sets.
  package static let hardened: [SQLitePragma] = [checkedCells, untrustedSchema, temporaryInMemory]
  /// What a connection sets that writes to a log, in addition.
  package static let durableLog: [SQLitePragma] = [durableCommits, checkpointPages, logSizeLimit]
}
