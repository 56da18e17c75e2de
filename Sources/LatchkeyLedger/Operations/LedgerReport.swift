public import LatchkeyEnrollmentStore

/// The result of verifying the ledger.
public struct LedgerReport: Sendable, Hashable {
  /// A deviation from the booked or opened state.
  public enum Fault: Sendable, Hashable {
    /// The account's balance is not the sum of its entries.
    case balance(account: String)
    /// The transfer's entries are not two that add up to zero.
    case unbalanced(Identifier)
    /// Entries whose transfer or account is missing.
    case stray(Identifier)
    /// No audit entry names the transfer.
    case unknownTransfer(Identifier)
    /// An audit entry names the transfer, but it is missing.
    case missingTransfer(Identifier)
    /// Accounts, amount, date or device differ from the audit entry.
    case alteredTransfer(Identifier)
    /// Two audit entries name the transfer.
    case repeatedTransfer(Identifier)
    /// No audit entry names the account.
    case unknownAccount(String)
    /// An audit entry names the account, but it is missing.
    case missingAccount(String)
    /// Owner, currency or overdraft differ from those at opening.
    case alteredAccount(String)
  }

  /// The sum of all balances by currency; zero in an intact ledger.
  public let sums: [String: Int64]
  /// The faults, at most ``most``.
  public let faults: [Fault]

  /// The limit of reported faults.
  public static let most = 1000

  /// Whether there are no faults and all sums are zero.
  public var isWhole: Bool { faults.isEmpty && sums.values.allSatisfy { $0 == 0 } }
}

extension LedgerReport.Fault {
  /// The transfer concerned.
  public var transfer: Identifier? {
    switch self {
    case .unbalanced(let id), .stray(let id), .unknownTransfer(let id), .missingTransfer(let id),
      .alteredTransfer(let id), .repeatedTransfer(let id):
      id
    case .balance, .unknownAccount, .missingAccount, .alteredAccount: nil
    }
  }

  /// The account concerned.
  public var account: String? {
    switch self {
    case .balance(let account), .unknownAccount(let account), .missingAccount(let account),
      .alteredAccount(let account):
      account
    default: nil
    }
  }

  /// The fault as a predicate.
  public var reason: String {
    switch self {
    case .balance: "is not the sum of its entries"
    case .unbalanced: "has other entries than two that add up to zero"
    case .stray: "has entries, and the transfer or an account of theirs is not there"
    case .unknownTransfer, .unknownAccount: "is in no audit entry"
    case .missingTransfer, .missingAccount: "is in the audit log alone"
    case .alteredTransfer, .alteredAccount: "is not what its audit entry says"
    case .repeatedTransfer: "is in two audit entries"
    }
  }
}
