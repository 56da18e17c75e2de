import LatchkeyByteCoding

/// Reads the data types of SSH (RFC 4251 5): strings with a length of four bytes, and numbers in them.
struct SSHReader {
  private var reader: ByteReader

  init(_ bytes: [UInt8]) { reader = ByteReader(bytes) }

  mutating func string() throws(KeyError) -> [UInt8] {
    do throws(ByteCodingError) {
      let count = try reader.uint32BigEndian("length")
      return try reader.bytes(Int(count), "string")
    } catch {
      throw .malformed("no OpenSSH key: \(error)")
    }
  }

  /// Reads a non-negative mpint, without the sign's leading zero.
  mutating func unsignedInteger() throws(KeyError) -> [UInt8] {
    let bytes = try string()
    guard let first = bytes.first else { return [] }
    guard first < 0x80 else { throw .malformed("a number below zero") }
    guard first == 0 else { return bytes }
    guard bytes.count > 1, bytes[1] >= 0x80 else { throw .malformed("a number longer than it need be") }
    return Array(bytes.dropFirst())
  }

  func finish() throws(KeyError) {
    guard reader.isEmpty else { throw .malformed("\(reader.remaining) bytes after the end of an OpenSSH key") }
  }
}

/// Writes the data types of SSH (RFC 4251 5).
struct SSHWriter {
  private var writer = ByteWriter(capacity: 128)

  /// The written bytes.
  var bytes: [UInt8] { writer.bytes }

  mutating func string(_ bytes: [UInt8]) {
    writer.uint32(UInt32(truncatingIfNeeded: bytes.count).byteSwapped)
    writer.append(bytes)
  }

  /// Writes a non-negative number, most significant byte first, without leading zeros.
  mutating func unsignedInteger(_ digits: [UInt8]) {
    string((digits.first ?? 0) >= 0x80 ? [0] + digits : digits)
  }
}
