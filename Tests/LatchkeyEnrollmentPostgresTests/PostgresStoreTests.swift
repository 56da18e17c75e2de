#if PostgreSQL
  import LatchkeyLedger
  import LatchkeyPostgresTestSupport
  import LatchkeyTestSupport
  import Foundation
  import LatchkeyEnrollmentPostgres
  import LatchkeyEnrollmentProtocol
  import LatchkeyEnrollmentStore
  import Logging
  import Synchronization
  import Testing

  @Suite("The store on PostgreSQL", .enabled(if: TestServer.isThere)) struct PostgresStoreTests {
    private let database: TestDatabase

    init() throws { database = try TestDatabase() }

    private func store(
      _ node: String = "node", _ configuration: PostgresStore.Configuration = .init(),
      wrap: (any SQLSession) -> any SQLSession = { $0 }
    ) throws -> PostgresStore {
      try PostgresStore(
        database.address, node: node, configuration: configuration, logger: .quiet, limits: .init(), wrap: wrap)
    }

    // MARK: Tables

    @Test("is made once, however many servers open it at the same moment") func migrationTogether() async throws {
      let address = try database.address
      let stores = try await withThrowingTaskGroup(of: PostgresStore.self) { group in
        for number in 0..<6 {
          group.addTask {
            // Opening blocks: a thread each, not one of the cooperative pool's.
            try await onThread { try PostgresStore(address, node: "node \(number)", logger: .quiet) }
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      for (number, store) in stores.enumerated() {
        #expect(try await store.write { try $0.addUser(UserRecord(name: "user \(number)", passwordHash: nil)) })
        await store.close()
      }
      let session = try database.session()
      #expect(
        try session.rows("SELECT version FROM schema_version ORDER BY version", [])
          == (1...Schema.version).map {
            [.integer(Int64($0))]
          })
    }

    /// A type of the table's name gives the answer of a server that came between the look for the table and its making (42710).
    @Test("is made at the next attempt when another server has made a part of it meanwhile")
    func migrationBehindAnother() async throws {
      try database.run("CREATE TYPE schema_lock AS ENUM ()")
      let database = database
      let logger = Logger(label: "test") { _ in
        HookedLogHandler(text: "begins again") { try? database.run("DROP TYPE IF EXISTS schema_lock") }
      }
      let store = try PostgresStore(database.address, node: "node", logger: logger)
      #expect(try await store.read { try $0.revocationEpoch() } == 0)
      await store.close()
    }

    @Test("is refused soon where a type has the name of its table for good") func migrationBehindType() throws {
      try database.run("CREATE TYPE schema_lock AS ENUM ()")
      let attempts = Mutex(0)
      let address = try database.address
      let error = #expect(throws: EnrollmentStoreError.self) {
        let logger = Logger(label: "test") { _ in
          HookedLogHandler(text: "begins again") { attempts.withLock { $0 += 1 } }
        }
        _ = try PostgresStore(address, node: "node", logger: logger)
      }
      #expect(attempts.withLock { $0 } == 5)
      guard case .misuse(let text)? = error, text.contains("schema_lock") else {
        Issue.record("\(String(describing: error))")
        return
      }
    }

    @Test("is brought forward from every version there was", arguments: 0..<Schema.version)
    func migrationFrom(version: Int) async throws {
      let session = try database.session()
      try SchemaMigration(session, dialect: .postgreSQL) { try session.define($0) }.run(upTo: version)
      let store = try store()
      #expect(try await store.write { try $0.addUser(UserRecord(name: "ann", passwordHash: nil)) })
      #expect(try await store.read { try $0.revocationEpoch() } == 0)
      await store.close()
    }

    @Test("brings transfers from before there were dates forward with all that they have; they have none")
    func transfersWithoutDates() async throws {
      let session = try database.session()
      try SchemaMigration(session, dialect: .postgreSQL) { try session.define($0) }.run(upTo: 4)
      let id = Identifier.random()
      let text = id.description
      for statement in [
        "INSERT INTO users (name, failures) VALUES ('ann', 0)",
        "INSERT INTO accounts VALUES ('123123456456', 'ann', '', 'EUR', -5, 5), ('654654123123', 'ann', '', 'EUR', 5, 0)",
        "INSERT INTO transfers VALUES (decode('\(text)', 'hex'), 7, NULL, 'rent')",
        "INSERT INTO entries VALUES (decode('\(text)', 'hex'), '123123456456', 'EUR', -5), "
          + "(decode('\(text)', 'hex'), '654654123123', 'EUR', 5)",
      ] { try database.run(statement) }
      let store = try store()
      let found = try await store.read { try $0.transfers(after: nil, limit: 9) }
      #expect(found.map(\.id) == [id] && found.map(\.valueDate) == [nil])
      #expect(found.first?.entries.map(\.amount) == [-5, 5])
      let dated = Booking(
        id: .random(), from: "654654123123", to: "123123456456", amount: 5, currency: "EUR", notes: "", booked: 8,
        valueDate: 86_400, device: nil)
      #expect(try await store.write { try $0.book(dated) } == .booked(balance: 0))
      #expect(try await store.read { try $0.transfer(dated.id)?.valueDate } == 86_400)
      #expect(try await store.read { try $0.accountsOutOfBalance(limit: 9) } == [])
      await store.close()
      let rows = try session.rows("SELECT booked, notes, value_date FROM ledger_transfers ORDER BY booked", [])
      #expect(rows == [[.integer(7), .text("rent"), .null], [.integer(8), .text(""), .integer(86_400)]])
    }

    @Test("is not made by a program that asks for an existing one") func nothingThere() async throws {
      let address = try database.address
      func tables() throws -> [[SQLValue]] {
        try database.session().rows("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()", [])
      }
      let error = #expect(throws: EnrollmentStoreError.self) {
        try PostgresStore(address, node: "node", isMade: false, logger: .quiet)
      }
      guard case .misuse(let text)? = error, text.contains("user add") else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(try tables() == [])
      await (try store()).close()
      let store = try PostgresStore(address, node: "node", isMade: false, logger: .quiet)
      #expect(try await store.read { try $0.revocationEpoch() } == 0)
      await store.close()
      // Half a database is not one either.
      try database.run("DELETE FROM schema_version")
      #expect(throws: EnrollmentStoreError.self) {
        try PostgresStore(address, node: "node", isMade: false, logger: .quiet)
      }
    }

    @Test("refuses tables of a later program, and leaves them") func laterVersion() async throws {
      await (try store()).close()
      try database.run("INSERT INTO schema_version (version) VALUES (\(Schema.version + 1))")
      #expect(throws: EnrollmentStoreError.unsupportedVersion(Schema.version + 1)) { try store() }
    }

    @Test("opens for a role that may not make tables, once they are there, and says what lacks before")
    func withoutRights()
      async throws
    {
      let role = "role_" + database.name
      try database.run("CREATE ROLE \(role)")
      try database.run("GRANT USAGE ON SCHEMA \(database.name) TO \(role)")
      let address = try PostgresAddress(url: database.url + "%20-crole%3D\(role)")
      let error = #expect(throws: EnrollmentStoreError.self) {
        try PostgresStore(address, node: "node", logger: .quiet)
      }
      guard case .misuse(let text)? = error, text.contains("42501") else {
        Issue.record("\(String(describing: error))")
        return
      }
      await (try store()).close()
      try database.run("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA \(database.name) TO \(role)")
      let store = try PostgresStore(address, node: "node", logger: .quiet)
      #expect(try await store.write { try $0.addUser(UserRecord(name: "ann", passwordHash: nil)) })
      await store.close()
      try database.run("DROP OWNED BY \(role)")
      try database.run("DROP ROLE \(role)")
    }

    @Test("refuses a database that knows of fewer revocations than the file does") func restoredBackup() async throws {
      let file = FileManager.default.temporaryDirectory.appending(path: database.name).path
      defer { try? FileManager.default.removeItem(atPath: file) }
      let device = DeviceRecord(id: .random(), user: "ann", name: "phone", created: 1, identityKey: [4])
      let store = try PostgresStore(database.address, node: "node", revocations: file, logger: .quiet)
      #expect(
        try await store.write {
          _ = try $0.addUser(UserRecord(name: "ann", passwordHash: nil))
          try $0.addDevice(device)
          return try $0.revokeDevice(device.id, at: 2, reason: 1)
        })
      await store.close()
      await (try PostgresStore(database.address, node: "node", revocations: file, logger: .quiet)).close()
      // The backup of before.
      try database.run("UPDATE revocations SET epoch = 0")
      let error = #expect(throws: EnrollmentStoreError.self) {
        try PostgresStore(database.address, node: "node", revocations: file, logger: .quiet)
      }
      guard case .olderThanRevocations? = error else { Issue.record("\(String(describing: error))"); return }
    }

    // MARK: Names

    @Test("lets two servers of one name audit at the same time: none of their writes is refused")
    func oneName() async throws {
      let stores = try (0..<2).map { _ in try PostgresStore(database.address, node: "same", logger: .quiet) }
      _ = try await TestLedger(stores[0], accounts: 2, each: 1_000)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<200 {
          group.addTask {
            try await stores[number % 2].write { try $0.audit(AuditEntry(event: "e", time: Int64(number))) }
          }
        }
        try await group.waitForAll()
      }
      let reports = try await AuditChain.verify(stores[0])
      #expect(reports.allSatisfy { $0.fault == nil })
      #expect(reports.map(\.entries).reduce(0, +) == 200)
      for store in stores { await store.close() }
    }

    @Test("gives a server's name to one at a time") func names() async throws {
      let store = try store()
      let holders = (0..<8).map { _ in Identifier.random() }
      let taken = try await withThrowingTaskGroup(of: Bool.self) { group in
        for holder in holders {
          group.addTask { try await store.write { try $0.claimNode("a", holder: holder, now: 0, expires: 60) } }
        }
        return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
      }
      #expect(taken == 1)
      await store.close()
    }

    @Test("leaves a connection to a server that has become read-only") func readOnly() throws {
      let session = try database.session()
      try session.define("CREATE TABLE steps (n BIGINT)")
      try session.define("SET default_transaction_read_only = on")
      session.begin("BEGIN")
      let error = #expect(throws: PostgresError.self) { try session.change("INSERT INTO steps (n) VALUES (1)", []) }
      #expect(error?.state == "25006")
      #expect(error?.leavesConnection == false)
      #expect(!session.isOpen)
    }

    // MARK: Conflicts

    @Test("books every transfer once when several servers book from one account at once") func contention() async throws
    {
      let stores = try (0..<3).map { try store("node \($0)") }
      let ledger = try await TestLedger(stores[0], accounts: 3, each: 100_000)
      let tries = 40
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<tries {
          let store = stores[number % stores.count]
          let booking = ledger.booking(from: number % 3, to: (number + 1) % 3, amount: 100)
          group.addTask {
            while true {
              do {
                let result = try await store.write { try $0.book(booking) }
                #expect(result != .insufficientFunds)
                return
              } catch EnrollmentStoreError.contention {
                // Conflict after conflict: nothing was booked.
              }
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(try await ledger.sum(stores[1]) == 300_000)
      #expect(try await stores[2].read { try $0.ledgerSums() }.values.allSatisfy { $0 == 0 })
      let session = try database.session()
      #expect(try session.rows("SELECT COUNT(*) FROM ledger_transfers", []) == [[.integer(Int64(tries + 3))]])
      for store in stores { await store.close() }
    }

    @Test("lets one of two servers have what can be had once") func onlyOne() async throws {
      let stores = try (0..<2).map { try store("node \($0)") }
      let device = Identifier.random()
      for round in 0..<20 {
        let nonce: [UInt8] = [UInt8(round)]
        let claims = try await withThrowingTaskGroup(of: Bool.self) { group in
          for store in stores {
            group.addTask { try await store.write { try $0.claimNonce(Nonce(nonce), device: device, expires: 100) } }
          }
          return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(claims.filter { $0 }.count == 1)
      }
      for store in stores { await store.close() }
    }

    // MARK: Connections that end

    @Test("runs a body again whose connection the server has ended in the middle") func killedInTheMiddle() async throws
    {
      let database = database
      let store = try store()
      let ledger = try await TestLedger(store, accounts: 2, each: 1_000)
      let runs = Atomic<Int>(0)
      let booking = ledger.booking(from: 0, to: 1, amount: 10)
      let url = database.url
      let result = try await store.write { transaction in
        let result = try transaction.book(booking)
        if runs.add(1, ordering: .relaxed).newValue == 1 { try killOthers(at: url) }
        // Finds the connection gone.
        _ = try transaction.account(booking.from)
        return result
      }
      #expect(result == .booked(balance: 990))
      #expect(runs.load(ordering: .relaxed) == 2)
      #expect(try await ledger.sum(store) == 2_000)
      await store.close()
    }

    @Test(
      "does not run a body again whose connection ended during COMMIT, and finds what it did by its key",
      arguments: [true, false])
    func lostAtCommit(isCommitted: Bool) async throws {
      let cut = CommitCut()
      let store = try store("node", wrap: { CuttingSession($0, cut) })
      let ledger = try await TestLedger(store, accounts: 2, each: 1_000)
      let booking = ledger.booking(from: 0, to: 1, amount: 10)
      let answer = StoredAnswer(digest: RequestDigest([1]), status: 201, body: [2], expires: 100)
      let runs = Atomic<Int>(0)
      cut.arm(isCommitted ? .afterwards : .before)
      let error = await #expect(throws: EnrollmentStoreError.self) {
        try await store.write { transaction in
          runs.add(1, ordering: .relaxed)
          _ = try transaction.book(booking)
          _ = try transaction.addAnswer(answer, to: "key", scope: "ann")
        }
      }
      guard case .unavailable? = error else { Issue.record("\(String(describing: error))"); return }
      #expect(runs.load(ordering: .relaxed) == 1)
      #expect(try await store.read { try $0.answer(to: "key", scope: "ann") } == (isCommitted ? answer : nil))
      #expect(try await store.read { try $0.account(booking.from)?.balance } == (isCommitted ? 990 : 1_000))
      await store.close()
    }

    @Test("goes on after all of its connections have ended, reading and writing") func allKilled() async throws {
      let store = try store()
      let ledger = try await TestLedger(store, accounts: 2, each: 1_000)
      for round in 1...3 {
        try killOthers(at: database.url)
        #expect(try await ledger.sum(store) == 2_000)
        let booking = ledger.booking(from: 0, to: 1, amount: 1)
        #expect(try await store.write { try $0.book(booking) } == .booked(balance: 1_000 - Int64(round)))
      }
      await store.close()
    }

    @Test("says that it is not available where no server is, within its time, and names no password") func noServer()
      async throws
    {
      let address = try PostgresAddress(url: "postgres://me:open-sesame@/x?host=%2Fnowhere&port=9")
      let error = #expect(throws: EnrollmentStoreError.self) {
        try PostgresStore(address, node: "node", logger: .quiet)
      }
      guard case .unavailable(let text)? = error else { Issue.record("\(String(describing: error))"); return }
      #expect(!text.contains("open-sesame"))
    }

    @Test("throws .closed after it was closed") func closed() async throws {
      let store = try store()
      await store.close()
      await #expect(throws: EnrollmentStoreError.closed) { try await store.read { try $0.revocationEpoch() } }
      await #expect(throws: EnrollmentStoreError.closed) { try await store.write { try $0.revocationEpoch() } }
    }
  }

  /// Runs a body at each line that has a text.
  private struct HookedLogHandler: LogHandler {
    let text: String
    let body: @Sendable () -> Void
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.debug

    init(text: String, body: @escaping @Sendable () -> Void) {
      self.text = text
      self.body = body
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      if "\(event.message)".contains(text) { body() }
    }
  }
#endif
