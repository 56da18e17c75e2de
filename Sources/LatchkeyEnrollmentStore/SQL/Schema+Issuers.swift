extension Schema {
  /// Step 8: which authority issued a certificate, by its key identifier. Certificates from before have none.
  static func issuers(_ dialect: SQLDialect) -> [String] {
    ["ALTER TABLE certificates ADD COLUMN issuer \(dialect.bytes)"]
  }
}
