extension Schema {
  /// Step 16: the orders of ACME.
  static func acme(_ dialect: SQLDialect) -> [String] {
    let (bytes, integer) = (dialect.bytes, dialect.integer)
    return [
      """
      CREATE TABLE acme_orders (
        id \(bytes) NOT NULL PRIMARY KEY,
        account \(bytes) NOT NULL,
        token \(bytes) NOT NULL,
        identifier \(bytes) NOT NULL,
        profile TEXT,
        challenge \(bytes) NOT NULL,
        expires \(integer) NOT NULL,
        answered \(integer),
        identity_key \(bytes),
        identity_evidence TEXT,
        identity_names TEXT,
        signing_request \(bytes)
      )\(dialect.clustered)
      """,
      "CREATE INDEX acme_orders_by_end ON acme_orders (expires)",
      "CREATE INDEX acme_orders_of_account ON acme_orders (account)",
      "CREATE INDEX acme_orders_of_token ON acme_orders (token)",
    ]
  }
}
