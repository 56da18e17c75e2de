import LatchkeyByteCoding

/// Prefixes bytes with their length and pads them with zeros to a multiple of 16 bytes, so that the ciphertext reveals little
/// about the length.
enum PaddedBytes {
  private static let step = 16

  static func encode(_ bytes: [UInt8]) -> [UInt8] {
    let size = (4 + bytes.count + step - 1) / step * step
    var writer = ByteWriter(capacity: size)
    writer.uint32(UInt32(truncatingIfNeeded: bytes.count))
    writer.append(bytes)
    writer.zeros(size - writer.count)
    return writer.bytes
  }

  /// - Throws: `ByteCodingError` for anything that ``encode(_:)`` does not make.
  static func decode(_ padded: [UInt8]) throws(ByteCodingError) -> [UInt8] {
    var reader = ByteReader(padded)
    let bytes = try reader.bytes(Int(try reader.uint32("length of padded bytes")), "padded bytes")
    guard reader.remaining < step, padded.count.isMultiple(of: step) else {
      throw .invalidValue(field: "length of padding")
    }
    while !reader.isEmpty {
      guard try reader.uint8("padding") == 0 else { throw .invalidValue(field: "padding") }
    }
    return bytes
  }
}
