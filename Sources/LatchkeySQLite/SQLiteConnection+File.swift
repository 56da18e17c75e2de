internal import CLatchkeySQLite

/// The file behind a connection, through the descriptor that SQLite has open: closing another descriptor of the same file would
/// drop the locks of this process.
extension SQLiteConnection {
  /// Whether the open file is no longer the one that stands at its name.
  package var hasLostFile: Bool {
    guard let handle else { return false }
    var hasMoved: Int32 = 0
    return sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved) == SQLITE_OK && hasMoved != 0
  }

  /// Leaves the log and its index in place, emptied, when the last connection closes.
  func keepLog() {
    guard let handle else { return }
    var isOn: Int32 = 1
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &isOn)
  }

  /// The size of the file without its log, in bytes; nil where it cannot be had.
  package var fileSize: Int64? {
    guard let file = openFile, let size = file.pointee.pMethods.pointee.xFileSize else { return nil }
    var count: Int64 = 0
    return size(file, &count) == SQLITE_OK && count >= 0 ? count : nil
  }

  /// Bytes of the file without its log.
  ///
  /// - Parameter place: the offset of the first byte.
  /// - Throws: ``SQLiteError`` where the disk does not give them, or the file ends before.
  package func readFile(from place: Int64, count: Int) throws(SQLiteError) -> [UInt8] {
    guard let file = openFile, let read = file.pointee.pMethods.pointee.xRead, count >= 0,
      let size = Int32(exactly: count)
    else { throw SQLiteError(code: SQLITE_MISUSE, message: "the file cannot be read") }
    var bytes = [UInt8](repeating: 0, count: count)
    let code = bytes.withUnsafeMutableBytes { read(file, $0.baseAddress, size, place) }
    guard code == SQLITE_OK else { throw SQLiteError(code: code, message: "") }
    return bytes
  }

  /// The database as the open transaction sees it, what is in the log included; nil where memory does not suffice.
  package var image: [UInt8]? {
    var size: sqlite3_int64 = 0
    guard let handle, let image = sqlite3_serialize(handle, "main", &size, 0) else { return nil }
    defer { sqlite3_free(image) }
    return Array(UnsafeBufferPointer(start: image, count: Int(size)))
  }

  /// The header of the log's index in the shared memory of all connections (sqlite.org/walformat.html, 2.1); nil where the
  /// database has none. At least 136 bytes can be read while the connection is open.
  package var logIndexHeader: UnsafeRawPointer? {
    guard let file = openFile, file.pointee.pMethods.pointee.iVersion >= 2,
      let map = file.pointee.pMethods.pointee.xShmMap
    else { return nil }
    var region: UnsafeMutableRawPointer?
    // 32 KiB is the size of every region; 0 means not to make it larger than it is.
    guard map(file, 0, 32768, 0, &region) == SQLITE_OK else { return nil }
    return region.map { UnsafeRawPointer($0) }
  }

  private var openFile: UnsafeMutablePointer<sqlite3_file>? {
    var file: UnsafeMutablePointer<sqlite3_file>?
    guard let handle, sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
      let file, file.pointee.pMethods != nil
    else { return nil }
    return file
  }
}
