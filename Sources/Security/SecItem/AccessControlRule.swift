internal import LatchkeyKeychainModel

/// The consistency rules for an item's access control (Security-61901, SecItem.m and SecDbQuery.c).
enum AccessControlRule {
  /// Validates the access control of an item to add or update.
  ///
  /// - Throws: `.conflict` if the access control differs from a given accessibility, or if an item with constraints would be
  ///   synchronized.
  static func check(
    _ control: AccessControl?, with accessibility: Accessibility?, isSynchronizable: Bool
  ) throws(RequestFault) {
    guard let control else { return }
    if let accessibility, control != AccessControl(protection: accessibility) { throw .conflict }
    if isSynchronizable && control.isConstrained { throw .conflict }
  }
}
