import GRDB
import GRDBSQLite
import LatchkeyKeychainModel
import LatchkeySystem

/// Locks a database against writers while its file is renamed, after a checkpoint of its log. A writer that waits for the lock
/// then detects that the file has moved.
struct MovedFile: Holder {
  private let connection: DatabaseQueue

  /// Nil if SQLite does not accept the file as a database, or cannot write to it: then there are no writers either.
  ///
  /// - Throws: `.busy` if another writer does not finish in time.
  init?(path: String, busyTimeout: Double) throws(StoreError) {
    guard FilePaths.size(path) > 0 else { return nil }
    var settings = GRDB.Configuration()
    settings.busyMode = .timeout(busyTimeout)
    settings.foreignKeysEnabled = false
    settings.allowsUnsafeTransactions = true
    settings.prepareDatabase { database in
      // Closing the connection must not delete the log before it is renamed with the file.
      var isOn: Int32 = 1
      sqlite3_file_control(database.sqliteConnection, "main", SQLITE_FCNTL_PERSIST_WAL, &isOn)
    }
    do {
      let connection = try DatabaseQueue(path: path, configuration: settings)
      try connection.writeWithoutTransaction { database in
        let connection = Connection(database: database, path: path)
        try connection.run("PRAGMA wal_checkpoint(TRUNCATE)")
        try connection.run("BEGIN IMMEDIATE")
      }
      self.connection = connection
    } catch {
      let error = StoreError(database: error, path: path)
      guard case .busy = error else { return nil }
      throw error
    }
  }

  func release() {
    try? connection.writeWithoutTransaction { database in
      try database.execute(sql: "ROLLBACK")
    }
    connection.release()
  }
}
