extension Schema {
  /// Step 7: which services have tables of their own, and at which version.
  static func services(_ dialect: SQLDialect) -> [String] {
    []
  }
}
