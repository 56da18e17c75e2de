public import LatchkeyEnrollmentStore

/// How the ledger is found.
public struct LedgerReport: Sendable, Hashable {
  /// Something that is not as it was booked or opened.
  public enum Fault: Sendable, Hashable {
    /// The account's balance is not the sum of its entries.
    case balance(account: String)
    /// The transfer's entries are not two that add up to zero.
    case unbalanced(Identifier)
    /// Entries whose transfer or account is not there.
    case stray(Identifier)
    /// The transfer is in no audit entry.
    case unknownTransfer(Identifier)
    /// An audit entry says that it was booked; it is not there.
    case missingTransfer(Identifier)
    /// Accounts, amount, date or device are not those of its audit entry.
    case alteredTransfer(Identifier)
    /// Two audit entries say that it was booked.
    case repeatedTransfer(Identifier)
    /// The account is in no audit entry.
    case unknownAccount(String)
    /// An audit entry says that it was opened; it is not there.
    case missingAccount(String)
    /// Owner, currency or overdraft are not those that it was opened with.
    case alteredAccount(String)
  }

  /// The sum of all balances by currency: zero, each.
  public let sums: [String: Int64]
  /// What is wrong; at most ``most`` of it.
  public let faults: [Fault]

  /// Faults that are listed.
  public static let most = 1000

  /// Whether no money came from nowhere, and none went there.
  public var isWhole: Bool { faults.isEmpty && sums.values.allSatisfy { $0 == 0 } }
}

extension LedgerReport.Fault {
  /// The transfer that it is about.
  public var transfer: Identifier? {
    switch self {
    case .unbalanced(let id), .stray(let id), .unknownTransfer(let id), .missingTransfer(let id),
      .alteredTransfer(let id), .repeatedTransfer(let id):
      id
    case .balance, .unknownAccount, .missingAccount, .alteredAccount: nil
    }
  }

  /// The account that it is about.
  public var account: String? {
    switch self {
    case .balance(let account), .unknownAccount(let account), .missingAccount(let account),
      .alteredAccount(let account):
      account
    default: nil
    }
  }

  /// What is wrong with it: a predicate.
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
