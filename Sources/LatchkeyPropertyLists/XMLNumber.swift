/// Numbers in XML property lists.
enum XMLNumber {
  /// Whether `text` is an optional sign and decimal digits, or `0x` and hexadecimal ones.
  static func isInteger(_ text: String) -> Bool {
    let (_, digits, radix) = parts(text)
    return !digits.isEmpty && digits.utf8.allSatisfy { isDigit($0, radix: radix) }
  }

  /// Parses a number; nil if it exceeds 64 bits.
  static func integer(_ text: String) -> PropertyList? {
    let (isNegative, digits, radix) = parts(text)
    guard let magnitude = UInt64(digits, radix: radix) else { return nil }
    guard isNegative else { return Int64(exactly: magnitude).map { .integer($0) } ?? .unsigned(magnitude) }
    guard magnitude <= UInt64(Int64.max) + 1 else { return nil }
    return .integer(Int64(truncatingIfNeeded: 0 &- magnitude))
  }

  /// Parses a decimal number, `nan`, or `infinity` with or without a sign.
  static func real(_ text: String) -> Double? {
    switch text.lowercased() {
    case "nan": return .nan
    case "inf", "+inf", "infinity", "+infinity": return .infinity
    case "-inf", "-infinity": return -.infinity
    default:
      // `Double` accepts more spellings than the format has.
      guard text.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }) else { return nil }
      return Double(text)
    }
  }

  /// Formats `value` so that `real` returns the same bits (except the payload of a NaN).
  static func text(_ value: Double) -> String {
    if value.isNaN { return "nan" }
    if value.isInfinite { return value < 0 ? "-infinity" : "+infinity" }
    return value.description
  }

  private static func parts(_ text: String) -> (isNegative: Bool, digits: Substring, radix: Int) {
    var digits = text[...]
    let isNegative = digits.first == "-"
    if isNegative || digits.first == "+" { digits.removeFirst() }
    guard digits.hasPrefix("0x") || digits.hasPrefix("0X") else { return (isNegative, digits, 10) }
    return (isNegative, digits.dropFirst(2), 16)
  }

  private static func isDigit(_ byte: UInt8, radix: Int) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): true
    case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"): radix == 16
    default: false
    }
  }
}
