import GRDB
import GRDBSQLite

/// How many transactions were committed to a database in write-ahead mode, by whatever program: a number in the shared
/// memory that all its connections have in common (SQLite's file format, "WAL-Index", field `iChange`). It starts anew
/// when the last connection goes and wraps round; only equality and small differences mean something.
///
/// Every commit of a keychain raises the header's counter by one and this by one. Where the two did not grow alike,
/// something else wrote.
enum CommitCount {
  /// The count now; nil where the database has no shared memory that can be read.
  static func read(_ connection: Connection) -> UInt32? {
    guard let start = start(connection.database) else { return nil }
    // Two copies of the header stand one after the other. A writer fills in the second one first.
    let version = start.load(fromByteOffset: 0, as: UInt32.self)
    let count = start.load(fromByteOffset: 8, as: UInt32.self)
    let isInitialised = start.load(fromByteOffset: 12, as: UInt8.self)
    return version == 3_007_000 && isInitialised != 0 ? count : nil
  }

  private static func start(_ database: Database) -> UnsafeRawPointer? {
    var file: UnsafeMutablePointer<sqlite3_file>?
    guard sqlite3_file_control(database.sqliteConnection, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
      let file, let methods = file.pointee.pMethods, methods.pointee.iVersion >= 2, let map = methods.pointee.xShmMap
    else { return nil }
    var region: UnsafeMutableRawPointer?
    // 32 KiB is the size of every region; 0 means not to make it larger than it is.
    guard map(file, 0, 32768, 0, &region) == SQLITE_OK else { return nil }
    return UnsafeRawPointer(region)
  }
}
