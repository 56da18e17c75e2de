import EnclaveKeys
import GRDB
import GRDBSQLite
import Glibc
import KeychainModel

/// The way from a configuration to an open keychain.
struct StoreOpening {
  let pool: DatabasePool
  let parts: StoreParts
  let knowledge: Knowledge

  init(_ configuration: KeychainDatabase.Configuration) throws(StoreError) {
    let location = try StoreLocation(configuration)
    let path = location.path
    let found = try Self.waiting(configuration) { () throws(StoreError) in try Self.look(path, configuration) }
    // The root key is looked for before anything is written: without it there is no keychain to make or to open.
    let root: RootKey
    let counter: (any HardwareCounter)?
    switch found {
    case .keychain: (root, counter) = try configuration.rootKey.open(databasePath: path)
    case .nothing:
      guard configuration.createsIfMissing, !configuration.isReadOnly else { throw .notAKeychain(path: path) }
      (root, counter) = try configuration.rootKey.openOrCreate(databasePath: path)
    }
    let pool = try Self.waiting(configuration) { () throws(StoreError) in try Self.openPool(path, configuration) }
    let cost = PasscodeCost(rounds: configuration.scryptRounds)
    let rollback = counter.map { RollbackGuard(counter: $0) }
    do {
      if found == .nothing {
        try Self.inWriter(pool, path) { (connection) throws(StoreError) in
          try Self.create(connection, root, cost, configuration, rollback)
        }
      }
      (parts, knowledge) = try Self.inReader(pool, path) { (connection) throws(StoreError) in
        try Self.read(connection, root, cost, configuration, rollback)
      }
      // Without a header that reads there is nothing to judge, and it opens to be looked at.
      if let rollback, knowledge.damage == nil || knowledge.header.state.generation > 0 {
        try rollback.judge(generation: knowledge.header.state.generation, path: path)
      }
    } catch {
      try? pool.close()
      throw error
    }
    self.pool = pool
  }

  // MARK: Opening the file

  /// Tries again while another process changes the file's mode: SQLite does not wait for that by itself.
  private static func waiting<Value>(
    _ configuration: KeychainDatabase.Configuration, _ body: () throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    let end = ContinuousClock.now + .seconds(configuration.busyTimeout)
    while true {
      do {
        return try body()
      } catch {
        guard case .busy = error, ContinuousClock.now < end else { throw error }
        usleep(2000)
      }
    }
  }

  /// What the file is, before anything about it is changed.
  private static func look(
    _ path: String, _ configuration: KeychainDatabase.Configuration
  ) throws(StoreError) -> StoreSchema.Found {
    do {
      return try look(path, configuration, isReadOnly: true)
    } catch .readOnly where !configuration.isReadOnly {
      // A process that died while it made the file may have left a journal, which only a writer can roll back.
      return try look(path, configuration, isReadOnly: false)
    }
  }

  private static func look(
    _ path: String, _ configuration: KeychainDatabase.Configuration, isReadOnly: Bool
  ) throws(StoreError) -> StoreSchema.Found {
    var settings = GRDB.Configuration()
    settings.readonly = isReadOnly
    settings.busyMode = .timeout(configuration.busyTimeout)
    let result: Result<StoreSchema.Found, StoreError>
    do {
      let queue = try DatabaseQueue(path: path, configuration: settings)
      result = queue.unsafeRead { database in
        Result { () throws(StoreError) in try StoreSchema.look(Connection(database: database, path: path)) }
      }
      try queue.close()
    } catch {
      throw StoreError(database: error, path: path)
    }
    return try result.get()
  }

  private static func openPool(
    _ path: String, _ configuration: KeychainDatabase.Configuration
  ) throws(StoreError) -> DatabasePool {
    var settings = GRDB.Configuration()
    settings.readonly = configuration.isReadOnly
    settings.busyMode = .timeout(configuration.busyTimeout)
    settings.maximumReaderCount = 8
    settings.foreignKeysEnabled = false
    settings.label = "keychain"
    settings.prepareDatabase { database in
      let connection = Connection(database: database, path: path)
      for pragma in ["secure_delete = ON", "cell_size_check = ON", "trusted_schema = OFF", "temp_store = MEMORY"] {
        try connection.run("PRAGMA \(pragma)")
      }
      // The -wal and -shm files stay when the last connection goes, emptied: who may only read needs them.
      var isOn: Int32 = 1
      sqlite3_file_control(database.sqliteConnection, "main", SQLITE_FCNTL_PERSIST_WAL, &isOn)
    }
    do {
      let pool = try DatabasePool(path: path, configuration: settings)
      if !configuration.isReadOnly {
        try pool.writeWithoutTransaction { database in
          let connection = Connection(database: database, path: path)
          // GRDB has set NORMAL after the preparation above: an acknowledged commit could be lost with the power.
          try connection.run("PRAGMA synchronous = FULL")
          try connection.run("PRAGMA wal_autocheckpoint = 4000")
          try connection.run("PRAGMA journal_size_limit = 67108864")
          try connection.run("PRAGMA cache_size = -16000")
        }
      }
      return pool
    } catch {
      throw StoreError(database: error, path: path)
    }
  }

  private static func inWriter<Value>(
    _ pool: DatabasePool, _ path: String, _ body: (Connection) throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    let result: Result<Value, StoreError> = pool.writeWithoutTransaction { database in
      let connection = Connection(database: database, path: path)
      return Result { () throws(StoreError) in
        defer { if connection.isInTransaction { try? connection.run("ROLLBACK") } }
        try connection.run("BEGIN IMMEDIATE")
        let value = try body(connection)
        try connection.run("COMMIT")
        return value
      }
    }
    return try result.get()
  }

  private static func inReader<Value>(
    _ pool: DatabasePool, _ path: String, _ body: (Connection) throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    let result: Result<Value, StoreError>
    do {
      result = try pool.unsafeRead { database in
        let connection = Connection(database: database, path: path)
        return Result { () throws(StoreError) in
          defer { if connection.isInTransaction { try? connection.run("ROLLBACK") } }
          return try body(connection)
        }
      }
    } catch {
      throw StoreError(database: error, path: path)
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
    let uuid = try RandomBytes.make(16)
    let (ring, records) = try KeyRing.create(storeUUID: uuid, root: root, cost: cost)
    let parts = StoreParts(path: connection.path, uuid: uuid, ring: ring, now: configuration.now)
    try HeaderTable.writeSlots(records, connection)
    var header = Header(uuid: uuid, counter: 1, state: HeaderState(slotsDigest: HeaderTable.digest(records)))
    if let rollback {
      header.state.generation = try rollback.counter.value()
      header.format = StoreFormat.current
    }
    try AuditTable.append(
      .created, time: Int64(configuration.now() * 1000), item: nil, to: &header.state.audit, connection,
      parts.auditChain)
    try HeaderTable.insert(header, connection, parts.headerSeal)
  }

  private static func read(
    _ connection: Connection, _ root: RootKey, _ cost: PasscodeCost, _ configuration: KeychainDatabase.Configuration,
    _ rollback: RollbackGuard?
  ) throws(StoreError) -> (StoreParts, Knowledge) {
    for _ in 0..<1000 {
      let commits = CommitMark.read(connection)
      try connection.run("BEGIN DEFERRED")
      let clear = try HeaderTable.readClear(connection)
      guard CommitMark.read(connection) == commits else {
        try connection.run("ROLLBACK")
        continue
      }
      let records = try HeaderTable.readSlots(connection)
      let ring = try KeyRing(records: records, storeUUID: clear.uuid, root: root, cost: cost)
      let parts = StoreParts(
        path: connection.path, uuid: clear.uuid, ring: ring, now: configuration.now, rollback: rollback)
      let knowledge: Knowledge
      do {
        let header = try parts.headerSeal.open(
          clear.sealed, format: clear.format, uuid: clear.uuid, counter: clear.counter)
        knowledge = Knowledge(
          commits: commits, header: header, damage: try Recount(connection, parts, header).damage())
      } catch .damaged(let text) {
        let header = Header(
          format: clear.format, uuid: clear.uuid, counter: clear.counter,
          state: HeaderState(slotsDigest: HeaderTable.digest(records)))
        knowledge = Knowledge(commits: commits, header: header, damage: text)
      }
      return (parts, knowledge)
    }
    throw .busy(path: connection.path)
  }
}
