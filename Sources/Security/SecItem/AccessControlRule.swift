internal import LatchkeyKeychainModel

/// What an item's access control must agree with (Security-61901, SecItem.m and SecDbQuery.c).
enum AccessControlRule {
  /// Checks the access control of an item that is added or changed.
  ///
  /// - Throws: `.conflict` if an accessibility stands beside an access control that says anything else, or if an item
  ///   with constraints would be synchronized.
  static func check(
    _ control: AccessControl?, with accessibility: Accessibility?, isSynchronizable: Bool
  ) throws(RequestFault) {
    guard let control else { return }
    if let accessibility, control != AccessControl(protection: accessibility) { throw .conflict }
    if isSynchronizable && control.isConstrained { throw .conflict }
  }
}
