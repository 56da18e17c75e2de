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

  /// An address type. The types of an identity address (0x02, 0x03) read as public and random: this host and the
  /// emulated controllers have no resolving list, without which they are used alike.
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
}

extension ByteWriter {
  package mutating func status(_ status: HCIStatus) { uint8(status.rawValue) }

  package mutating func flag(_ flag: Bool) { uint8(flag ? 0x01 : 0x00) }

  package mutating func typedAddress(_ address: BluetoothAddress) {
    uint8(address.kind.rawValue)
    address.encode(into: &self)
  }
}
