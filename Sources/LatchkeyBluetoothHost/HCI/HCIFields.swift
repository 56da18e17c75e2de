package import LatchkeyByteCoding

// Fields that many commands and events share.

extension ByteReader {
  /// An error code (Core 6.0 Vol 1 Part F).
  package mutating func status(_ field: StaticString = "Status") throws(ByteCodingError) -> HCIStatus {
    HCIStatus(rawValue: try uint8(field))
  }

  /// 0x00 or 0x01; other values are reserved.
  package mutating func flag(_ field: StaticString) throws(ByteCodingError) -> Bool {
    switch try uint8(field) {
    case 0x00: false
    case 0x01: true
    default: throw .invalidValue(field: field)
    }
  }

  /// An address type. The types of an identity address (0x02, 0x03) read as public and random: a command means the same
  /// by them.
  package mutating func addressKind(_ field: StaticString) throws(ByteCodingError) -> BluetoothAddress.Kind {
    switch try uint8(field) {
    case 0x00, 0x02: .public
    case 0x01, 0x03: .random
    default: throw .invalidValue(field: field)
    }
  }

  /// An address that follows its type.
  package mutating func typedAddress(_ field: StaticString) throws(ByteCodingError) -> BluetoothAddress {
    let kind = try addressKind(field)
    return try BluetoothAddress(from: &self, kind: kind)
  }

  /// An address in an event that follows its type, and whether it is an identity address in place of the private one on the
  /// air, which the controller has resolved.
  mutating func resolvedAddress(
    _ field: StaticString
  ) throws(ByteCodingError) -> (address: BluetoothAddress, isResolved: Bool) {
    let isResolved = peek().map { $0 == 0x02 || $0 == 0x03 } ?? false
    return (try typedAddress(field), isResolved)
  }

  /// The identity address by which an entry of a resolving list is named, after its type: public or random, no others.
  mutating func identityAddress() throws(ByteCodingError) -> BluetoothAddress {
    guard let kind = BluetoothAddress.Kind(rawValue: try uint8("Peer_Identity_Address_Type")) else {
      throw .invalidValue(field: "Peer_Identity_Address_Type")
    }
    return try BluetoothAddress(from: &self, kind: kind)
  }
}

extension ByteWriter {
  package mutating func status(_ status: HCIStatus) { uint8(status.rawValue) }

  package mutating func flag(_ flag: Bool) { uint8(flag ? 0x01 : 0x00) }

  /// - Parameter isResolved: whether the type says that the controller has resolved a private address to this one.
  package mutating func typedAddress(_ address: BluetoothAddress, isResolved: Bool = false) {
    uint8(address.kind.rawValue | (isResolved ? 0x02 : 0x00))
    address.encode(into: &self)
  }
}
