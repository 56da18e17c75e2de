#if PostgreSQL
  import LatchkeyPostgresTestSupport
  import LatchkeyTestSupport
  import LatchkeyEnrollmentPostgres
  import LatchkeyEnrollmentStore
  import StoreContract
  import Testing

  @Suite("The store on PostgreSQL, as every store", .enabled(if: TestServer.isThere)) struct PostgresContractTests {
    @Test("keeps the rule", arguments: StoreContract.all) func rule(_ rule: StoreContract) async throws {
      try await rule.hold(PostgresPlace())
    }
  }

  /// A schema that is empty at first.
  private struct PostgresPlace: StorePlace {
    private let database: TestDatabase

    init() throws { database = try TestDatabase() }

    func open(node: String, faults: FaultPlan?) async throws -> any EnrollmentStore {
      try await open(node, faults, .init())
    }

    func openImpatient(node: String, faults: FaultPlan) async throws -> any EnrollmentStore {
      var limits = CommitBatcher.Limits()
      (limits.tries, limits.patience) = (3, .milliseconds(200))
      return try await open(node, faults, limits)
    }

    private func open(
      _ node: String, _ faults: FaultPlan?, _ limits: CommitBatcher.Limits
    ) async throws -> any EnrollmentStore {
      let address = try database.address
      return try await onThread {
        try PostgresStore(
          address, node: node, logger: .quiet, limits: limits, wrap: { session in faults?.wrap(session) ?? session })
      }
    }
  }
#endif
