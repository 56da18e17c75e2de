import Glibc
import LatchkeyEnclaveKeys
import LatchkeyKeychainModel
import LatchkeySQLite
import LatchkeySystem

/// The steps of a salvage, in order. A process may end after any of them.
package enum SalvageStep: String, CaseIterable, Sendable {
  /// The old file's pages are read.
  case read
  /// The new file is there, and empty.
  case drafted
  /// The new file holds everything, and the disk has it.
  case filled
  /// The old file as it was has a copy beside it.
  case kept
  /// The old file's log is gone.
  case cleared
  /// The new file has the old one's place.
  case replaced
}

/// Makes a new file of what can be read in the pages of a keychain's, where SQLite cannot: one bad page costs at most what
/// stands on it. Rows prove themselves, and are verified as in every repair. The new file takes the old one's place in one
/// step, so that a process that ends before that has changed nothing.
struct Salvage {
  private let configuration: KeychainDatabase.Configuration
  private let path: String
  /// The root key, and the others that may be in force while it is being replaced.
  private let roots: [RootKey]
  private let rollback: RollbackGuard?

  init(_ configuration: KeychainDatabase.Configuration) throws(StoreError) {
    guard !configuration.isReadOnly else { throw .readOnly(path: configuration.path) }
    self.configuration = configuration
    path = StoreLocation.standardized(configuration.path)
    try StoreOpening.verifyAbsence(configuration)
    guard FilePaths.size(path) > 0 else { throw StoreLocation.noKeychain(path) }
    let (root, counter) = try configuration.rootKey.open(databasePath: path)
    let replacement = RootKeyReplacement(configuration.rootKey, databasePath: path)
    roots = [root] + (replacement.map { $0.isUnderWay ? $0.keys : [] } ?? [])
    rollback = (configuration.counter ?? counter).map { RollbackGuard(counter: $0) }
  }

  /// Does it all.
  ///
  /// - Parameters:
  ///   - passcode: the passcode, if one is set.
  ///   - acceptsUnproven: whether authentic content stays where the header is lost.
  ///   - open: the keys of this keychain, if they are open already.
  /// - Throws: `.damaged` if the key records are gone, or not those in force, or if the header is lost and what is not proven is
  ///   not accepted; `.locked`, `.wrongPasscode`; `.busy` if others have the keychain open.
  func perform(
    passcode: [UInt8]?, acceptsUnproven: Bool, open: KeyRing? = nil
  ) throws(StoreError) -> (VerificationReport, Header) {
    let held = try hold()
    defer { held.holder.release() }
    configuration.salvageStep(.read)
    let carving = Carving(DatabasePages(file: held.contents))
    let (root, uuid, header) = try inForce(carving)
    let ring = try ring(carving, uuid, header, root, passcode, open)
    removeDrafts()
    let draft = Self.draftName(for: path)
    try OwnedFile.write([], toNew: draft, for: path)
    defer { unlink(draft) }
    configuration.salvageStep(.drafted)
    let parts = StoreParts(path: draft, uuid: uuid, ring: ring, now: configuration.now, rollback: rollback)
    var repaired = try fill(draft, carving, header, parts, acceptsUnproven)
    configuration.salvageStep(.filled)
    repaired.0.aside = try held.copy.keep(besides: path)
    configuration.salvageStep(.kept)
    for suffix in ["-wal", "-shm"] where unlink(path + suffix) != 0 && errno != ENOENT {
      throw FilePaths.error(errno, at: path + suffix)
    }
    configuration.salvageStep(.cleared)
    guard rename(draft, path) == 0 else { throw FilePaths.error(errno, at: path) }
    try OwnedFile.syncFolder(of: path)
    configuration.salvageStep(.replaced)
    return repaired
  }

  /// The name of a file that is being written beside the keychain at `path`; the next salvage removes those that are left.
  static func draftName(for path: String) -> String { "\(path).salvage.\(getpid()).\(UInt64.random(in: 0 ... .max))" }

  // MARK: The old file

  private struct Held {
    /// Keeps other processes from opening the file.
    var holder: any Holder
    /// The file's bytes with all of its log in them.
    var contents: [UInt8]
    /// The file as it was.
    var copy: DamagedCopy
  }

  private func hold() throws(StoreError) -> Held {
    var options = SQLiteOptions(.readWrite, busyTimeout: configuration.busyTimeout)
    options.keepsLog = true
    options.pragmas = [.exclusiveLocking]
    do throws(SQLiteError) {
      let database = try SQLiteConnection(path: path, options: options)
      try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
      try database.execute("BEGIN EXCLUSIVE")
      try database.execute("ROLLBACK")
      let contents = try Self.read(database)
      return Held(holder: database, contents: contents, copy: DamagedCopy(database: contents))
    } catch {
      switch error.kind {
      case .corrupt, .notADatabase: return try holdWithoutSQLite()
      default: throw StoreError(error, path: path)
      }
    }
  }

  /// The same where SQLite does not accept the file as a database any more: the log is played in here. The lock is refused
  /// while a process has the file open that opened it before that was so.
  private func holdWithoutSQLite() throws(StoreError) -> Held {
    let lock = try DatabaseLock(path: path)
    do throws(StoreError) {
      guard let contents = try OwnedFile(path: path, what: "keychain").read(maximum: Self.maximumSize) else {
        throw StoreLocation.noKeychain(path)
      }
      let log = try OwnedFile(path: path + "-wal", what: "log of the keychain").read(maximum: Self.maximumSize) ?? []
      return Held(
        holder: lock, contents: LogFrames.merged(log, into: contents), copy: DamagedCopy(database: contents, log: log))
    } catch {
      lock.release()
      throw error
    }
  }

  private static let maximumSize = 4 << 30

  /// All of the file, through the descriptor that SQLite has: closing another one would drop its locks.
  private static func read(_ database: SQLiteConnection) throws(SQLiteError) -> [UInt8] {
    guard let size = database.fileSize, size <= maximumSize else {
      throw SQLiteError(code: 10, message: "the file cannot be read")
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Int(size))
    while bytes.count < Int(size) {
      let part = min(1 << 20, Int(size) - bytes.count)
      do throws(SQLiteError) {
        bytes += try database.readFile(from: Int64(bytes.count), count: part)
      } catch {
        // A part that the disk does not give back is a bad page like any other.
        guard error.isInputOutput else { throw error }
        bytes += [UInt8](repeating: 0, count: part)
      }
    }
    return bytes
  }

  private func removeDrafts() {
    let folder = FilePaths.folder(of: path)
    let prefix = String(path.dropFirst(folder.count + (folder == "/" ? 0 : 1))) + ".salvage."
    guard let listing = opendir(folder) else { return }
    defer { closedir(listing) }
    while let entry = readdir(listing) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name.hasPrefix(prefix) { unlink("\(folder)/\(name)") }
    }
  }

  // MARK: Trusted content

  /// The root key in force and the UUID, and the newest header that keychains of one of the root keys wrote; without one the root key
  /// is that of the key records.
  private func inForce(_ carving: Carving) throws(StoreError) -> (root: RootKey, uuid: [UInt8], header: Header?) {
    for clear in carving.headers.sorted(by: { $0.counter > $1.counter }) {
      if clear.format > StoreFormat.current {
        throw .newerFormat(path: path, found: Int(clamping: clear.format), known: Int(StoreFormat.current))
      }
      for root in roots {
        guard let header = clear.header(sealedBy: root) else { continue }
        _ = try mark(root).names(header.uuid)
        return (root, header.uuid, header)
      }
    }
    var found: (root: RootKey, uuid: [UInt8], header: Header?)?
    for root in roots {
      guard let uuid = try mark(root).uuid() ?? carving.headers.first?.uuid else { continue }
      found = found ?? (root, uuid, nil)
      let seal = RecordSeal(root: root, storeUUID: uuid)
      if carving.records.contains(where: { seal.isAuthentic($0) }) { return (root, uuid, nil) }
    }
    guard let found else {
      throw .damaged("the header of \(path) is gone, and no mark names the keychain: restore it from a backup")
    }
    return found
  }

  private func mark(_ root: RootKey) -> UsedMark {
    UsedMark(configuration.rootKey, databasePath: path, root: root)
  }

  private func ring(
    _ carving: Carving, _ uuid: [UInt8], _ header: Header?, _ root: RootKey, _ passcode: [UInt8]?, _ open: KeyRing?
  ) throws(StoreError) -> KeyRing {
    if let open, open.lockState == .unlocked,
      header.map({ HeaderTable.digest(open.records) == $0.state.slotsDigest }) ?? true
    {
      return open
    }
    guard let records = inForce(sets(carving, uuid, root), header, carving) else {
      throw .damaged("the key records of \(path) are gone, or not those in force: restore it from a backup")
    }
    let ring = try KeyRing(
      records: records, storeUUID: uuid, root: root, cost: PasscodeCost(rounds: configuration.scryptRounds))
    guard ring.lockState != .unlocked else { return ring }
    guard let passcode else { throw .locked(.whenUnlocked, ring.lockState) }
    let attempt = try ring.attempt(passcode)
    guard attempt.isRight else { throw .wrongPasscode(attemptsBeforeDelay: 0) }
    try ring.unlock(after: attempt)
    return ring
  }

  /// All sets of key records that stand in the file: those of the table, then the copies.
  private func sets(_ carving: Carving, _ uuid: [UInt8], _ root: RootKey) -> [[KeyRecord]] {
    let seal = RecordSeal(root: root, storeUUID: uuid)
    return [carving.slots.sorted { $0.key < $1.key }.map(\.value).filter { seal.isAuthentic($0) }] + carving.copies
  }

  /// The records that the header names. Without a header those that the audit log names last, or else those of the table; the
  /// repair verifies the log.
  private func inForce(_ sets: [[KeyRecord]], _ header: Header?, _ carving: Carving) -> [KeyRecord]? {
    let named = carving.audit.filter { $0.value[3].bytes?.count == AuditTable.keysSize }.max { $0.key < $1.key }
    let digest = header?.state.slotsDigest ?? named?.value[3].bytes
    let found = digest.flatMap { digest in sets.first { HeaderTable.digest($0).starts(with: digest) } }
    return (header == nil ? found ?? sets.first : found).flatMap { $0.isEmpty ? nil : $0 }
  }

  // MARK: The new file

  private func fill(
    _ draft: String, _ carving: Carving, _ header: Header?, _ parts: StoreParts, _ acceptsUnproven: Bool
  ) throws(StoreError) -> (VerificationReport, Header) {
    var options = SQLiteOptions(.readWrite, busyTimeout: 0)
    options.pragmas = [.durableCommits, .secureDelete]
    let database: SQLiteConnection
    do throws(SQLiteError) {
      database = try SQLiteConnection(path: draft, options: options)
    } catch {
      throw StoreError(error, path: path)
    }
    defer { try? database.close() }
    return try Connection(database: database).run { (connection) throws(StoreError) in
      try connection.run("BEGIN IMMEDIATE")
      try StoreSchema.create(connection)
      try HeaderTable.writeSlots(parts.ring.records, connection)
      for (sequence, values) in carving.audit { try AuditTable.insert(sequence, values, connection) }
      let position: AuditPosition
      if let header { position = header.state.audit } else { position = try AuditTable.position(connection) }
      let log = try Freshness(connection, parts, position, isEndProven: header != nil)
      let rows = choose(carving, parts, log)
      for row in rows { try ItemTable.insert(row, number: row.id, connection) }
      let state =
        header
        ?? Header(
          uuid: parts.uuid, counter: 0, state: HeaderState(slotsDigest: HeaderTable.digest(parts.ring.records)))
      let known = VerifiedState(
        commits: nil, header: state, damage: header == nil ? "the header is gone" : nil,
        broken: "pages of the file are spoiled: what can be read was read page by page")
      let repaired = try Repair(
        connection: connection, parts: parts, known: known,
        carved: (header, marks(carving, rows), sets(carving, parts.uuid, parts.ring.root)),
        acceptsUnproven: acceptsUnproven
      ).perform()
      try connection.run("COMMIT")
      return repaired
    }.get()
  }

  /// The marks of the rows in the index; where it has several for one row, that of the row that stays.
  private func marks(_ carving: Carving, _ rows: [ItemRow]) -> [Int64: [UInt8]] {
    var marks = carving.marks.compactMapValues(\.last)
    for row in rows where carving.marks[row.id]?.contains(row.mark) == true { marks[row.id] = row.mark }
    return marks
  }

  /// Of all that was read under one number or one UUID, the row that the audit log names if the header proves the log, or else the one
  /// that the index names, or else the newest authentic one.
  private func choose(_ carving: Carving, _ parts: StoreParts, _ log: Freshness) -> [ItemRow] {
    let authentic = carving.items.values.flatMap { $0 }.filter { parts.sealer.isAuthentic($0) }.map { row in
      (row, isLast: log.isEndProven && log.isNewest(row), isNamed: carving.marks[row.id]?.contains(row.mark) == true)
    }
    let sound = authentic.sorted { a, b in
      if a.isLast != b.isLast { return a.isLast }
      if a.isNamed != b.isNamed { return a.isNamed }
      // New keys make no new version, but another epoch.
      return (a.0.version, a.0.epoch) > (b.0.version, b.0.epoch)
    }
    var (numbers, uuids, keys): (Set<Int64>, Set<[UInt8]>, Set<[UInt8]>) = ([], [], [])
    return sound.map(\.0).filter { row in
      guard !numbers.contains(row.id), !uuids.contains(row.uuid), !keys.contains(row.uniqueTag) else { return false }
      numbers.insert(row.id)
      uuids.insert(row.uuid)
      keys.insert(row.uniqueTag)
      return true
    }
  }
}
