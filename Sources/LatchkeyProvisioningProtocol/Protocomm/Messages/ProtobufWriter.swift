import LatchkeyByteCoding

/// Writes the fields of one message in the order of the calls; proto3 leaves out numbers that are zero, and bytes that are none.
package struct ProtobufWriter: Sendable {
  package private(set) var bytes: [UInt8] = []

  /// With room for a whole message, so that no part of one stays behind where it grew.
  package init() { bytes.reserveCapacity(ProtocommEndpoint.greatestLength) }

  /// A message that `fill` writes.
  package static func message(_ fill: (inout ProtobufWriter) -> Void) -> [UInt8] {
    var writer = ProtobufWriter()
    fill(&writer)
    return writer.bytes
  }

  /// A number; zero is written only where a oneof needs the field.
  mutating func integer(_ field: Int, _ value: UInt64, evenZero: Bool = false) {
    guard value != 0 || evenZero else { return }
    variable(UInt64(field) << 3)
    variable(value)
  }

  /// A signed number: below zero it has ten bytes.
  mutating func int32(_ field: Int, _ value: Int32) {
    integer(field, UInt64(bitPattern: Int64(value)))
  }

  mutating func bytes(_ field: Int, _ value: [UInt8]) {
    guard !value.isEmpty else { return }
    message(field, value)
  }

  /// Bytes that nothing else is to hold: the caller wipes the whole.
  mutating func secret(_ field: Int, _ value: SecretBytes) {
    guard value.count > 0 else { return }
    variable(UInt64(field) << 3 | 2)
    variable(UInt64(value.count))
    value.withUnsafeBytes { bytes.append(contentsOf: $0) }
  }

  /// A message within, which is there even if it is empty.
  mutating func message(_ field: Int, _ value: [UInt8]) {
    variable(UInt64(field) << 3 | 2)
    variable(UInt64(value.count))
    bytes += value
  }

  private mutating func variable(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }
}
