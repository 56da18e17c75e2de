#if PostgreSQL
  package import LatchkeyEnrollmentStore

  /// Why a statement, a transaction or a connection failed.
  package enum PostgresError: Error, Hashable, Sendable {
    /// The server refused a statement: SQLSTATE (PostgreSQL, Appendix A) and its words. Nothing of it was done.
    case refused(state: String, message: String)
    /// The connection ended, and the transaction with it: rolled back, unless it was being committed.
    case lost(String)
    /// No answer came in time; the connection was given up, and the transaction with it.
    case late(String)
    /// No connection can be made.
    case unreachable(String)
    /// Whether the transaction was committed cannot be known: its COMMIT was sent, and no answer came.
    case commitUnknown(String)
    /// A result is not what the statement should give: a column of this type (its OID), or a number beyond 64 bits.
    case unreadable(type: UInt32)

    /// The SQLSTATE of what the server refused.
    package var state: String? {
      if case .refused(let state, _) = self { state } else { nil }
    }

    /// Whether the same transaction from its beginning may well succeed: another transaction was in the way (40001, 40P01; 55P03, a
    /// lock not given in time), another connection appended to the same audit chain, a plan was made for a table that has changed
    /// since, or the connection was lost with nothing committed.
    package var isWorthRepeating: Bool {
      switch self {
      case .refused(let state, let message):
        // "cached plan must not change result type": the same class for all of "feature not supported".
        ["40001", "40P01", "55P03"].contains(state) || (state == "0A000" && message.hasPrefix("cached plan"))
          // An entry's number was taken meanwhile: no sequence of single transactions gives that (PostgreSQL 13.2.3), but the
          // index says it before the check for conflicts does. The constraint's name is in the words of every language.
          || (state == "23505" && message.contains("audit_entries_pkey"))
      case .lost: true
      case .late, .unreachable, .commitUnknown, .unreadable: false
      }
    }

    /// Whether something of that name is there already. Despite `IF NOT EXISTS`, the server says so to one of two sessions that
    /// make a table at the same moment: of the table (42P07), of the type of its rows (42710), or of the catalog's index (23505).
    package var isCollision: Bool { ["23505", "42P07", "42710"].contains(state) }

    /// Whether the connection can be used on.
    package var leavesConnection: Bool {
      switch self {
      // Read-only (25006): the server has become another one's standby, and a new connection may lead to that.
      case .refused(let state, _): state != "0A000" && state != "25006"
      case .unreadable: true
      case .lost, .late, .unreachable, .commitUnknown: false
      }
    }

    /// As the batches of the store see it: who may try again.
    package var failure: SQLFailure {
      if isWorthRepeating { return .retryable(text) }
      if case .unreadable = self { return .damaged(text) }
      // Data exceptions and constraints; the server's words for the former quote the value.
      return switch state?.prefix(2) {
      case "22": .refused("PostgreSQL cannot keep such a value (\(state ?? "")): a text is UTF-8 without U+0000")
      case "23": .refused(text)
      default: .unavailable(text)
      }
    }

    /// As the author of a definition of a table sees it: one that the server does not take stays refused (class 42).
    package var failureOfDefinition: SQLFailure {
      state?.hasPrefix("42") == true ? .refused("\(text): see to the definition, and to the role's rights") : failure
    }

    /// As the caller that opens the store sees it.
    package var storeError: EnrollmentStoreError {
      // Wrong role, password or database; rights that lack; something else under the tables' names.
      guard let state, ["28", "3D", "42"].contains(state.prefix(2)) else { return failure.storeError }
      return .misuse("\(text): see to the role's rights, and that the database is Latchkey's own")
    }

    private var text: String {
      switch self {
      case .refused("53100", let message): "PostgreSQL: the disk is full: make room (\(message))"
      case .refused(let state, let message): "PostgreSQL: \(message) (\(state))"
      case .lost(let text), .late(let text), .unreachable(let text): "PostgreSQL: \(text)"
      case .commitUnknown(let text):
        "PostgreSQL: \(text), during COMMIT: it may or may not have happened; ask again with the same idempotency key"
      case .unreadable(let type): "PostgreSQL gives a column of type \(type), which no statement here asks for"
      }
    }
  }
#endif
