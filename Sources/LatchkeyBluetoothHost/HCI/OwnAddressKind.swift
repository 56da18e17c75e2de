import LatchkeyByteCoding

/// The address of its own that a controller uses while it advertises, scans or initiates (Core 6.0 Vol 4 Part E 7.8.5, 7.8.10,
/// 7.8.12, Own_Address_Type).
package enum OwnAddressKind: UInt8, Sendable {
  case `public` = 0x00
  /// The random address that the host has set.
  case random = 0x01
  /// A private address that the controller makes with the local IRK of the peer's entry in its resolving list; the public
  /// address for a peer without one.
  case privateOrPublic = 0x02
  /// The same; the random address for a peer without one.
  case privateOrRandom = 0x03

  /// The kind of the address that the controller does not make itself.
  package var fixed: BluetoothAddress.Kind {
    switch self {
    case .public, .privateOrPublic: .public
    case .random, .privateOrRandom: .random
    }
  }

  /// Whether the controller makes private addresses.
  package var isPrivate: Bool { self == .privateOrPublic || self == .privateOrRandom }
}

extension ByteReader {
  /// Own_Address_Type.
  mutating func ownAddressKind() throws(ByteCodingError) -> OwnAddressKind {
    guard let kind = OwnAddressKind(rawValue: try uint8("Own_Address_Type")) else {
      throw .invalidValue(field: "Own_Address_Type")
    }
    return kind
  }
}
