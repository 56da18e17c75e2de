/// Base64 (RFC 4648 section 4) as XML property lists have it: white space anywhere, padding complete.
enum Base64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let padding = UInt8(ascii: "=")

  /// The bytes that `text` spells; nil if it is anything else.
  static func decode(_ text: [UInt8]) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3)
    var group: UInt32 = 0
    var digits = 0
    var padded = 0
    for byte in text where !XMLScanner.isSpace(byte) {
      if byte == padding {
        padded += 1
        continue
      }
      guard padded == 0, let value = value(of: byte) else { return nil }
      group = group << 6 | value
      digits += 1
      if digits == 4 {
        bytes.append(contentsOf: [
          UInt8(truncatingIfNeeded: group >> 16), UInt8(truncatingIfNeeded: group >> 8),
          UInt8(truncatingIfNeeded: group),
        ])
        (group, digits) = (0, 0)
      }
    }
    switch (digits, padded) {
    case (0, 0): return bytes
    // Bits that no byte takes are zero.
    case (2, 2) where group & 0x0F == 0: return bytes + [UInt8(truncatingIfNeeded: group >> 4)]
    case (3, 1) where group & 0x03 == 0:
      return bytes + [UInt8(truncatingIfNeeded: group >> 10), UInt8(truncatingIfNeeded: group >> 2)]
    default: return nil
    }
  }

  /// `bytes` without line breaks.
  static func encode(_ bytes: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let count = min(3, bytes.count - start)
      var group: UInt32 = 0
      for index in 0..<3 { group = group << 8 | (index < count ? UInt32(bytes[start + index]) : 0) }
      for index in 0..<4 {
        text.append(index <= count ? alphabet[Int(group >> UInt32(18 - 6 * index) & 0x3F)] : padding)
      }
    }
    return text
  }

  private static func value(of byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
