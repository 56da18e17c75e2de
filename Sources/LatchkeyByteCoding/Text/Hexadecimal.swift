/// Bytes as hexadecimal text, and back.
public enum Hexadecimal {
  /// `bytes` as lower-case digits, two for each byte, no separators.
  public static func encode(_ bytes: some Sequence<UInt8>) -> String {
    // A loop over an array is compiled for it, and one over any sequence is not.
    let bytes = Array(bytes)
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count * 2)
    for byte in bytes {
      text.append(digit(byte >> 4))
      text.append(digit(byte & 0x0F))
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes that `text` spells: digits in either case, spaces anywhere, nothing else.
  ///
  /// - Throws: `notHexadecimal` with the character's offset, or `oddHexadecimalDigits`.
  public static func decode(_ text: some StringProtocol) throws(ByteCodingError) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count / 2)
    var high: UInt8?
    for (offset, character) in text.enumerated() {
      if character == " " { continue }
      guard let ascii = character.asciiValue, let value = value(ofDigit: ascii) else {
        throw .notHexadecimal(offset: offset)
      }
      if let first = high {
        bytes.append(first << 4 | value)
        high = nil
      } else {
        high = value
      }
    }
    guard high == nil else { throw .oddHexadecimalDigits }
    return bytes
  }

  private static func digit(_ nibble: UInt8) -> UInt8 { nibble < 10 ? 0x30 + nibble : 0x57 + nibble }

  private static func value(ofDigit ascii: UInt8) -> UInt8? {
    switch ascii {
    case 0x30...0x39: ascii - 0x30
    case 0x41...0x46: ascii - 0x37
    case 0x61...0x66: ascii - 0x57
    default: nil
    }
  }
}
