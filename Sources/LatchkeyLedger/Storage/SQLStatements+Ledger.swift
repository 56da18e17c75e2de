package import LatchkeyEnrollmentProtocol
package import LatchkeyEnrollmentStore

// Accounts and the double-entry ledger. No sum is ever made that could leave 64 bits: bounds are compared with differences
// that cannot, and what is added up over many rows is added in halves.

extension SQLStatements {
  package func addAccount(_ account: AccountRecord) throws -> Bool {
    guard account.balance == 0 else {
      throw EnrollmentStoreError.misuse(
        "an account opens with nothing in it: book what comes in from the house's account")
    }
    guard account.number.utf8.count == 12, account.number.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      throw EnrollmentStoreError.misuse("an account's number has 12 digits")
    }
    guard account.currency.utf8.count == 3, account.overdraft >= 0 else {
      throw EnrollmentStoreError.misuse("a currency has three letters, and an overdraft is zero or above")
    }
    return try change(
      """
      INSERT INTO ledger_accounts (number, user_name, name, currency, balance, overdraft) VALUES ($1, $2, $3, $4, 0, $5)
      ON CONFLICT DO NOTHING
      """,
      [
        .text(account.number), .init(account.user.text.isEmpty ? nil : account.user.text), .text(account.name),
        .text(account.currency), .integer(account.overdraft),
      ]) == 1
  }

  package func account(_ number: String) throws -> AccountRecord? {
    try row(
      "SELECT number, user_name, name, currency, balance, overdraft FROM ledger_accounts WHERE number = $1",
      [.text(number)]
    ).map(Self.account)
  }

  package func accounts(of user: UserName) throws -> [AccountRecord] {
    try
      (user.text.isEmpty
      ? rows(
        """
        SELECT number, user_name, name, currency, balance, overdraft FROM ledger_accounts WHERE user_name IS NULL
        ORDER BY number
        """)
      : rows(
        """
        SELECT number, user_name, name, currency, balance, overdraft FROM ledger_accounts WHERE user_name = $1
        ORDER BY number
        """, [.text(user.text)])).map(Self.account)
  }

  package func houseAccount(currency: String) throws -> AccountRecord {
    let houses = try accounts(of: "")
    if let house = houses.first(where: { $0.currency == currency }) { return house }
    let number = String(houses.count + 1)
    guard number.utf8.count <= 2 else {
      throw EnrollmentStoreError.misuse("there is room for the house's accounts in 99 currencies: use one of those")
    }
    let house = AccountRecord(
      number: String(repeating: "0", count: 12 - number.utf8.count) + number, user: "", name: "House",
      currency: currency, balance: 0, overdraft: .max)
    guard try addAccount(house) else {
      throw EnrollmentStoreError.misuse("account \(house.number) is reserved for the house and belongs to a user")
    }
    return house
  }

  // MARK: Booking

  package func book(_ booking: Booking) throws -> BookingResult {
    guard booking.amount > 0 else { throw EnrollmentStoreError.misuse("an amount is above zero") }
    guard booking.from != booking.to else { return .noSuchAccounts }
    // Both balances or none: the statement changes two rows if both sides may change, or no row.
    let changed = try changedRows(
      """
      UPDATE ledger_accounts SET balance = CASE WHEN number = $1 THEN balance - $2 ELSE balance + $2 END
      WHERE number IN ($1, $3) AND 2 = (
        SELECT COUNT(*) FROM ledger_accounts AS side
        WHERE (side.number = $1 AND side.currency = $4 AND side.balance >= $2 - side.overdraft)
          OR (side.number = $3 AND side.currency = $4 AND side.balance <= 9223372036854775807 - $2))
      RETURNING number, balance
      """, [.text(booking.from), .integer(booking.amount), .text(booking.to), .text(booking.currency)])
    guard changed.count == 2 else { return try whyNot(booking) }
    try beginChange(
      "INSERT INTO ledger_transfers (id, booked, device, notes, value_date) VALUES ($1, $2, $3, $4, $5)",
      [
        .init(booking.id), .integer(booking.booked), .init(booking.device), .text(booking.notes),
        .init(booking.valueDate),
      ])
    try beginChange(
      "INSERT INTO ledger_entries (transfer, account, currency, amount) VALUES ($1, $2, $3, $4), ($1, $5, $3, $6)",
      [
        .init(booking.id), .text(booking.from), .text(booking.currency), .integer(-booking.amount),
        .text(booking.to), .integer(booking.amount),
      ])
    for row in changed where try row.text(0) == booking.from { return .booked(balance: try row.integer(1)) }
    throw EnrollmentStoreError.damaged("a booking changed other accounts than its own: restore a copy of the database")
  }

  /// Nothing was changed: says for whose reason.
  private func whyNot(_ booking: Booking) throws -> BookingResult {
    guard let from = try account(booking.from), let to = try account(booking.to), from.currency == booking.currency,
      to.currency == booking.currency
    else { return .noSuchAccounts }
    guard from.balance >= booking.amount - from.overdraft else { return .insufficientFunds }
    throw EnrollmentStoreError.misuse("the receiving account cannot hold so much: book less")
  }

  // MARK: Spending

  package func spending(of account: String, now: Int64) throws -> Spending {
    let hours = try rows(
      "SELECT approved, unapproved FROM ledger_spending WHERE account = $1 AND hour > $2 AND hour <= $3",
      [.text(account), .integer(Self.hour(now) - 25), .integer(Self.hour(now))])
    var sum = Spending(approved: 0, unapproved: 0)
    for hour in hours {
      sum.approved = Self.sum(sum.approved, try hour.integer(0))
      sum.unapproved = Self.sum(sum.unapproved, try hour.integer(1))
    }
    return sum
  }

  package func note(_ spending: Spending, of account: String, now: Int64) throws {
    // What would leave 64 bits stays at the end: more than any limit.
    try beginChange(
      """
      INSERT INTO ledger_spending (account, hour, approved, unapproved) VALUES ($1, $2, $3, $4)
      ON CONFLICT (account, hour) DO UPDATE SET
        approved = CASE WHEN ledger_spending.approved > 9223372036854775807 - excluded.approved THEN 9223372036854775807
          ELSE ledger_spending.approved + excluded.approved END,
        unapproved = CASE WHEN ledger_spending.unapproved > 9223372036854775807 - excluded.unapproved THEN 9223372036854775807
          ELSE ledger_spending.unapproved + excluded.unapproved END
      """,
      [
        .text(account), .integer(Self.hour(now)), .integer(max(0, spending.approved)),
        .integer(max(0, spending.unapproved)),
      ])
  }

  func forgetSpending(now: Int64, limit: Int) throws -> Int {
    try change(
      """
      DELETE FROM ledger_spending
      WHERE (account, hour) IN (SELECT account, hour FROM ledger_spending WHERE hour <= $1 LIMIT $2)
      """, [.integer(Self.hour(now) - 48), .integer(Int64(max(0, limit)))])
  }

  private static func hour(_ time: Int64) -> Int64 { time / 3600 }

  private static func sum(_ a: Int64, _ b: Int64) -> Int64 {
    let (sum, overflow) = a.addingReportingOverflow(b)
    return overflow ? .max : sum
  }

  // MARK: Sums

  package func ledgerSums() throws -> [String: Int64] {
    var sums: [String: Int64] = [:]
    let halves = try rows(
      """
      SELECT currency, CAST(SUM(balance / 4294967296) AS BIGINT), CAST(SUM(balance % 4294967296) AS BIGINT)
      FROM ledger_accounts GROUP BY currency
      """)
    for row in halves {
      let sum = Int128(try row.integer(1)) * 4_294_967_296 + Int128(try row.integer(2))
      guard let sum = Int64(exactly: sum) else {
        throw EnrollmentStoreError.damaged("the balances do not add up: restore a copy of the database")
      }
      sums[try row.text(0)] = sum
    }
    return sums
  }

  package func accounts(after number: String, limit: Int) throws -> [AccountRecord] {
    try rows(
      """
      SELECT number, user_name, name, currency, balance, overdraft FROM ledger_accounts WHERE number > $1
      ORDER BY number LIMIT $2
      """, [.text(number), .integer(Int64(max(0, limit)))]
    ).map(Self.account)
  }

  package func transfers(after id: Identifier?, limit: Int) throws -> [BookedTransfer] {
    try Self.transfers(
      rows(
        """
        SELECT t.id, t.device, t.value_date, e.account, e.currency, e.amount
        FROM (SELECT id, device, value_date FROM ledger_transfers WHERE id > $1 ORDER BY id LIMIT $2) AS t
        LEFT JOIN ledger_entries AS e ON e.transfer = t.id ORDER BY t.id, e.amount
        """, [.bytes(id?.bytes ?? []), .integer(Int64(max(0, limit)))]))
  }

  package func transfer(_ id: Identifier) throws -> BookedTransfer? {
    try Self.transfers(
      rows(
        """
        SELECT t.id, t.device, t.value_date, e.account, e.currency, e.amount
        FROM ledger_transfers AS t LEFT JOIN ledger_entries AS e ON e.transfer = t.id WHERE t.id = $1 ORDER BY e.amount
        """, [.init(id)])
    ).first
  }

  /// When a transfer was booked, seconds since 1970; nil if it is not there.
  package func bookingTime(of id: Identifier) throws -> Int64? {
    try row("SELECT booked FROM ledger_transfers WHERE id = $1", [.init(id)]).map { try $0.integer(0) }
  }

  private static func transfers(_ rows: [SQLRow]) throws -> [BookedTransfer] {
    var transfers: [BookedTransfer] = []
    for row in rows {
      let id = try row.identifier(0)
      if transfers.last?.id != id {
        transfers.append(
          BookedTransfer(
            id: id, device: try row.optionalIdentifier(1), valueDate: try row.optionalInteger(2), entries: []))
      }
      // A transfer without entries has one row, of nothing.
      guard let account = try row.optionalText(3) else { continue }
      transfers[transfers.count - 1].entries.append(
        BookedTransfer.Entry(account: account, currency: try row.text(4), amount: try row.integer(5)))
    }
    return transfers
  }

  package func strayEntries(limit: Int) throws -> [Identifier] {
    try rows(
      """
      SELECT DISTINCT transfer FROM ledger_entries
      WHERE NOT EXISTS (SELECT 1 FROM ledger_transfers WHERE ledger_transfers.id = ledger_entries.transfer) OR NOT EXISTS (
        SELECT 1 FROM ledger_accounts WHERE ledger_accounts.number = ledger_entries.account AND ledger_accounts.currency = ledger_entries.currency)
      ORDER BY transfer LIMIT $1
      """, [.integer(Int64(max(0, limit)))]
    ).map { try $0.identifier(0) }
  }

  package func accountsOutOfBalance(limit: Int) throws -> [String] {
    try rows(
      """
      SELECT ledger_accounts.number FROM ledger_accounts LEFT JOIN (
        SELECT account, SUM(amount / 4294967296) AS high, SUM(amount % 4294967296) AS low FROM ledger_entries GROUP BY account
      ) AS sums ON sums.account = ledger_accounts.number
      WHERE (ledger_accounts.balance / 4294967296 - COALESCE(sums.high, 0)) * 4294967296
        + (ledger_accounts.balance % 4294967296 - COALESCE(sums.low, 0)) <> 0
      ORDER BY ledger_accounts.number LIMIT $1
      """, [.integer(Int64(max(0, limit)))]
    ).map { try $0.text(0) }
  }

  private static func account(_ row: SQLRow) throws -> AccountRecord {
    AccountRecord(
      number: try row.text(0), user: UserName(stored: try row.optionalText(1) ?? ""), name: try row.text(2),
      currency: try row.text(3),
      balance: try row.integer(4), overdraft: try row.integer(5))
  }
}
