#if PostgreSQL
  internal import Glibc
  package import LatchkeyEnrollmentStore
  package import Logging

  /// A session for the batches of the store: it connects when a transaction begins and the last connection is gone.
  ///
  /// Of the statements without arguments it knows BEGIN, SAVEPOINT, RELEASE, ROLLBACK TO, COMMIT and ROLLBACK, and what
  /// became of them (``PostgresSession``). For one thread at a time.
  package final class PostgresLink: SQLSession {
    package var dialect: SQLDialect { .postgreSQL }

    private let address: PostgresAddress
    private let timeouts: PostgresTimeouts
    private let logger: Logger
    private var session: PostgresSession?
    /// Whether it is worth waiting for a connection that was lost just now.
    private var wasConnected = true
    private var pause: Duration = PostgresLink.firstPause
    private var nextAttempt = ContinuousClock.now
    private var lastError = PostgresError.unreachable("not connected")

    private static let firstPause: Duration = .milliseconds(20)
    private static let longestPause: Duration = .seconds(1)

    package init(_ address: PostgresAddress, timeouts: PostgresTimeouts, logger: Logger) {
      self.address = address
      self.timeouts = timeouts
      self.logger = logger
    }

    package func rows(_ statement: StaticString, _ arguments: [SQLValue]) throws(SQLFailure) -> [[SQLValue]] {
      do throws(PostgresError) { return try open().rows(statement, arguments) } catch { throw error.failure }
    }

    package func change(_ statement: StaticString, _ arguments: [SQLValue]) throws(SQLFailure) -> Int {
      do throws(PostgresError) {
        if arguments.isEmpty, try control("\(statement)") { return 0 }
        return try open().change(statement, arguments)
      } catch {
        throw error.failure
      }
    }

    @discardableResult
    package func beginChange(
      _ statement: StaticString, _ arguments: [SQLValue]
    ) throws(SQLFailure) -> SQLLater<Int> {
      do throws(PostgresError) {
        let session = try open()
        let result = try session.begin(statement, arguments)
        return SQLLater {
          do throws(PostgresError) { return try session.count(of: result) } catch { throw error.failure }
        }
      } catch {
        throw error.failure
      }
    }

    package func settle() throws(SQLFailure) {
      do throws(PostgresError) { try open().settle() } catch { throw error.failure }
    }

    package func define(_ text: String) throws(SQLFailure) {
      do throws(PostgresError) { try open().define(text) } catch { throw error.failureOfDefinition }
    }

    /// Cuts the line, as a cable is cut: nothing goes out, nothing comes in. For tests.
    package func cut() { if let session { shutdown(session.socket, Int32(SHUT_RDWR)) } }

    /// Says good-bye.
    package func close() {
      session?.close()
      session = nil
      wasConnected = false
    }

    /// Whether the statement is one of these, which then was run.
    private func control(_ statement: String) throws(PostgresError) -> Bool {
      switch statement {
      case "SAVEPOINT body": try open().savepoint()
      case "RELEASE SAVEPOINT body": try open().release()
      case "ROLLBACK TO SAVEPOINT body": try open().rollbackToSavepoint()
      case "COMMIT": try open().commit()
      case "ROLLBACK": session?.rollback()
      default:
        guard statement.hasPrefix("BEGIN") else { return false }
        try connected().begin(statement)
      }
      return true
    }

    /// The connection inside of a transaction: a new one would know nothing of it.
    private func open() throws(PostgresError) -> PostgresSession {
      guard let session, session.isOpen else { throw .lost("the connection ended") }
      return session
    }

    /// A connection between transactions: the one that is there if it still is, or else a new one.
    private func connected() throws(PostgresError) -> PostgresSession {
      if let session, session.isOpen, !session.hasEnded() { return session }
      session = nil
      let deadline = ContinuousClock.now + (wasConnected ? timeouts.reconnection : .zero)
      while true {
        guard wasConnected || ContinuousClock.now >= nextAttempt else { throw lastError }
        do throws(PostgresError) {
          let session = try PostgresSession(address, timeouts: timeouts, logger: logger)
          if lastError != .unreachable("not connected") { logger.info("PostgreSQL is there again: \(address)") }
          lastError = .unreachable("not connected")
          (self.session, wasConnected, pause) = (session, true, Self.firstPause)
          return session
        } catch {
          logger.warning("PostgreSQL is not there: \(error)")
          // Whatever it was, nothing was begun; a connection that was lost while it was made counts as none.
          if case .lost(let text) = error { lastError = .unreachable(text) } else { lastError = error }
        }
        nextAttempt = .now + pause
        guard nextAttempt < deadline else {
          wasConnected = false
          throw lastError
        }
        // Not the same for all connections that were lost together.
        usleep(UInt32(clamping: Int64.random(in: pause.milliseconds / 2...pause.milliseconds) * 1_000))
        pause = min(pause * 2, Self.longestPause)
      }
    }
  }
#endif
