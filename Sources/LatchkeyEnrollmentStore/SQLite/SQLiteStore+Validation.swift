internal import LatchkeySQLite

extension SQLiteStore {
  /// Validates that this program can open a database, by its file and its version; changes nothing.
  ///
  /// - Returns: the version of its tables.
  /// - Throws: `.unsupportedVersion` if a later program wrote it; `.misuse` for a file of something else, an empty one, or one that
  ///   others can read or own; `.unavailable`; `.damaged`.
  @discardableResult
  package static func validate(path: String) throws -> Int {
    let file = try SQLiteFile(path, isMade: false)
    do {
      // A connection that only reads would leave the files of the log behind.
      let connection = try SQLiteConnection(path: file.path, options: SQLiteOptions(.readWrite, busyTimeout: 5))
      defer { try? connection.close() }
      let session = SQLiteSession(connection)
      func number(_ statement: StaticString) throws -> Int64 {
        guard case .integer(let number)? = try session.rows(statement, []).first?.first else { return 0 }
        return number
      }
      guard try number("PRAGMA application_id") == SQLiteOpening.application else {
        throw EnrollmentStoreError.misuse("\(file.path) is a database of something else: name another path")
      }
      let version = try number("SELECT MAX(version) FROM schema_version")
      guard (0...Int64(Schema.version)).contains(version) else {
        throw EnrollmentStoreError.unsupportedVersion(Int(clamping: version))
      }
      return Int(version)
    } catch let failure as SQLiteError {
      throw SQLFailure(failure).storeError
    } catch let failure as SQLFailure {
      throw failure.storeError
    }
  }
}
