/// One attribute of a server (Core 6.0 Vol 3 Part F 3.2).
package struct GATTAttribute: Sendable {
  /// Where the value is stored.
  package enum Content: Sendable {
    /// No attribute: the handle is free.
    case vacant
    /// In the database, read-only.
    case fixed([UInt8])
    /// With the owner, who is asked at each access.
    case dynamic
    /// Per link: the Client Characteristic Configuration of a characteristic.
    case configuration(valueHandle: AttributeHandle, properties: GATTProperties)
    /// Per link: the Client Supported Features.
    case clientFeatures
  }

  /// The type.
  package var type: BluetoothUUID
  /// The permitted accesses.
  package var permissions: GATTPermissions
  /// The value, or where it is stored.
  package var content: Content
  /// The client that added it; nil for the database's own attributes.
  package var owner: ClientID?
  /// Whether the owner is asked before a Write Request of a client configuration takes effect.
  package var asksOwner = false
  /// The last attribute of the group that a declaration begins; any other attribute's own handle (Part G 2.5.3).
  package var groupEnd: AttributeHandle

  /// A free handle.
  static let vacant = GATTAttribute(
    type: BluetoothUUID(0 as UInt16), permissions: [], content: .vacant, owner: nil, groupEnd: 0)

  /// Whether there is no attribute.
  var isVacant: Bool {
    guard case .vacant = content else { return false }
    return true
  }

  /// The error for a read that is not permitted on a link; nil if it is (Core 6.0 Vol 3 Part F 4.1, Part C 10.3.1).
  @inline(__always)
  func readRefusal(for security: LinkSecurity, hasKey: Bool, leastKeySize: UInt8) -> ATTErrorCode? {
    let read = permissions.intersection(.reading)
    // Most attributes need nothing.
    if read == .readable { return nil }
    if read.isEmpty { return .readNotPermitted }
    return security.refusal(
      needsAuthentication: read.contains(.readAuthenticationRequired), hasKey: hasKey, leastKeySize: leastKeySize)
  }

  /// The error for a write that is not permitted on a link; nil if it is.
  @inline(__always)
  func writeRefusal(for security: LinkSecurity, hasKey: Bool, leastKeySize: UInt8) -> ATTErrorCode? {
    let write = permissions.intersection(.writing)
    if write == .writeable { return nil }
    if write.isEmpty { return .writeNotPermitted }
    return security.refusal(
      needsAuthentication: write.contains(.writeAuthenticationRequired), hasKey: hasKey, leastKeySize: leastKeySize)
  }
}
