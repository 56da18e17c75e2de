/// Lengths of the Attribute Protocol that Apple's API states.
enum ATTLimits {
  /// The longest value of an attribute (Core 6.0 Vol 3 Part F 3.2.9).
  static let maximumValueLength = 512
  /// The longest value in one PDU of the smallest ATT_MTU, 23.
  static let minimumValueLength = 20

  /// What one PDU that carries a handle and a value has room for, of the value (Core 6.0 Vol 3 Part F 3.4.5.3, 3.4.7.1).
  static func valueLength(mtu: Int) -> Int { min(max(mtu - 3, minimumValueLength), maximumValueLength) }
}
