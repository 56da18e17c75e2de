extension Schema {
  /// Step 6: one-time enrollment tokens, profiles, and devices that wait for an approval.
  static func enrollmentTokens(_ dialect: SQLDialect) -> [String] {
    []
  }
}
