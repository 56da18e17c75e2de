#if PostgreSQL
  package import LatchkeyEnrollmentStore
  package import Logging

  /// A connection as the verbs of the store use it: statements prepared once, transactions, savepoints.
  ///
  /// Commands that only mark a place (BEGIN, SAVEPOINT, RELEASE) wait until a statement goes out, and go with it: a transfer
  /// costs no round trip for them. After a failure, every further statement of the transaction fails with the same error,
  /// so that a body cannot go on, nor commit, by not looking at it. For one thread at a time.
  package final class PostgresSession: SQLSession {
    package var dialect: SQLDialect { .postgreSQL }

    private struct StatementKey: Hashable {
      let start: UnsafePointer<UInt8>
      let count: Int
      let types: [UInt32]
    }

    /// The number of prepared statements that are cached; the store has fewer, and each has few combinations of NULLs.
    private static let preparedLimit = 512

    private let connection: PostgresConnection
    private var prepared: [StatementKey: String] = [:]
    /// Names ever given, and how many of them the server may still know: a statement whose first run fails keeps its name.
    private var names = 0
    private var preparedCount = 0
    private var pending: [PostgresConnection.Command] = []
    /// The results of statements among `pending`, by their place there.
    private var waiting: [(place: Int, result: Waiting)] = []
    /// Statements that are prepared among `pending`.
    private var preparing: [StatementKey] = []
    /// What made the transaction fail, until it is undone.
    private var failure: PostgresError?
    /// Whether the transaction has ended by a COMMIT that was refused.
    private var isOver = false

    /// Connects, and sets what the store relies on.
    package init(_ address: PostgresAddress, timeouts: PostgresTimeouts, logger: Logger) throws(PostgresError) {
      connection = try PostgresConnection(address, timeouts: timeouts, logger: logger)
      guard connection.parameter("server_encoding").map({ $0 == "UTF8" }) ?? true else {
        throw .refused(state: "42P17", message: "the database must be created with ENCODING 'UTF8'")
      }
      if connection.isReadableByOthers {
        logger.warning("the connection to PostgreSQL is not encrypted: add ?sslmode=verify-full to its address")
      }
      try connection.run(
        """
        SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE;
        SET statement_timeout = \(timeouts.statement.milliseconds);
        SET lock_timeout = \(timeouts.lock.milliseconds);
        SET idle_in_transaction_session_timeout = \(timeouts.idleInTransaction.milliseconds)
        """)
      for setting in Self.settings {
        do throws(PostgresError) { try connection.run(setting) } catch {
          guard error.leavesConnection else { throw error }
          logger.debug("PostgreSQL: \(error)")
        }
      }
      try connection.startPipeline()
    }

    /// What servers that only speak PostgreSQL's protocol may not have.
    private static let settings = [
      // An answered transfer outlives a power cut, whatever the role's default is.
      "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'",
      // Two that wait for each other are found in this time; only some roles may say so.
      "SET deadlock_timeout = 100",
      // A transaction that reads a table from end to end conflicts with everybody who writes to it (PostgreSQL 13.2.3).
      "SET enable_seqscan = off",
      // A server whose client has vanished with its host finds out, and gives its locks back.
      "SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3",
    ]

    /// Whether the connection is there, as far as we know.
    package var isOpen: Bool { connection.isOpen }
    /// Whether the server ended the connection while it was idle.
    package func hasEnded() -> Bool { connection.hasEnded() }
    /// The server's process for this connection.
    package var serverProcess: Int32 { connection.serverProcess }
    /// The connection's socket.
    package var socket: Int32 { connection.socket }
    /// Says good-bye.
    package func close() { connection.close() }

    // MARK: Statements

    package func rows(_ statement: StaticString, _ arguments: [SQLValue]) throws(PostgresError) -> [[SQLValue]] {
      try run(statement, arguments).rows
    }

    @discardableResult
    package func change(_ statement: StaticString, _ arguments: [SQLValue]) throws(PostgresError) -> Int {
      try run(statement, arguments).count
    }

    /// Runs a text that is made at run time, such as a table's definition: without parameters.
    package func define(_ text: String) throws(PostgresError) {
      _ = try send([.control(text)])
    }

    /// The result of a statement that goes out with the next one.
    package final class Waiting {
      fileprivate var reply: Result<PostgresConnection.Reply, PostgresError>?
    }

    /// Begins a statement, with the next one that is waited for.
    package func begin(_ statement: StaticString, _ arguments: [SQLValue]) throws(PostgresError) -> Waiting {
      if let failure { throw failure }
      pending += commands(statement, arguments)
      let result = Waiting()
      waiting.append((pending.count - 1, result))
      return result
    }

    /// How many rows a statement that was begun has changed, or given.
    package func count(of result: Waiting) throws(PostgresError) -> Int {
      if result.reply == nil { try settle() }
      guard let reply = result.reply else { throw .lost("the transaction has ended") }
      return try reply.get().count
    }

    /// Waits for what was begun.
    package func settle() throws(PostgresError) {
      if let failure { throw failure }
      if !waiting.isEmpty { _ = try send([]) }
    }

    // MARK: Transactions

    /// Begins a transaction, with the next statement.
    ///
    /// - Parameter text: `BEGIN` and what kind.
    package func begin(_ text: String) {
      failure = nil
      isOver = false
      forgetPending()
      pending = [.control(text)]
    }

    /// Marks a place to come back to, with the next statement. One inside the other have one name: the innermost counts.
    package func savepoint() { pending.append(.control("SAVEPOINT here")) }

    /// Forgets the mark, keeping what was done since.
    ///
    /// - Throws: what failed since.
    package func release() throws(PostgresError) {
      if let failure { throw failure }
      // Nothing was asked since.
      if case .control("SAVEPOINT here") = pending.last {
        pending.removeLast()
      } else {
        pending.append(.control("RELEASE SAVEPOINT here"))
      }
    }

    /// Undoes what was done since the mark, which stays.
    ///
    /// - Throws: what failed, if the whole transaction is lost with it.
    package func rollbackToSavepoint() throws(PostgresError) {
      // What was begun is undone, too, where it has an effect.
      if failure == nil, !waiting.isEmpty { do throws(PostgresError) { try settle() } catch {} }
      if let failure, failure.isWorthRepeating || !failure.leavesConnection { throw failure }
      failure = nil
      if case .control("SAVEPOINT here") = pending.last { return }
      pending.append(.control("ROLLBACK TO SAVEPOINT here"))
    }

    /// Commits.
    ///
    /// - Throws: ``PostgresError/commitUnknown(_:)`` when it is unknown whether it did; any other error: it did not.
    package func commit() throws(PostgresError) {
      if let failure { throw failure }
      // A transaction in which nothing was asked has not begun.
      if waiting.isEmpty, case .control(let text) = pending.first, text.hasPrefix("BEGIN") {
        pending = []
        return
      }
      // What goes before it is settled first, so that its failure leaves no doubt.
      if !pending.isEmpty { _ = try send([]) }
      do throws(PostgresError) {
        let reply = try send([.control("COMMIT")])
        // COMMIT of a transaction that has failed answers ROLLBACK, and no error.
        guard reply.last?.tag == "COMMIT" else {
          throw .refused(state: "25P02", message: "the transaction was rolled back")
        }
      } catch {
        isOver = true
        switch error {
        case .lost(let text), .late(let text): throw .commitUnknown(text)
        // Statement completion unknown (CockroachDB); canceled while it waited for the standby: it is committed here.
        case .refused(let state, let message) where state == "40003" || state.hasPrefix("57"):
          connection.close()
          throw .commitUnknown(message)
        default: throw error
        }
      }
    }

    /// Undoes the transaction; whatever cannot be undone so ends with the connection.
    package func rollback() {
      failure = nil
      let hasNotBegun = if case .control(let text) = pending.first { text.hasPrefix("BEGIN") } else { false }
      forgetPending()
      if hasNotBegun { return }
      // A COMMIT that was refused has ended the transaction.
      guard connection.isOpen, !isOver else { return }
      do throws(PostgresError) { _ = try connection.run([.control("ROLLBACK")]) } catch { connection.close() }
    }

    // MARK: Innards

    private func run(_ statement: StaticString, _ arguments: [SQLValue]) throws(PostgresError)
      -> PostgresConnection.Reply
    {
      if let failure { throw failure }
      return try send(commands(statement, arguments)).last ?? .init()
    }

    /// What runs a statement: it is prepared first if it is new.
    private func commands(_ statement: StaticString, _ arguments: [SQLValue]) -> [PostgresConnection.Command] {
      let types = arguments.map { PostgresType.of($0) }
      let key = StatementKey(start: statement.utf8Start, count: statement.utf8CodeUnitCount, types: types)
      if let name = prepared[key] { return [.execute(name: name, arguments: arguments)] }
      if preparedCount >= Self.preparedLimit {
        prepared = [:]
        preparedCount = 0
        pending.append(.control("DEALLOCATE ALL"))
      }
      names += 1
      preparedCount += 1
      let name = "s\(names)"
      prepared[key] = name
      preparing.append(key)
      return [.prepare(name: name, statement: statement, types: types), .execute(name: name, arguments: arguments)]
    }

    /// Sends what waits, and these commands.
    private func send(_ commands: [PostgresConnection.Command]) throws(PostgresError) -> [PostgresConnection.Reply] {
      if let failure { throw failure }
      let all = pending + commands
      do throws(PostgresError) {
        let replies = try connection.run(all)
        for (place, result) in waiting where replies.indices.contains(place) { result.reply = .success(replies[place]) }
        (pending, waiting, preparing) = ([], [], [])
        return replies
      } catch {
        for (_, result) in waiting { result.reply = .failure(error) }
        failure = error
        forgetPending()
        throw error
      }
    }

    /// Gives up what was not sent, or has failed: its statements may not have been prepared.
    private func forgetPending() {
      for key in preparing { prepared[key] = nil }
      (pending, waiting, preparing) = ([], [], [])
    }
  }
#endif
