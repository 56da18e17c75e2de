internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore

/// The limits on an account's payments: for one transfer and for one day without an approval, and for one day in total.
///
/// A day is the current hour and the 24 before it, and so has at least 24 hours. Sums are recorded only while the policy has a
/// limit, so a limit counts from the hour in which it is set. Limits are those of the account's currency.
struct SpendingRules: Sendable {
  let policy: LedgerPolicy
  /// The paying account; its owner sends the request.
  let account: String
  let currency: String
  let amount: Int64
  let now: Int64

  enum Verdict: Sendable {
    case free
    case needsApproval
    case beyondDay
  }

  func verdict(in store: any SQLStatements) throws -> Verdict {
    var isLarge = policy.approvalFrom[currency].map { amount >= $0 } ?? false
    guard policy.notesSpending else { return isLarge ? .needsApproval : .free }
    let spent = try store.spending(of: account, now: now)
    if let most = policy.dailySum[currency], sum(sum(spent.approved, spent.unapproved), amount) > most {
      return .beyondDay
    }
    if let most = policy.dailyUnapprovedSum[currency], sum(spent.unapproved, amount) > most { isLarge = true }
    return isLarge ? .needsApproval : .free
  }

  /// Records a payment.
  func note(isApproved: Bool, in store: any SQLStatements) throws {
    guard policy.notesSpending else { return }
    try store.note(
      Spending(approved: isApproved ? amount : 0, unapproved: isApproved ? 0 : amount), of: account, now: now)
  }

  private func sum(_ a: Int64, _ b: Int64) -> Int64 {
    let (sum, overflow) = a.addingReportingOverflow(b)
    return overflow ? .max : sum
  }
}

extension LedgerPolicy {
  fileprivate var notesSpending: Bool { !dailySum.isEmpty || !dailyUnapprovedSum.isEmpty }
}
