/// An amount of money in minor units (cents), never a binary fraction.
public struct Amount: Sendable, Hashable, Comparable {
  /// Minor units: 2323 is 23.23.
  public let minorUnits: Int64

  /// Creates an amount of minor units.
  public init(minorUnits: Int64) { self.minorUnits = minorUnits }

  /// Parses decimal text: digits, and a point with exactly two digits after it; nothing else, at most 15 digits before.
  ///
  /// - Returns: nil for any other text: signs, exponents, separators, more or fewer decimals.
  public init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count >= 4, bytes.count <= 18, bytes[bytes.count - 3] == UInt8(ascii: ".") else { return nil }
    var value: Int64 = 0
    for (index, byte) in bytes.enumerated() where index != bytes.count - 3 {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      value = value * 10 + Int64(byte - UInt8(ascii: "0"))
    }
    if bytes.count > 4, bytes[0] == UInt8(ascii: "0") { return nil }
    minorUnits = value
  }

  /// Orders by value.
  public static func < (a: Amount, b: Amount) -> Bool { a.minorUnits < b.minorUnits }
}

extension Amount: CustomStringConvertible {
  /// Decimal text with two decimals: `23.23`, `-0.05`.
  public var description: String {
    let magnitude = minorUnits.magnitude
    let cents = magnitude % 100
    return "\(minorUnits < 0 ? "-" : "")\(magnitude / 100).\(cents < 10 ? "0" : "")\(cents)"
  }
}

extension Amount: Codable {
  /// Decodes decimal text.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    let negative = text.hasPrefix("-")
    guard let value = Amount(negative ? String(text.dropFirst()) : text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "an amount is decimal text with two decimals, such as \"23.23\"")
    }
    minorUnits = negative ? -value.minorUnits : value.minorUnits
  }

  /// Encodes decimal text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
