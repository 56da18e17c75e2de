// The bank, whose tables were the core's up to version 8. A database that has them keeps them, as those of the service `ledger`; a
// new one gets them from that service alone (`LatchkeyLedger`).

extension Schema {
  /// What began the scope of the answers to transfers.
  static let transferPrefix = "transfer-"

  /// Step 9, of a database that has the bank: its tables become the service's, at the service's version 1.
  static func bankAsService(_ dialect: SQLDialect) -> [String] {
    ["accounts", "transfers", "entries", "spending"].map { "ALTER TABLE \($0) RENAME TO ledger_\($0)" } + [
      "DROP INDEX accounts_of_user", "CREATE INDEX ledger_accounts_of_user ON ledger_accounts (user_name)",
      "DROP INDEX accounts_of_house",
      "CREATE UNIQUE INDEX ledger_accounts_of_house ON ledger_accounts (currency) WHERE user_name IS NULL",
      "DROP INDEX spending_by_hour", "CREATE INDEX ledger_spending_by_hour ON ledger_spending (hour)",
      "INSERT INTO service_versions (name, version) VALUES ('ledger', 1)",
      """
      UPDATE answers SET scope = 'ledger:' || substr(scope, \(transferPrefix.utf8.count + 1))
      WHERE scope LIKE '\(transferPrefix)%'
      """,
      // Challenges of a minute: clients ask for others, of the service's purpose.
      "DELETE FROM challenges WHERE purpose = 'transfer'",
    ]
  }

  /// Of step 1. Balances are stored with the accounts, and are the sums of the entries: `book` alone writes both.
  static func bank(_ dialect: SQLDialect) -> [String] {
    let (bytes, integer) = (dialect.bytes, dialect.integer)
    return [
      // The house's own accounts have no user.
      """
      CREATE TABLE accounts (
        number TEXT NOT NULL PRIMARY KEY CHECK (length(number) = 12),
        user_name TEXT REFERENCES users (name),
        name TEXT NOT NULL,
        currency TEXT NOT NULL CHECK (length(currency) = 3),
        balance \(integer) NOT NULL,
        overdraft \(integer) NOT NULL CHECK (overdraft >= 0),
        CHECK (balance >= - overdraft),
        UNIQUE (number, currency)
      )\(dialect.clustered)
      """,
      "CREATE INDEX accounts_of_user ON accounts (user_name)",
      "CREATE UNIQUE INDEX accounts_of_house ON accounts (currency) WHERE user_name IS NULL",
      """
      CREATE TABLE transfers (
        id \(bytes) NOT NULL PRIMARY KEY,
        booked \(integer) NOT NULL,
        device \(bytes),
        notes TEXT NOT NULL
      )\(dialect.clustered)
      """,
      """
      CREATE TABLE entries (
        transfer \(bytes) NOT NULL REFERENCES transfers (id),
        account TEXT NOT NULL,
        currency TEXT NOT NULL,
        amount \(integer) NOT NULL CHECK (amount <> 0),
        PRIMARY KEY (transfer, account),
        FOREIGN KEY (account, currency) REFERENCES accounts (number, currency)
      )\(dialect.clustered)
      """,
    ]
  }

  /// Of step 3: what an account has given in each hour.
  static func spending(_ dialect: SQLDialect) -> [String] {
    let integer = dialect.integer
    return [
      """
      CREATE TABLE spending (
        account TEXT NOT NULL,
        hour \(integer) NOT NULL,
        approved \(integer) NOT NULL,
        unapproved \(integer) NOT NULL,
        PRIMARY KEY (account, hour)
      )\(dialect.clustered)
      """,
      "CREATE INDEX spending_by_hour ON spending (hour)",
    ]
  }

  /// Step 5: the date that a transfer asked for. Transfers from before have none, as those without a date.
  static func dates(_ dialect: SQLDialect) -> [String] {
    ["ALTER TABLE transfers ADD COLUMN value_date \(dialect.integer)"]
  }
}
