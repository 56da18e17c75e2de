/// Why an operator revokes something: the reasons of RFC 5280 5.3.1 that an operator can know.
///
/// `superseded` (4) is not among them: servers use it for certificates of a key that its device changed.
public enum RevocationReason: Int, Sendable, Hashable, CaseIterable {
  /// No reason is given.
  case unspecified = 0
  /// Another may have the key.
  case keyCompromise = 1
  /// The device has another owner or place.
  case affiliationChanged = 3
  /// The device is no longer used.
  case cessationOfOperation = 5
  /// The device may no longer do what the certificate allows.
  case privilegeWithdrawn = 9

  /// The reason of a name, as RFC 5280 writes it: `keyCompromise`.
  public init?(name: String) {
    guard let reason = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = reason
  }

  /// The name in RFC 5280.
  public var name: String { "\(self)" }
}
