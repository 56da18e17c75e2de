#if PostgreSQL
  import LatchkeyEnrollmentPostgres
  import LatchkeyEnrollmentStore
  import Synchronization

  /// Where the line is cut at the next COMMIT.
  final class CommitCut: Sendable {
    enum Place { case before, afterwards }

    private let place = Mutex<Place?>(nil)

    func arm(_ place: Place) { self.place.withLock { $0 = place } }
    func take() -> Place? {
      place.withLock { place in
        defer { place = nil }
        return place
      }
    }
  }

  /// Loses the answer of a COMMIT: as it is when the line is cut before the server hears it, or after it has done it.
  final class CuttingSession: SQLSession {
    private let session: any SQLSession
    private let cut: CommitCut

    init(_ session: any SQLSession, _ cut: CommitCut) {
      self.session = session
      self.cut = cut
    }

    var dialect: SQLDialect { session.dialect }

    func define(_ text: String) throws { try session.define(text) }

    func rows(_ statement: StaticString, _ arguments: [SQLValue]) throws -> [[SQLValue]] {
      try session.rows(statement, arguments)
    }

    func beginChange(_ statement: StaticString, _ arguments: [SQLValue]) throws -> SQLLater<Int> {
      try session.beginChange(statement, arguments)
    }

    func settle() throws { try session.settle() }

    func change(_ statement: StaticString, _ arguments: [SQLValue]) throws -> Int {
      guard statement.description == "COMMIT", let place = cut.take(), let link = session as? PostgresLink else {
        return try session.change(statement, arguments)
      }
      switch place {
      case .before: link.cut()
      case .afterwards:
        _ = try session.change(statement, arguments)
        throw PostgresError.commitUnknown("the line was cut").failure
      }
      return try session.change(statement, arguments)
    }
  }
#endif
