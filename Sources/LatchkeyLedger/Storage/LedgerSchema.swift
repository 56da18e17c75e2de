internal import LatchkeyEnrollmentStore

/// The tables of the bank. Balances are stored with the accounts, and are the sums of the entries: `book` alone writes both.
enum LedgerSchema {
  /// All steps, in order.
  static let steps: [ServiceSchema.Step] = [tables, withoutForeignKeysOfEntries]

  /// Step 1. A store from before the bank was a service has these tables already, under this version.
  @Sendable static func tables(_ dialect: SQLDialect) -> [String] {
    let (bytes, integer) = (dialect.bytes, dialect.integer)
    return [
      // The house's own accounts have no user.
      """
      CREATE TABLE ledger_accounts (
        number TEXT NOT NULL PRIMARY KEY CHECK (length(number) = 12),
        user_name TEXT REFERENCES users (name),
        name TEXT NOT NULL,
        currency TEXT NOT NULL CHECK (length(currency) = 3),
        balance \(integer) NOT NULL,
        overdraft \(integer) NOT NULL CHECK (overdraft >= 0),
        CHECK (balance >= - overdraft),
        UNIQUE (number, currency)
      )\(dialect.clusteredAndChanging)
      """,
      "CREATE INDEX ledger_accounts_of_user ON ledger_accounts (user_name)",
      "CREATE UNIQUE INDEX ledger_accounts_of_house ON ledger_accounts (currency) WHERE user_name IS NULL",
      """
      CREATE TABLE ledger_transfers (
        id \(bytes) NOT NULL PRIMARY KEY,
        booked \(integer) NOT NULL,
        device \(bytes),
        notes TEXT NOT NULL,
        value_date \(integer)
      )\(dialect.clustered)
      """,
      """
      CREATE TABLE ledger_entries (
        transfer \(bytes) NOT NULL REFERENCES ledger_transfers (id),
        account TEXT NOT NULL,
        currency TEXT NOT NULL,
        amount \(integer) NOT NULL CHECK (amount <> 0),
        PRIMARY KEY (transfer, account),
        FOREIGN KEY (account, currency) REFERENCES ledger_accounts (number, currency)
      )\(dialect.clustered)
      """,
      """
      CREATE TABLE ledger_spending (
        account TEXT NOT NULL,
        hour \(integer) NOT NULL,
        approved \(integer) NOT NULL,
        unapproved \(integer) NOT NULL,
        PRIMARY KEY (account, hour)
      )\(dialect.clustered)
      """,
      "CREATE INDEX ledger_spending_by_hour ON ledger_spending (hour)",
    ]
  }

  /// Step 2, for PostgreSQL alone. To check a foreign key, PostgreSQL reads the referenced table's index, and a serializable transaction
  /// that reads a page of an index is in conflict with each that adds a row there: nearly all conflicts between transfers were those of
  /// these two keys. `book` writes a transfer with its entries, for accounts that it has just changed, and nothing deletes any of
  /// them; `LedgerAudit` reports entries without their transfer or account. SQLite has one writer at a time and keeps its keys.
  ///
  /// Tables from before the bank was a service have their first names in those of the keys. PostgreSQL named a key by its first
  /// column alone before version 12.
  @Sendable static func withoutForeignKeysOfEntries(_ dialect: SQLDialect) -> [String] {
    dialect.droppingForeignKeys(
      ["ledger_entries", "entries"].flatMap { table in
        ["transfer", "account_currency", "account"].map { "\(table)_\($0)_fkey" }
      }, of: "ledger_entries")
  }
}
