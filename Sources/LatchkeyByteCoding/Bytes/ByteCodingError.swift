/// What a decoder found wrong with bytes from outside.
///
/// Each case carries the name of the field that was being read, never the bytes: those may be secret.
public enum ByteCodingError: Error, Equatable, Sendable {
  /// The bytes ended before `field` did: it wants `needed` bytes and `available` are left.
  case truncated(field: StaticString, needed: Int, available: Int)
  /// `count` bytes follow after the last field of `structure`.
  case trailingBytes(structure: StaticString, count: Int)
  /// `field` holds a value that its specification forbids.
  case invalidValue(field: StaticString)
  /// A text is not hexadecimal: the digit at `offset` (in characters) is none.
  case notHexadecimal(offset: Int)
  /// A hexadecimal text has an odd number of digits.
  case oddHexadecimalDigits
  /// A text is not Base64: the character at `offset` (in UTF-8) is no digit of its form, or follows padding.
  case notBase64(offset: Int)
  /// A Base64 text ends within a group, or with padding that does not complete it.
  case invalidBase64Length
  /// A Base64 text has bits after the last byte that are not zero.
  case nonCanonicalBase64

  /// Equal kinds, fields and counts.
  public static func == (a: ByteCodingError, b: ByteCodingError) -> Bool {
    switch (a, b) {
    case (.truncated(let f, let n, let v), .truncated(let g, let m, let w)):
      f.description == g.description && n == m && v == w
    case (.trailingBytes(let s, let n), .trailingBytes(let t, let m)): s.description == t.description && n == m
    case (.invalidValue(let f), .invalidValue(let g)): f.description == g.description
    case (.notHexadecimal(let o), .notHexadecimal(let p)): o == p
    case (.oddHexadecimalDigits, .oddHexadecimalDigits): true
    case (.notBase64(let o), .notBase64(let p)): o == p
    case (.invalidBase64Length, .invalidBase64Length): true
    case (.nonCanonicalBase64, .nonCanonicalBase64): true
    default: false
    }
  }
}

extension ByteCodingError: CustomStringConvertible {
  /// What is wrong, in a sentence that names the field.
  public var description: String {
    switch self {
    case .truncated(let field, let needed, let available):
      "\(field) needs \(needed) bytes, but only \(available) are left"
    case .trailingBytes(let structure, let count): "\(count) bytes too many after \(structure)"
    case .invalidValue(let field): "\(field) has a value that is not allowed"
    case .notHexadecimal(let offset): "the character at offset \(offset) is not a hexadecimal digit"
    case .oddHexadecimalDigits: "a hexadecimal text needs an even number of digits"
    case .notBase64(let offset): "the character at offset \(offset) is not Base64"
    case .invalidBase64Length: "a Base64 text ends with too few or too many characters"
    case .nonCanonicalBase64: "a Base64 text ends with bits that are not zero"
    }
  }
}
