/// The value of an entitlement, by the types of a property list.
package indirect enum EntitlementValue: Hashable, Sendable {
  /// A text.
  case text(String)
  /// Bytes.
  case bytes([UInt8])
  /// An integer.
  case number(Int64)
  /// An integer above `Int64.max`.
  case unsigned(UInt64)
  /// A number with a fraction.
  case real(Double)
  /// A Boolean.
  case flag(Bool)
  /// A date, in seconds since 2001-01-01 00:00:00 UTC.
  case date(Double)
  /// Values in order.
  case list([EntitlementValue])
  /// Values by name.
  case dictionary([String: EntitlementValue])
}
