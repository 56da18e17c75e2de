extension Schema {
  /// Step 9: authorities, and the certificates that each has issued.
  static func issuers(_ dialect: SQLDialect) -> [String] {
    []
  }
}
