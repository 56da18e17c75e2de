#if PostgreSQL
  internal import LatchkeyEnrollmentStore
  package import Logging

  extension PostgresStore {
    /// Validates that a database can be reached, and that its tables are none or of a version that this program knows; changes nothing.
    ///
    /// - Returns: the version of the tables; nil where there are none.
    /// - Throws: `EnrollmentStoreError`: `.unavailable`, `.misuse` for an address, role or database that cannot do,
    ///   `.unsupportedVersion` if a later program made the tables.
    @discardableResult
    package static func validate(_ address: PostgresAddress, logger: Logger) throws -> Int? {
      do {
        let session = try PostgresSession(address, timeouts: PostgresTimeouts(), logger: logger)
        guard try session.rows("SELECT to_regclass('schema_version') IS NULL", []).first == [.integer(0)],
          case .integer(let version)? = try session.rows("SELECT MAX(version) FROM schema_version", []).first?.first
        else { return nil }
        guard version <= Schema.version else { throw EnrollmentStoreError.unsupportedVersion(Int(clamping: version)) }
        return Int(version)
      } catch let error as PostgresError {
        throw error.storeError
      }
    }
  }
#endif
