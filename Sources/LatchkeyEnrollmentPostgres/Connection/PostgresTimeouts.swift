#if PostgreSQL
  /// How long things may take before they are given up, so that neither a hung server nor a cut cable holds a request, or a
  /// lock of the database, for ever.
  public struct PostgresTimeouts: Sendable, Hashable {
    /// To connect, for each address of the host.
    public var connect: Duration = .seconds(5)
    /// A statement, by the server's clock (`statement_timeout`); ours waits a quarter longer.
    public var statement: Duration = .seconds(10)
    /// A row that another transaction has (`lock_timeout`): soon after, ours runs again, since it would have to anyway.
    public var lock: Duration = .milliseconds(500)
    /// A transaction between two statements (`idle_in_transaction_session_timeout`): its server has hung or vanished.
    public var idleInTransaction: Duration = .seconds(10)
    /// What was sent, until the other end says that it came (`tcp_user_timeout`).
    public var unacknowledged: Duration = .seconds(10)
    /// A transaction, for a lost connection to be made again; while that fails, later ones fail at once.
    public var reconnection: Duration = .seconds(5)
    /// All steps of a migration, or another server's.
    public var migration: Duration = .seconds(600)

    /// The defaults.
    public init() {}
  }

  extension Duration {
    /// Whole milliseconds, at least one.
    var milliseconds: Int64 {
      let (seconds, attoseconds) = components
      return max(1, seconds * 1_000 + attoseconds / 1_000_000_000_000_000)
    }
  }
#endif
