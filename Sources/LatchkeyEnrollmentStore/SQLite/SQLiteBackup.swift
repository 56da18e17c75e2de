internal import Foundation
internal import Glibc
internal import LatchkeySQLite

/// Copies of a store's SQLite database: made while servers run, and put back where there is none.
///
/// A copy is consistent (`VACUUM INTO`), checked before it has its name, and holds no keys. It calls for the same care as the database: it
/// has the passwords' hashes.
public enum SQLiteBackup {
  /// What a copy has.
  public struct Summary: Sendable, Hashable {
    /// How many revocations it knows of.
    public let epoch: Int64
    /// Its schema's version.
    public let version: Int64
    /// How many devices it has.
    public let devices: Int64
    /// Revocations that were acknowledged after it was made, and that are lost by it; nil if the file that counts them is missing.
    public var lost: Int64? = 0
    /// Unused enrollment tokens that were voided when it was put back.
    public var voidedTokens: Int64 = 0
  }

  /// Makes a copy of a database. Blocks.
  ///
  /// - Parameters:
  ///   - database: the database's file.
  ///   - copy: the copy's file, which must not be there; it appears whole or not at all.
  /// - Throws: ``EnrollmentStoreError``: `.misuse` if there is such a file, or no database; `.unavailable`, say for a full disk.
  public static func make(of database: String, to copy: String) throws -> Summary {
    let file = try SQLiteFile(database, isMade: false)
    return try place(at: copy) { draft in
      try copyDatabase(file.path, to: draft)
      return try summary(of: draft)
    }
  }

  /// Puts a copy back as a database, without the sessions, challenges and servers' names that it has, and without devices that wait for
  /// an approval or have one. It is brought forward, and its audit log has the entry `store.restored` as soon as it has its name. Blocks.
  ///
  /// - Parameters:
  ///   - copy: the copy.
  ///   - database: the database's file, which must not be there.
  ///   - losesRevocations: whether to go on if revocations were acknowledged after the copy was made, by the file beside the
  ///     database, or if that file is missing. What they ended counts again.
  ///   - keepsTokens: whether enrollment tokens that the copy has as unused stay usable. Else they are revoked: they may have been used
  ///     since.
  ///   - node: the chain of the audit entry.
  ///   - now: the time, in seconds since 1970; nil: the clock's.
  ///   - whenWhole: called when the database is whole, with its entry, and before it has its name; what it throws ends the restore.
  /// - Throws: ``EnrollmentStoreError``: `.misuse` if there is a database, or the copy is none; `.olderThanRevocations`;
  ///   `.damaged`; `.unavailable`.
  public static func restore(
    _ copy: String, to database: String, losesRevocations: Bool = false, keepsTokens: Bool = false,
    node: String = "operator", now: Int64? = nil, whenWhole: () throws -> Void = {}
  ) throws -> Summary {
    try NodeName.check(node)
    let now = now ?? Int64(Date().timeIntervalSince1970)
    let source = try SQLiteFile(copy, isMade: false)
    for suffix in ["-wal", "-shm", "-journal"] where exists(database + suffix) {
      throw EnrollmentStoreError.misuse(
        "there is \(database + suffix), which belongs to another database: move it away first")
    }
    let recorded = try RevocationFile(path: database + ".revocations").recordedEpoch()
    guard recorded != nil || losesRevocations else {
      throw EnrollmentStoreError.olderThanRevocations(
        "there is no \(database).revocations, which says how much was revoked up to the end: put the server's there. If it is lost, give "
          + "--lose-revocations, and revoke again what was revoked after the copy was made")
    }
    return try place(at: database) { draft in
      var found = try summary(of: source.path)
      guard found.version <= Int64(Schema.version) else {
        throw EnrollmentStoreError.unsupportedVersion(Int(clamping: found.version))
      }
      let lost = recorded.map { max(0, $0 - found.epoch) }
      found.lost = lost
      if let recorded, let lost, lost > 0, !losesRevocations {
        throw EnrollmentStoreError.olderThanRevocations(
          "\(copy) knows of \(found.epoch) revocations, and \(database).revocations of \(recorded): \(lost) \(lost == 1 ? "was" : "were") made after it. "
            + "Restore a later copy; or give --lose-revocations, and revoke again what was revoked since")
      }
      try copyDatabase(source.path, to: draft)
      found.voidedTokens = try clean(
        draft, epoch: max(recorded ?? 0, found.epoch), voidsTokens: !keepsTokens, now: now)
      try note(found, in: draft, by: node, now: now)
      try whenWhole()
      return found
    }
  }

  /// Removes what restores and copies to a file left when they were killed. Drafts that are being written stay. Blocks.
  ///
  /// - Parameter path: the database's file, or a copy's.
  /// - Returns: the paths of the removed drafts.
  public static func removeDrafts(of path: String) -> [String] { SQLiteDraft.removeAbandoned(of: path) }

  // MARK: Steps

  private static let application: Int64 = 0x4C4B_456E

  private static func exists(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  /// Runs `make` with a draft in the same folder, and gives the draft its name when it is whole and on the disk.
  private static func place(at path: String, _ make: (_ draft: String) throws -> Summary) throws -> Summary {
    guard !exists(path) else { throw EnrollmentStoreError.misuse("there is a file \(path) already: name a new one") }
    let held = try SQLiteDraft(of: path)
    defer { held.remove() }
    let draft = held.path
    let summary: Summary
    do { summary = try make(draft) } catch SQLFailure.unavailable(let text) {
      throw EnrollmentStoreError.unavailable("\(path) was not made, and nothing else was changed: \(text)")
    } catch let failure as SQLFailure {
      throw failure.storeError
    }
    try sync(draft, as: path, O_RDONLY)
    // Unlike a rename, a link replaces nothing.
    guard link(draft, path) == 0 else {
      throw errno == EEXIST
        ? .misuse("there is a file \(path) already: name a new one") : unavailable(path, errno)
    }
    try sync(URL(fileURLWithPath: path).deletingLastPathComponent().path, as: path, O_RDONLY | O_DIRECTORY)
    return summary
  }

  private static func sync(_ file: String, as path: String, _ flags: Int32) throws(EnrollmentStoreError) {
    let descriptor = open(file, flags | O_CLOEXEC)
    guard descriptor >= 0 else { throw unavailable(path, errno) }
    defer { Glibc.close(descriptor) }
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw unavailable(path, errno) }
  }

  static func unavailable(_ path: String, _ code: Int32) -> EnrollmentStoreError {
    .unavailable("\(path) cannot be written: \(String(cString: strerror(code)))")
  }

  private static func copyDatabase(_ path: String, to draft: String) throws {
    let session = SQLiteSession { () throws(SQLiteError) in try SQLiteOpening.reader(path) }
    defer { session.close() }
    try session.change("VACUUM INTO $1", [.text(draft)])
  }

  /// What a database has, after a look at all of its pages.
  private static func summary(of path: String) throws -> Summary {
    let session = SQLiteSession { () throws(SQLiteError) in try SQLiteOpening.reader(path) }
    defer { session.close() }
    guard try number(session, "PRAGMA application_id") == application else {
      throw EnrollmentStoreError.misuse("\(path) is no database of this program")
    }
    // SQLite reads what the last page lacks as zeros, and its check finds nothing.
    var status = stat()
    guard stat(path, &status) == 0, Int64(status.st_size) % max(1, try number(session, "PRAGMA page_size")) == 0 else {
      throw EnrollmentStoreError.damaged("\(path) is cut off: restore another copy")
    }
    guard try session.rows("PRAGMA integrity_check(1)", []) == [[.text("ok")]] else {
      throw EnrollmentStoreError.damaged("\(path) is damaged: restore another copy")
    }
    return Summary(
      epoch: try number(session, "SELECT epoch FROM revocations WHERE id = 1"),
      version: try number(session, "SELECT MAX(version) FROM schema_version"),
      devices: try number(session, "SELECT COUNT(*) FROM devices"))
  }

  private static func number(_ session: SQLiteSession, _ statement: StaticString) throws -> Int64 {
    guard case .integer(let number)? = try session.rows(statement, []).first?.first else {
      throw EnrollmentStoreError.damaged("the copy lacks what each database has: restore another one")
    }
    return number
  }

  /// Writes the audit entry of the restore, so that no database has its name without it.
  private static func note(_ found: Summary, in draft: String, by node: String, now: Int64) throws {
    let opening = SQLiteOpening(
      file: try SQLiteFile(draft, isMade: false), revocations: RevocationFile(path: draft + ".revocations"),
      isMade: false)
    let session = SQLiteSession(try opening.open())
    defer { session.close() }
    try session.change("BEGIN IMMEDIATE", [])
    let transaction = SQLTransaction(session, chain: node)
    try transaction.audit(
      AuditEntry(
        event: "store.restored", time: now,
        fields: [
          "devices": "\(found.devices)", "lost": found.lost.map { "\($0)" } ?? "unknown",
          "voidedTokens": "\(found.voidedTokens)", "by": "operator",
        ]))
    try transaction.finish()
    try session.change("COMMIT", [])
    // The draft alone is renamed: the log goes into it.
    let left = try session.rows("PRAGMA wal_checkpoint(TRUNCATE)", []).first
    guard left?.first == .integer(0) else {
      throw EnrollmentStoreError.unavailable("another program uses \(draft): end it, and restore again")
    }
  }

  /// Forgets what may have ended meanwhile: sessions that an operator may have ended, challenges, names of servers, unused enrollment
  /// tokens, and devices that wait for an approval, except rejected ones.
  ///
  /// - Returns: how many tokens are revoked.
  private static func clean(_ draft: String, epoch: Int64, voidsTokens: Bool, now: Int64) throws -> Int64 {
    var options = SQLiteOptions(.readWrite, busyTimeout: 5)
    options.pragmas = SQLitePragma.hardened
    let connection: SQLiteConnection
    do throws(SQLiteError) { connection = try SQLiteConnection(path: draft, options: options) } catch {
      throw SQLFailure(error)
    }
    let session = SQLiteSession(connection)
    defer { session.close() }
    try session.change("BEGIN IMMEDIATE", [])
    try session.change("DELETE FROM tokens", [])
    try session.change("DELETE FROM challenges", [])
    if try number(session, "SELECT COUNT(*) FROM sqlite_schema WHERE name = 'nodes'") > 0 {
      try session.change("DELETE FROM nodes", [])
    }
    var voided = 0
    // Copies of earlier versions have no tokens.
    if try number(session, "SELECT COUNT(*) FROM sqlite_schema WHERE name = 'enrollment_tokens'") > 0 {
      if voidsTokens {
        voided = try session.change(
          "UPDATE enrollment_tokens SET revoked = $1 WHERE used IS NULL AND revoked IS NULL AND expires > $1",
          [.integer(now)])
      }
      try session.change("DELETE FROM pending_devices WHERE decided IS NULL OR is_approved = 1", [])
    }
    // At least what the file beside it knows, so that the next copy of today's database is told from this one.
    try session.change("UPDATE revocations SET epoch = $1 WHERE id = 1", [.integer(epoch)])
    try session.change("COMMIT", [])
    return Int64(voided)
  }
}
