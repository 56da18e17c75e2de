import LatchkeyByteCoding

extension CBORValue {
  /// The core deterministic encoding (RFC 8949 4.2.1).
  package var encoded: [UInt8] {
    var writer = ByteWriter(capacity: 256)
    write(to: &writer)
    return writer.bytes
  }

  private func write(to writer: inout ByteWriter) {
    switch self {
    case .unsigned(let value): writer.head(major: 0, value)
    case .negative(let value): writer.head(major: 1, value)
    case .bytes(let bytes):
      writer.head(major: 2, UInt64(bytes.count))
      writer.append(bytes)
    case .text(let text): writer.text(Array(text.utf8))
    case .array(let values):
      writer.head(major: 4, UInt64(values.count))
      for value in values { value.write(to: &writer) }
    case .map(let entries):
      writer.head(major: 5, UInt64(entries.count))
      let sorted = entries.map { (key: Array($0.key.utf8), value: $0.value) }.sorted {
        $0.key.isOrderedBefore($1.key)
      }
      for entry in sorted {
        writer.text(entry.key)
        entry.value.write(to: &writer)
      }
    case .boolean(let value): writer.uint8(value ? 0xF5 : 0xF4)
    }
  }
}

extension ByteWriter {
  /// Writes the initial byte and its argument in the shortest form.
  fileprivate mutating func head(major: UInt8, _ argument: UInt64) {
    let type = major << 5
    switch argument {
    case 0..<24: uint8(type | UInt8(argument))
    case 0...0xFF:
      uint8(type | 24)
      uint8(UInt8(argument))
    case 0...0xFFFF:
      uint8(type | 25)
      uint16BigEndian(UInt16(argument))
    case 0...0xFFFF_FFFF:
      uint8(type | 26)
      uint32BigEndian(UInt32(argument))
    default:
      uint8(type | 27)
      uint64BigEndian(argument)
    }
  }

  fileprivate mutating func text(_ utf8: [UInt8]) {
    head(major: 3, UInt64(utf8.count))
    append(utf8)
  }
}
