import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentServer
import LatchkeyEnrollmentStore
import LatchkeyLedger
import Testing

/// The accounts that are fought over, and what must be in them.
struct TortureLedger: Sendable {
  static let user = "torture"
  let accounts: [String]
  let each: Int64

  /// Opens so many accounts with so much in each.
  init(_ store: any EnrollmentStore, accounts count: Int = 6, each: Int64 = 50_000) async throws {
    let accounts = (0..<min(count, 10)).map { "70000000000\($0)" }
    self.accounts = accounts
    self.each = each
    try await LedgerService().makeTables(in: store)
    try await store.write { transaction in
      if try transaction.user(named: UserName(stored: Self.user)) == nil {
        _ = try transaction.addUser(UserRecord(name: UserName(stored: Self.user), passwordHash: nil))
      }
      let house = try transaction.houseAccount(currency: "EUR")
      for number in accounts {
        _ = try transaction.addAccount(
          AccountRecord(number: number, user: UserName(stored: Self.user), name: "Torture", currency: "EUR", balance: 0)
        )
        _ = try transaction.book(
          Booking(
            id: .random(), from: house.number, to: number, amount: each, currency: "EUR", notes: "", booked: 1,
            device: nil))
      }
    }
  }

  /// Compares the ledger with the clients' answers.
  func verify(_ report: TransferTorture.Report, in store: any EnrollmentStore) async throws {
    var expected = Dictionary(uniqueKeysWithValues: accounts.map { ($0, each) })
    var names: [String] = []
    for (transfer, answer) in report.answers {
      guard case .booked(let name) = answer else { continue }
      expected[transfer.from, default: 0] -= transfer.amount
      expected[transfer.to, default: 0] += transfer.amount
      names.append(name)
    }
    #expect(Set(names).count == names.count, "two transfers were booked under one name")
    let accounts = accounts
    let found = try await store.read { transaction in
      try Dictionary(
        uniqueKeysWithValues: accounts.compactMap { number in
          try transaction.account(number).map { (number, $0.balance) }
        })
    }
    #expect(found == expected)
    let sums = try await store.read { try $0.ledgerSums() }
    #expect(sums.values.allSatisfy { $0 == 0 }, "\(sums)")
    var audited: [String] = []
    for node in try await store.read({ try $0.auditNodes() }) {
      var last: Int64 = 0
      while true {
        let after = last
        let page = try await store.read { try $0.auditEntries(node: node, after: after, limit: 500) }
        guard let end = page.last else { break }
        #expect(page.map(\.sequence) == Array(after + 1...end.sequence))
        audited += page.filter { $0.entry.event == "ledger.transfer.booked" }.compactMap { $0.entry.fields["transfer"] }
        last = end.sequence
      }
    }
    #expect(audited.sorted() == names.sorted(), "the audit chains say otherwise than the clients were told")
  }
}
