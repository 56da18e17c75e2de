import Glibc
import LatchkeyEnclaveKeys
import LatchkeyKeychainModel
import LatchkeySQLite
import LatchkeySystem

/// The way from a configuration to an open keychain.
struct StoreOpening {
  let pool: ConnectionPool
  let parts: StoreParts
  let verified: VerifiedState

  init(_ configuration: KeychainDatabase.Configuration) throws(StoreError) {
    do throws(StoreError) {
      self = try StoreOpening(unmarked: configuration)
    } catch {
      throw Self.loss(configuration, error)
    }
  }

  /// The meaning of a failure where a keychain is known to have been: then "none" and "something else" are its loss.
  private static func loss(_ configuration: KeychainDatabase.Configuration, _ error: StoreError) -> StoreError {
    let path = StoreLocation.standardized(configuration.path)
    guard error == .notAKeychain(path: path) || error == StoreLocation.noKeychain(path),
      let root = try? configuration.rootKey.open(databasePath: path).root
    else { return error }
    let mark = UsedMark(configuration.rootKey, databasePath: path, root: root)
    guard let found = try? mark.found() else { return error }
    return mark.loss(path, markedBy: found)
  }

  /// Checks a place where no file stands, or an empty one, before anything is made or opened there.
  ///
  /// - Throws: `.damaged` where a keychain is known to have been, and where the log of one is.
  static func verifyAbsence(_ configuration: KeychainDatabase.Configuration) throws(StoreError) {
    let path = StoreLocation.standardized(configuration.path)
    guard FilePaths.size(path) == 0 else { return }
    try AbandonedLog.check(path)
    guard let root = try? configuration.rootKey.open(databasePath: path).root else { return }
    let mark = UsedMark(configuration.rootKey, databasePath: path, root: root)
    guard let found = try? mark.found(), FilePaths.size(path) == 0 else { return }
    throw mark.loss(path, markedBy: found)
  }

  /// Marks the place of a keychain that has none, one of an earlier version say. Where it cannot be written the keychain does without.
  private static func settle(
    _ mark: UsedMark, _ uuid: [UInt8], _ verified: VerifiedState, _ configuration: KeychainDatabase.Configuration
  ) throws(StoreError) {
    guard configuration.marksPlace else { return }
    let isMarked = try mark.names(uuid)
    if !isMarked, !configuration.isReadOnly, verified.damage == nil { try? mark.set(uuid) }
  }

  private init(unmarked configuration: KeychainDatabase.Configuration) throws(StoreError) {
    try Self.verifyAbsence(configuration)
    let location = try StoreLocation(configuration)
    let path = location.path
    let pool = ConnectionPool(path: path, configuration: configuration)
    do throws(StoreError) {
      let found = try Self.look(pool, configuration)
      // The root key is looked for before anything is written: without it there is no keychain to make or to open.
      let root: RootKey
      let counter: (any HardwareCounter)?
      switch found {
      case .keychain: (root, counter) = try configuration.rootKey.open(databasePath: path)
      case .nothing:
        guard configuration.createsIfMissing, !configuration.isReadOnly else { throw StoreLocation.noKeychain(path) }
        (root, counter) = try configuration.rootKey.openOrCreate(databasePath: path)
      }
      let mark = UsedMark(configuration.rootKey, databasePath: path, root: root)
      if found == .nothing, let place = try mark.found() {
        // Another process may have made it this moment.
        guard try Self.look(pool, configuration) == .keychain else { throw mark.loss(path, markedBy: place) }
      }
      let cost = PasscodeCost(rounds: configuration.scryptRounds, minimum: configuration.scryptMinimum)
      let rollback = (configuration.counter ?? counter).map { RollbackGuard(counter: $0) }
      if found == .nothing {
        try pool.withWriter { (connection) throws(StoreError) in
          try connection.run("BEGIN IMMEDIATE")
          try Self.create(connection, root, cost, configuration, rollback)
          try connection.run("COMMIT")
        }.get()
      }
      (parts, verified) = try pool.withReader { (connection) throws(StoreError) in
        try Self.read(connection, root, configuration, rollback, cost)
      }.get()
      // Before anything in a new one is acknowledged.
      try Self.settle(parts.mark ?? mark, parts.uuid, verified, configuration)
      // Without a readable header there is nothing to verify, and the keychain opens for inspection.
      if let rollback, !configuration.takesOldCopies, verified.damage == nil || verified.header.state.generation > 0 {
        try rollback.verify(generation: verified.header.state.generation, path: path)
      }
    } catch {
      pool.close()
      throw error
    }
    self.pool = pool
  }

  // MARK: Opening the file

  /// The kind of the file, before anything about it is changed.
  private static func look(
    _ pool: ConnectionPool, _ configuration: KeychainDatabase.Configuration
  ) throws(StoreError) -> StoreSchema.Found {
    let isBusy: (StoreError) -> Bool = { $0.isBusy }
    let result: Result<StoreSchema.Found, StoreError>
    do throws(StoreError) {
      result = try BusyWait(seconds: configuration.busyTimeout).run(isBusy: isBusy) { () throws(StoreError) in
        try pool.withReader(StoreSchema.look)
      }
    } catch .readOnly where !configuration.isReadOnly {
      // A process that died while it made the file may have left a journal, which only a writer can roll back.
      result = try BusyWait(seconds: configuration.busyTimeout).run(isBusy: isBusy) { () throws(StoreError) in
        try pool.withWriter(StoreSchema.look)
      }
    }
    return try result.get()
  }

  // MARK: Making and reading

  /// Makes a keychain, unless another process has made it meanwhile. It is one transaction: a process that dies in it
  /// leaves an empty file, which the next one completes.
  private static func create(
    _ connection: Connection, _ root: RootKey, _ cost: PasscodeCost, _ configuration: KeychainDatabase.Configuration,
    _ rollback: RollbackGuard?
  ) throws(StoreError) {
    guard try StoreSchema.look(connection) == .nothing else { return }
    try StoreSchema.create(connection)
    let uuid = RandomBytes.fresh(16)
    let (ring, records) = try KeyRing.create(storeUUID: uuid, root: root, cost: cost)
    let parts = StoreParts(path: connection.path, uuid: uuid, ring: ring, now: configuration.now)
    try HeaderTable.writeSlots(records, connection)
    var header = Header(
      uuid: uuid, counter: 1,
      state: HeaderState(sums: HeaderSums(), deviceItemCount: 0, slotsDigest: HeaderTable.digest(records)))
    if let rollback { header.state.generation = try rollback.counter.value() }
    try AuditTable.append(
      .created, time: Int64(configuration.now() * 1000), item: nil,
      keys: Array(header.state.slotsDigest.prefix(AuditTable.keysSize)), to: &header.state.audit, connection,
      parts.auditChain)
    try HeaderTable.insert(header, connection, parts.headerSeal)
  }

  /// Reads by the root key, or by the one that is about to take its place (``RootKeyReplacement``).
  private static func read(
    _ connection: Connection, _ root: RootKey, _ configuration: KeychainDatabase.Configuration,
    _ rollback: RollbackGuard?, _ cost: PasscodeCost
  ) throws(StoreError) -> (StoreParts, VerifiedState) {
    var root = root
    var failure = StoreError.busy(path: connection.path)
    for _ in 0..<16 {
      func read(_ root: RootKey) throws(StoreError) -> (StoreParts, VerifiedState) {
        let mark = UsedMark(configuration.rootKey, databasePath: connection.path, root: root)
        if connection.isInTransaction { try connection.run("ROLLBACK") }
        return try Self.read(connection, root, cost, configuration, rollback, mark)
      }
      do throws(StoreError) {
        return try read(root)
      } catch {
        failure = error
        guard case .rootKeyUnavailable = error,
          let replacement = RootKeyReplacement(configuration.rootKey, databasePath: connection.path)
        else { throw error }
        if let next = replacement.next {
          do throws(StoreError) { return try read(next) } catch .rootKeyUnavailable {}
        }
        // Between the two looks the new one may have taken its place.
        guard let present = replacement.present, present.key != root.key else { throw error }
        root = present
      }
    }
    throw failure
  }

  private static func read(
    _ connection: Connection, _ root: RootKey, _ cost: PasscodeCost, _ configuration: KeychainDatabase.Configuration,
    _ rollback: RollbackGuard?, _ mark: UsedMark
  ) throws(StoreError) -> (StoreParts, VerifiedState) {
    for _ in 0..<1000 {
      let commits = CommitMark.read(connection)
      try connection.run("BEGIN DEFERRED")
      let clear = try HeaderTable.readClear(connection)
      guard CommitMark.read(connection) == commits else {
        try connection.run("ROLLBACK")
        continue
      }
      let sealed = Self.header(clear, root)
      let records = try Self.records(connection, sealed)
      let ring: KeyRing
      do throws(StoreError) {
        ring = try KeyRing(records: records, storeUUID: clear.uuid, root: root, cost: cost)
      } catch {
        // A root key that has marked this very place is the right one.
        guard case .rootKeyUnavailable = error, let uuid = try? mark.uuid(), uuid != clear.uuid else { throw error }
        throw .damaged("the header of \(connection.path) was altered: it names another keychain")
      }
      let parts = StoreParts(
        path: connection.path, uuid: clear.uuid, ring: ring, now: configuration.now, rollback: rollback, mark: mark)
      let verified: VerifiedState
      do {
        verified = try Validation.fresh(connection, parts, try sealed.get(), commits)
      } catch .damaged(let text) {
        let header = Header(
          format: clear.format, uuid: clear.uuid, counter: clear.counter,
          state: HeaderState(slotsDigest: HeaderTable.digest(records)))
        verified = VerifiedState(commits: commits, header: header, damage: text)
      }
      return (parts, verified)
    }
    throw .busy(path: connection.path)
  }

  private static func header(_ clear: HeaderTable.Clear, _ root: RootKey) -> Result<Header, StoreError> {
    Result { () throws(StoreError) in
      try HeaderSeal(key: root.derive("header", storeUUID: clear.uuid))
        .open(clear.sealed, format: clear.format, uuid: clear.uuid, counter: clear.counter)
    }
  }

  /// The key records that the header names, or else those of the table, by which the keychain opens to be looked at.
  private static func records(
    _ connection: Connection, _ sealed: Result<Header, StoreError>
  ) throws(StoreError) -> [KeyRecord] {
    if case .success(let header) = sealed,
      let found = try HeaderTable.records(named: header.state.slotsDigest, connection)
    {
      return found.records
    }
    return try HeaderTable.readSlots(connection)
  }
}
