public import LatchkeyKeychainModel
import Synchronization

extension KeychainDatabase {
  /// Accepts what is authentic and newest, drops what is not, and writes into the audit log that it did so. Items that were
  /// taken away are not brought back; the report names the outcome for each item. The file as it was stays beside it, as
  /// `….before-repair`: it opens by the same keys, so delete it once it is not needed. Without damage nothing is changed.
  ///
  /// - Parameters:
  ///   - passcode: the passcode, if one is set and the keychain is not unlocked.
  ///   - acceptsUnproven: whether items, key records and a passcode that may be older ones are kept where the header is lost, which
  ///     alone proves that they are the newest.
  /// - Throws: `.locked` if a passcode is set and not given; `.wrongPasscode`; `.damaged` if the key records in force are
  ///   gone, or if the header is lost and what is not proven is not accepted.
  public func repair(
    passcode: [UInt8]? = nil, acceptsUnproven: Bool = false
  ) throws(StoreError) -> VerificationReport {
    guard !configuration.isReadOnly else { throw .readOnly(path: path) }
    try requireUsable()
    if let passcode, lockState != .unlocked { try unlockForRepair(passcode) }
    do throws(StoreError) {
      return try repairInPlace(acceptsUnproven)
    } catch {
      switch error {
      // Page by page more may be found: the header, say.
      case .damaged, .notAKeychain: return try salvage(passcode, acceptsUnproven)
      default: throw error
      }
    }
  }

  private func repairInPlace(_ acceptsUnproven: Bool) throws(StoreError) -> VerificationReport {
    try pool.withWriter { (connection) throws(StoreError) in
      try connection.run("BEGIN IMMEDIATE")
      return try repair(connection, acceptsUnproven)
    }.get()
  }

  /// Where SQLite cannot read the file any more: a new one in its place.
  private func salvage(_ passcode: [UInt8]?, _ acceptsUnproven: Bool) throws(StoreError) -> VerificationReport {
    guard !isClosed.load(ordering: .acquiring) else { throw .inputOutput("\(path) was closed") }
    // What this process has open would keep the file from being held.
    pool.reopen()
    let (report, header) = try Salvage(configuration)
      .perform(passcode: passcode, acceptsUnproven: acceptsUnproven, open: parts.ring)
    pool.reopen()
    watch.reset()
    versions.withLock { $0 = [:] }
    verified.withLock { $0 = VerifiedState(commits: nil, header: header, damage: nil) }
    try parts.ring.adopt(try reading { (connection) throws(StoreError) in try HeaderTable.readSlots(connection) })
    return report
  }

  /// Makes a new file of what can be read of one that does not open at all, and is damaged.
  ///
  /// - Throws: as ``repair(passcode:acceptsUnproven:)``; `.busy` if another process has it open.
  public static func salvage(
    _ configuration: Configuration, passcode: [UInt8]? = nil, acceptsUnproven: Bool = false
  ) throws(StoreError) -> VerificationReport {
    try Salvage(configuration).perform(passcode: passcode, acceptsUnproven: acceptsUnproven).0
  }

  private func repair(_ connection: Connection, _ acceptsUnproven: Bool) throws(StoreError) -> VerificationReport {
    let commits = CommitMark.read(connection)
    let known = try verify(connection, commits: commits)
    let report = try Verification(connection: connection, parts: parts).report(known)
    if report.isClean { return report }
    // A repair decides the content of the keychain from now on.
    if parts.ring.hasPasscode, lockState != .unlocked { throw .locked(.whenUnlocked, lockState) }
    let before = DamagedCopy(database: try Self.image(of: connection))
    var repaired = try Repair(connection: connection, parts: parts, known: known, acceptsUnproven: acceptsUnproven)
      .perform()
    let present = VerifiedState(commits: nil, header: repaired.header, damage: nil)
    if let rest = try Verification(connection: connection, parts: parts).report(present).findings.first {
      // SQLite reads rows of a page that was cut or zeroed, and cannot delete them.
      throw .damaged("\(rest), after a repair of its tables")
    }
    repaired.report.aside = try before.keep(besides: path)
    try connection.run("COMMIT")
    record(VerifiedState(commits: .after(commits, connection), header: repaired.header, damage: nil, proven: .whole))
    hasWritten.store(true, ordering: .relaxed)
    return repaired.report
  }

  /// Unlocks, if need be without counting the attempt, which a damaged keychain cannot.
  package func unlockForRepair(_ passcode: [UInt8], isTrusted: Bool = false) throws(StoreError) {
    do {
      if isTrusted { try unlock(trustedPasscode: passcode) } else { try unlock(passcode: passcode) }
    } catch .damaged {
      let attempt = try parts.ring.attempt(passcode)
      guard attempt.isRight else { throw .wrongPasscode(attemptsBeforeDelay: 0) }
      try parts.ring.unlock(after: attempt)
    }
  }
}
