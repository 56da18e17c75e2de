/// The characters that XML 1.0 allows (section 2.2).
enum XMLCharacter {
  /// Whether a document may contain `scalar`, directly or as a reference.
  static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A, 0x0D: true
    case ..<0x20, 0xFFFE, 0xFFFF: false
    default: true
    }
  }

  /// Returns the length of the longest prefix of `bytes` that is UTF-8.
  static func validPrefix(of bytes: [UInt8]) -> Int {
    var decoder = UTF8()
    var iterator = bytes.makeIterator()
    var valid = 0
    while case .scalarValue(let scalar) = decoder.decode(&iterator) { valid += String(scalar).utf8.count }
    return valid
  }
}
