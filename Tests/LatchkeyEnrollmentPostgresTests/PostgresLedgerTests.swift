#if PostgreSQL
  import LatchkeyEnrollmentPostgres
  import LatchkeyEnrollmentServer
  import LatchkeyEnrollmentStore
  import LatchkeyPostgresTestSupport
  import Testing

  @testable import LatchkeyLedger

  @Suite("The ledger on PostgreSQL", .enabled(if: TestServer.isThere)) struct PostgresLedgerTests {
    private let database: TestDatabase

    init() throws { database = try TestDatabase() }

    /// What refers to what, of the bank's entries.
    private func foreignKeysOfEntries() throws -> [[SQLValue]] {
      try database.session().rows(
        "SELECT conname FROM pg_constraint WHERE contype = 'f' AND conrelid = 'ledger_entries'::regclass", [])
    }

    @Test(
      "has entries of the bank without foreign keys, under whichever names a version before gave them",
      arguments: [1, 8, 9])
    func entriesWithoutKeys(version: Int) async throws {
      let session = try database.session()
      try SchemaMigration(session, dialect: .postgreSQL) { try session.define($0) }.run(upTo: version)
      let store = try PostgresStore(database.address, node: "node", logger: .quiet)
      let first = try ServiceSchema(name: LedgerService.name, steps: [LedgerSchema.tables])
      try await store.write { try $0.bringForward(first) }
      #expect(try foreignKeysOfEntries().count == 2)
      // PostgreSQL 11 and before.
      let old = version == 8 ? "entries_account" : nil
      if let old {
        try database.run("ALTER TABLE ledger_entries RENAME CONSTRAINT \(old)_currency_fkey TO \(old)_fkey")
      }
      try await LedgerService().makeTables(in: store)
      #expect(try foreignKeysOfEntries() == [])
      #expect(try await store.read { try $0.serviceVersion(LedgerService.name) } == LedgerSchema.steps.count)
      await store.close()
    }

    @Test("has its ledger audited for entries without their transfer, their account, or its currency")
    func strayEntries() async throws {
      let store = try PostgresStore(database.address, node: "node", logger: .quiet)
      let ledger = try await TestLedger(store, accounts: 2, each: 100)
      let stray = try (1...3).map { try #require(Identifier(bytes: Array(repeating: $0, count: 16))) }
      let number = ledger.accounts[0]
      func audit() async throws -> [LedgerReport.Fault] {
        try await store.read { try LedgerAudit.report(of: $0) }.faults.filter {
          if case .stray = $0 { true } else { false }
        }
      }
      #expect(try await audit() == [])
      for (id, account, currency) in [
        (stray[0], number, "EUR"), (stray[1], "999999999999", "EUR"), (stray[2], number, "USD"),
      ] {
        let bytes = "decode('\(id)', 'hex')"
        if id != stray[0] { try database.run("INSERT INTO ledger_transfers VALUES (\(bytes), 1, NULL, '')") }
        try database.run("INSERT INTO ledger_entries VALUES (\(bytes), '\(account)', '\(currency)', 1)")
      }
      #expect(try await audit() == stray.map { .stray($0) })
      await store.close()
    }
  }
#endif
