extension Schema {
  /// Step 8: administrators and their roles, and what servers of one store share.
  static func administration(_ dialect: SQLDialect) -> [String] {
    []
  }
}
