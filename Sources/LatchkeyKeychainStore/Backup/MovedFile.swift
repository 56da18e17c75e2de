import Glibc
import LatchkeyKeychainModel
import LatchkeySQLite
import LatchkeySystem

/// Locks a database against writers while its file is renamed, after a checkpoint of its log. A writer that waits for the lock
/// then detects that the file has moved.
struct MovedFile: Holder {
  private let connection: SQLiteConnection

  /// Nil if SQLite does not accept the file as a database, or cannot write to it: then there are no writers either.
  ///
  /// - Throws: `.busy` if another writer does not finish in time; `.diskFull`, `.inputOutput` and `.readOnly` if the lock
  ///   cannot be acquired, because other processes may still write.
  init?(path: String, busyTimeout: Double) throws(StoreError) {
    guard FilePaths.size(path) > 0 else { return nil }
    var options = SQLiteOptions(.readWrite, busyTimeout: busyTimeout)
    // The log keeps its name until it moves with the file.
    options.keepsLog = true
    do throws(SQLiteError) {
      connection = try SQLiteConnection(path: path, options: options)
      // A checkpoint that waits for others in vain has moved what it could.
      try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
      try connection.execute("BEGIN IMMEDIATE")
    } catch {
      switch error.kind {
      case .notADatabase, .corrupt: return nil
      // SQLite also fails so for want of a descriptor, or for a companion of the file.
      case .readOnly where access(path, W_OK) != 0: return nil
      default: throw StoreError(error, path: path)
      }
    }
  }

  func release() {
    try? connection.execute("ROLLBACK")
    try? connection.close()
  }
}
