/// One attribute of a server (Core 6.0 Vol 3 Part F 3.2).
package struct GATTAttribute: Sendable {
  /// Where the value is.
  package enum Content: Sendable {
    /// No attribute: the handle is free.
    case vacant
    /// Here, for reading alone.
    case fixed([UInt8])
    /// With the owner, who is asked at each access.
    case dynamic
    /// With each link: the Client Characteristic Configuration of a characteristic.
    case configuration(valueHandle: AttributeHandle, properties: GATTProperties)
  }

  /// The type.
  package var type: BluetoothUUID
  /// What may be done with the value.
  package var permissions: GATTPermissions
  /// The value, or where it is.
  package var content: Content
  /// Who added it; nil for what the database brings along.
  package var owner: ClientID?
  /// The last attribute of the group that a declaration begins; any other attribute's own handle (Part G 2.5.3).
  package var groupEnd: AttributeHandle

  /// A handle that is free.
  static let vacant = GATTAttribute(
    type: BluetoothUUID(0 as UInt16), permissions: [], content: .vacant, owner: nil, groupEnd: 0)

  /// Whether there is no attribute.
  var isVacant: Bool {
    guard case .vacant = content else { return false }
    return true
  }

  /// Why the value may not be read, if so. This host keeps no keys, and without one the peer is to authenticate: with one
  /// it would be told to encrypt (Core 6.0 Vol 3 Part F 4.1, Part C 10.3.1).
  @inline(__always)
  func readRefusal(isEncrypted: Bool) -> ATTErrorCode? {
    if permissions.isDisjoint(with: [.readable, .readEncryptionRequired]) { return .readNotPermitted }
    return permissions.contains(.readEncryptionRequired) && !isEncrypted ? .insufficientAuthentication : nil
  }

  /// Why the value may not be written, if so.
  @inline(__always)
  func writeRefusal(isEncrypted: Bool) -> ATTErrorCode? {
    if permissions.isDisjoint(with: [.writeable, .writeEncryptionRequired]) { return .writeNotPermitted }
    return permissions.contains(.writeEncryptionRequired) && !isEncrypted ? .insufficientAuthentication : nil
  }
}
