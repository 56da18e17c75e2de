internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore

/// Verifies the ledger against itself and, in both directions, against the audit chains: each transfer has the booked entries,
/// each is in one audit entry, and each audit entry has its transfer; likewise for accounts. All in one snapshot.
///
/// What happened before the audit chains were pruned is in no entry any more: such transfers, and all accounts of a store that was pruned,
/// are verified against the ledger alone.
///
/// Entries from before the bank was a service have no `ledger.` before their event. The chains are assumed to be intact; `AuditChain.verify` verifies them. Memory use is 16 bytes per transfer, its ID.
struct LedgerAudit {
  private let store: any StoreTransaction
  private let page: Int
  private var faults: [LedgerReport.Fault] = []
  /// The transfers and accounts without an audit entry so far.
  private var transfers: Set<UInt128> = []
  private var accounts: [String: AccountRecord] = [:]
  /// The deposits of entries that predate transfer IDs in them, by account.
  private var openings: [String: (currency: String, amount: Int64)] = [:]

  /// The time before which entries were pruned; nil if none were.
  private let prunedBefore: Int64?

  private init(_ store: any StoreTransaction, page: Int) throws {
    self.store = store
    self.page = page
    prunedBefore = try store.auditPrunings().map(\.before).max()
  }

  /// - Parameter page: the number of rows per read.
  static func report(of store: any StoreTransaction, page: Int = 1000) throws -> LedgerReport {
    var audit = try LedgerAudit(store, page: page)
    let sums = try store.ledgerSums()
    for account in try store.accountsOutOfBalance(limit: LedgerReport.most) { audit.add(.balance(account: account)) }
    for id in try store.strayEntries(limit: LedgerReport.most) { audit.add(.stray(id)) }
    try audit.readLedger()
    for node in try store.auditNodes() { try audit.readChain(node) }
    try audit.verifyRemainder()
    return LedgerReport(sums: sums, faults: audit.faults)
  }

  private mutating func add(_ fault: LedgerReport.Fault) {
    if faults.count < LedgerReport.most { faults.append(fault) }
  }

  // MARK: The ledger

  private mutating func readLedger() throws {
    var last: Identifier?
    while true {
      let read = try store.transfers(after: last, limit: page)
      for transfer in read {
        transfers.insert(Self.number(transfer.id))
        if !transfer.isBalanced { add(.unbalanced(transfer.id)) }
      }
      guard let end = read.last else { break }
      last = end.id
    }
    var number = ""
    while true {
      let read = try store.accounts(after: number, limit: page)
      // The bank's own accounts are opened automatically, without an audit entry.
      for account in read where !account.user.text.isEmpty { accounts[account.number] = account }
      guard let end = read.last else { break }
      number = end.number
    }
  }

  private static func number(_ id: Identifier) -> UInt128 { id.bytes.reduce(0) { $0 << 8 | UInt128($1) } }

  private static func identifier(_ number: UInt128) -> Identifier? {
    Identifier(bytes: (0..<16).reversed().map { UInt8(truncatingIfNeeded: number >> (UInt128($0) * 8)) })
  }

  // MARK: The chains

  private mutating func readChain(_ node: String) throws {
    var last: Int64 = 0
    while true {
      let read = try store.auditEntries(node: node, after: last, limit: page)
      for entry in read {
        switch entry.entry.event {
        case "ledger.transfer.booked", "transfer.booked": try verifyTransfer(entry.entry.fields)
        case "ledger.account.opened", "account.opened": try verifyOpening(entry.entry.fields)
        default: break
        }
      }
      guard let end = read.last else { return }
      last = end.sequence
    }
  }

  private mutating func verifyTransfer(_ fields: [String: String]) throws {
    guard let id = fields["transfer"].flatMap({ Identifier($0) }) else { return }
    guard let from = fields["from"], let to = fields["to"], let currency = fields["currency"],
      let amount = fields["amount"].flatMap({ Amount($0)?.minorUnits })
    else { return add(.alteredTransfer(id)) }
    guard let transfer = try take(id) else { return }
    let isSame =
      transfer.isOf(from: from, to: to, amount: amount, currency: currency)
      && (transfer.device?.description ?? "") == fields["device"] ?? ""
      && transfer.valueDate.map(String.init) == fields["date"]
    if !isSame { add(.alteredTransfer(id)) }
  }

  /// The transfer that an audit entry names; nil if it is faulty.
  private mutating func take(_ id: Identifier) throws -> BookedTransfer? {
    guard let transfer = try store.transfer(id) else {
      add(.missingTransfer(id))
      return nil
    }
    guard transfers.remove(Self.number(id)) != nil else {
      add(.repeatedTransfer(id))
      return nil
    }
    return transfer
  }

  private mutating func verifyOpening(_ fields: [String: String]) throws {
    guard let number = fields["account"], let currency = fields["currency"],
      let amount = fields["amount"].flatMap({ Amount($0)?.minorUnits })
    else { return }
    guard let account = accounts.removeValue(forKey: number) else { return add(.missingAccount(number)) }
    if account.user != UserName(stored: fields["user"] ?? "") || account.currency != currency || account.overdraft != 0
    {
      add(.alteredAccount(number))
    }
    guard amount > 0 else { return }
    guard let id = fields["transfer"].flatMap({ Identifier($0) }) else {
      openings[number] = (currency, amount)
      return
    }
    guard let transfer = try take(id) else { return }
    if try !isOpening(transfer, of: number, amount, currency) { add(.alteredTransfer(id)) }
  }

  /// Whether a transfer pays this amount from the bank's own account into a newly opened one.
  private func isOpening(
    _ transfer: BookedTransfer, of number: String, _ amount: Int64, _ currency: String
  ) throws -> Bool {
    guard transfer.device == nil, transfer.valueDate == nil, let from = transfer.entries.first?.account,
      let giving = try store.account(from),
      giving.user.text.isEmpty
    else { return false }
    return transfer.isOf(from: from, to: number, amount: amount, currency: currency)
  }

  // MARK: Records without an entry

  private mutating func verifyRemainder() throws {
    if prunedBefore == nil { for number in accounts.keys.sorted() { add(.unknownAccount(number)) } }
    for id in transfers.sorted() {
      guard let id = Self.identifier(id), let transfer = try store.transfer(id) else { continue }
      if let to = transfer.entries.last?.account, let opening = openings[to],
        try isOpening(transfer, of: to, opening.amount, opening.currency)
      {
        openings[to] = nil
      } else if try prunedBefore.map({ try store.bookingTime(of: id) ?? .max >= $0 }) ?? true {
        add(.unknownTransfer(id))
      }
    }
    // A missing deposit is missing from the balance as well, so only its audit entry reveals it.
    for number in openings.keys.sorted() { add(.alteredAccount(number)) }
  }
}

extension BookedTransfer {
  /// Whether the two entries have one currency and add up to zero, compared without overflow of 64 bits.
  fileprivate var isBalanced: Bool {
    guard entries.count == 2, entries[0].currency == entries[1].currency, entries[0].amount < 0 else { return false }
    return entries[1].amount > 0 && entries[0].amount == -entries[1].amount
  }

  fileprivate func isOf(from: String, to: String, amount: Int64, currency: String) -> Bool {
    isBalanced && entries[0].account == from && entries[1].account == to && entries[1].amount == amount
      && entries[1].currency == currency
  }
}
