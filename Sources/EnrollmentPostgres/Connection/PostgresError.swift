#if PostgreSQL
  package import EnrollmentStore

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

    /// Whether the same transaction from its beginning may well succeed: somebody else was in the way (40001, 40P01; 55P03, a
    /// lock not given in time), a plan was made for a table that has changed since, or the connection was lost with nothing committed.
    package var isWorthRepeating: Bool {
      switch self {
      case .refused(let state, let message):
        // "cached plan must not change result type": the same class for all of "feature not supported".
        ["40001", "40P01", "55P03"].contains(state) || (state == "0A000" && message.hasPrefix("cached plan"))
      case .lost: true
      case .late, .unreachable, .commitUnknown, .unreadable: false
      }
    }

    /// Whether the connection can be used on.
    package var leavesConnection: Bool {
      switch self {
      case .refused(let state, _): state != "0A000"
      case .unreadable: true
      case .lost, .late, .unreachable, .commitUnknown: false
      }
    }

    /// As callers of the store see it.
    package var storeError: EnrollmentStoreError {
      switch self {
      case .refused(let state, let message):
        switch state.prefix(2) {
        case "40": .contention
        // Resources, cancelled by the operator or by a timeout, and a server that only reads: all pass.
        case "53", "57", "25", "55", "08": .unavailable("PostgreSQL: \(message) (\(state))")
        case "22": .misuse("PostgreSQL cannot keep such a value (\(state)): a text must be UTF-8 without U+0000")
        case "23": .damaged("PostgreSQL: \(message) (\(state))")
        case "28", "3D", "42":
          .misuse("PostgreSQL: \(message) (\(state)); see to the role's rights and the database's name")
        default: .unavailable("PostgreSQL: \(message) (\(state))")
        }
      case .lost(let text), .late(let text), .unreachable(let text): .unavailable("PostgreSQL: \(text)")
      case .commitUnknown(let text):
        .unavailable("PostgreSQL: \(text) during COMMIT: ask again with the same idempotency key what became of it")
      case .unreadable(let type):
        .damaged("PostgreSQL gives a column of type \(type), which no statement here asks for")
      }
    }
  }
#endif
