#if PostgreSQL
  import LatchkeyEnrollmentServer
  import LatchkeyLedger
  import LatchkeyPostgresTestSupport
  import LatchkeyEnrollmentPostgres
  import LatchkeyEnrollmentProtocol
  import LatchkeyEnrollmentStore
  import Logging

  /// Some accounts of one user, with money in them.
  struct TestLedger {
    let accounts: [String]

    init(_ store: any EnrollmentStore, accounts count: Int, each amount: Int64) async throws {
      let accounts = (0..<count).map { "7000000000" + ($0 < 10 ? "0\($0)" : "\($0)") }
      self.accounts = accounts
      try await LedgerService().makeTables(in: store)
      try await store.write { transaction in
        _ = try transaction.addUser(UserRecord(name: "ann", passwordHash: nil))
        let house = try transaction.houseAccount(currency: "EUR")
        for number in accounts {
          _ = try transaction.addAccount(
            AccountRecord(number: number, user: "ann", name: "Checking", currency: "EUR", balance: 0))
          _ = try transaction.book(Self.booking(from: house.number, to: number, amount: amount))
        }
      }
    }

    func booking(from: Int, to: Int, amount: Int64) -> Booking {
      Self.booking(from: accounts[from], to: accounts[to], amount: amount)
    }

    /// The sum of all balances.
    func sum(_ store: any EnrollmentStore) async throws -> Int64 {
      let accounts = accounts
      return try await store.read { transaction in
        try accounts.reduce(0) { try $0 + (transaction.account($1)?.balance ?? 0) }
      }
    }

    private static func booking(from: String, to: String, amount: Int64) -> Booking {
      Booking(
        id: .random(), from: from, to: to, amount: amount, currency: "EUR", notes: "", booked: 1, device: nil)
    }
  }

  /// Ends all connections of the schema that a URL names but the one that does it.
  func killOthers(at url: String) throws {
    let schema = url.split(separator: "search_path%3D").last.map(String.init) ?? ""
    let session = try PostgresSession(PostgresAddress(url: url), timeouts: .init(), logger: .quiet)
    try session.define(
      """
      SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
      WHERE pid <> pg_backend_pid() AND application_name = '\(schema)'
      """)
  }
#endif
