/// Writes DER (X.690 8.1, 10.1), item after item.
struct DERWriter {
  /// What was written.
  private(set) var bytes: [UInt8] = []

  /// Tag, length in as few bytes as it takes, content.
  mutating func item(_ tag: DERTag, _ content: [UInt8]) {
    header(tag, content.count)
    bytes += content
  }

  /// Items that are DER already.
  mutating func append(_ items: [UInt8]) { bytes += items }

  /// An INTEGER of a number that is not negative, most significant byte first; zeros in front are left out.
  mutating func unsignedInteger(_ number: ArraySlice<UInt8>) {
    let digits = number.drop { $0 == 0 }
    let needsZero = digits.first.map { $0 >= 0x80 } ?? true
    header(.integer, digits.count + (needsZero ? 1 : 0))
    if needsZero { bytes.append(0) }
    bytes += digits
  }

  /// A BIT STRING of whole bytes.
  mutating func bitString(_ content: [UInt8]) {
    header(.bitString, content.count + 1)
    bytes.append(0)
    bytes += content
  }

  /// What was written as the content of one item.
  func wrapped(_ tag: DERTag) -> [UInt8] {
    var whole = DERWriter()
    whole.item(tag, bytes)
    return whole.bytes
  }

  private mutating func header(_ tag: DERTag, _ count: Int) {
    bytes.append(tag.rawValue)
    guard count > 0x7F else { return bytes.append(UInt8(count)) }
    let length = (0..<8).map { UInt8(truncatingIfNeeded: count >> (56 - 8 * $0)) }.drop { $0 == 0 }
    bytes.append(0x80 | UInt8(length.count))
    bytes += length
  }
}
