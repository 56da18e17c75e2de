package import LatchkeyByteCoding

/// A key of 128 bits in wire order: an LTK, IRK, CSRK, STK or TK (Core 6.0 Vol 3 Part H 2.4.1).
///
/// Its bytes are overwritten when the last copy goes, they are compared in constant time, and they never print.
package struct SecurityKey: Equatable, Sendable {
  /// The length, in bytes.
  package static let byteCount = 16

  private let storage: SecretBytes

  /// A key of 16 bytes; nil for another number.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    // Byte by byte: a collection of any kind would cost a call for each.
    storage = SecretBytes(count: Self.byteCount) { target in
      for index in target.indices { target[index] = bytes[index] }
    }
  }

  /// A key of the 16 bytes of an array, which is wiped; nil for another number.
  package init?(consuming bytes: inout [UInt8]) {
    defer { bytes.wipe() }
    self.init(bytes)
  }

  /// Reads 16 bytes.
  package init(from reader: inout ByteReader, _ field: StaticString) throws(ByteCodingError) {
    var bytes = try reader.bytes(Self.byteCount, field)
    guard let key = SecurityKey(consuming: &bytes) else { preconditionFailure("the reader returns as many bytes") }
    self = key
  }

  /// Zeros: no key.
  package static var zero: SecurityKey { SecurityKey(number: 0) }

  /// A number of at most 64 bits, such as a passkey or zero.
  init(number: UInt64) {
    storage = SecretBytes(count: Self.byteCount) { target in
      for index in 0..<8 { target[index] = UInt8(truncatingIfNeeded: number >> (8 * UInt64(index))) }
    }
  }

  private init(storage: SecretBytes) { self.storage = storage }

  /// Writes the bytes.
  package func encode(into writer: inout ByteWriter) { storage.withUnsafeBytes { writer.append($0) } }

  /// The bytes, for a PDU, a controller or a store. The caller wipes them.
  package var exposedBytes: [UInt8] { storage.array() }

  /// Whether all bits are zero.
  package var isZero: Bool {
    storage.withUnsafeBytes { bytes in
      var all: UInt8 = 0
      for byte in bytes { all |= byte }
      return all == 0
    }
  }

  /// The key with its most significant bytes beyond `size` set to zero (2.3.4).
  package func masked(toSize size: Int) -> SecurityKey {
    SecurityKey(
      storage: SecretBytes(count: Self.byteCount) { target in
        storage.withUnsafeBytes { bytes in
          for index in 0..<min(max(0, size), Self.byteCount) { target[index] = bytes[index] }
        }
      })
  }

  package static func == (a: SecurityKey, b: SecurityKey) -> Bool {
    a.storage.withUnsafeBytes { left in
      b.storage.withUnsafeBytes { right in
        var difference: UInt8 = 0
        for index in 0..<byteCount { difference |= left[index] ^ right[index] }
        return difference == 0
      }
    }
  }
}

extension SecurityKey: CustomStringConvertible, CustomReflectable {
  package var description: String { "a secret" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
