/// The value of an attribute, in the type of the caller's value: a text stays a text and bytes stay bytes.
public enum AttributeValue: Hashable, Sendable {
  /// A string (`CFString`).
  case text(String)
  /// Bytes (`CFData`).
  case bytes([UInt8])
  /// An integer, or a Boolean as 0 or 1 (`CFNumber`, `CFBoolean`).
  case number(Int64)
  /// A point in time, in seconds since 2001-01-01 00:00:00 UTC (`CFDate`, `CFAbsoluteTime`).
  case date(Double)

  /// The canonical encoding by which queries and primary keys compare values: two values are equal if their encodings are.
  /// A text equals bytes if its UTF-8, not normalized, equals them; numbers and dates compare by value. The first byte distinguishes
  /// texts and bytes (0), numbers (1) and dates (2).
  public var canonicalBytes: [UInt8] {
    switch self {
    case .text(let text): [0] + Array(text.utf8)
    case .bytes(let bytes): [0] + bytes
    case .number(let number): [1] + Self.bigEndian(UInt64(bitPattern: number))
    case .date(let seconds): [2] + Self.bigEndian(Self.canonicalBits(of: seconds))
    }
  }

  /// Whether a query for `self` finds an item whose attribute is `other`.
  public func matches(_ other: AttributeValue) -> Bool {
    switch (self, other) {
    case (.text(let a), .text(let b)): a.utf8.elementsEqual(b.utf8)
    case (.bytes(let a), .bytes(let b)): a == b
    case (.text(let a), .bytes(let b)): a.utf8.elementsEqual(b)
    case (.bytes(let a), .text(let b)): b.utf8.elementsEqual(a)
    case (.number(let a), .number(let b)): a == b
    case (.date(let a), .date(let b)): Self.canonicalBits(of: a) == Self.canonicalBits(of: b)
    default: false
    }
  }

  /// Whether the value equals an absent attribute: no bytes, or 0.
  public var isEmptyOrZero: Bool {
    switch self {
    case .text(let text): text.isEmpty
    case .bytes(let bytes): bytes.isEmpty
    case .number(let number): number == 0
    case .date: false
    }
  }

  /// The bits of IEEE 754: those of 0 for both zeros, and the same for each value that is not a number.
  private static func canonicalBits(of seconds: Double) -> UInt64 {
    if seconds.isNaN { return Double.nan.bitPattern }
    return seconds == 0 ? 0 : seconds.bitPattern
  }

  private static func bigEndian(_ value: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) }
  }
}
