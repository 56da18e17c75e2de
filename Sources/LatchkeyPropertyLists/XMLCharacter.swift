/// Which characters XML 1.0 allows (section 2.2).
enum XMLCharacter {
  /// Whether a document may hold `scalar`, written as itself or by number.
  static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A, 0x0D: true
    case ..<0x20, 0xFFFE, 0xFFFF: false
    default: true
    }
  }

  /// How many bytes of `bytes`, from the start, are UTF-8.
  static func validPrefix(of bytes: [UInt8]) -> Int {
    var decoder = UTF8()
    var iterator = bytes.makeIterator()
    var valid = 0
    while case .scalarValue(let scalar) = decoder.decode(&iterator) { valid += String(scalar).utf8.count }
    return valid
  }
}
