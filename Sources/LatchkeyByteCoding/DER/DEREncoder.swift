/// Writes DER (X.690 8.1, 10.1), value after value.
package struct DEREncoder {
  /// The values written so far.
  package private(set) var bytes: [UInt8] = []

  package init() {}

  /// Tag, length in as few bytes as it needs, content.
  package mutating func item(_ tag: ASN1Tag, _ content: [UInt8]) { item(tag: tag.rawValue, content) }

  /// Tag, length in as few bytes as it needs, content.
  package mutating func item(tag: UInt8, _ content: [UInt8]) {
    header(tag, content.count)
    bytes += content
  }

  private mutating func header(_ tag: UInt8, _ count: Int) {
    // Many encoders write one value alone, which then needs one allocation.
    if bytes.isEmpty { bytes.reserveCapacity(count + 6) }
    bytes.append(tag)
    if count > 0x7F { bytes += Self.length(count) } else { bytes.append(UInt8(count)) }
  }

  /// A length in as few bytes as it needs.
  package static func length(_ count: Int) -> [UInt8] {
    guard count > 0x7F else { return [UInt8(count)] }
    let digits = (0..<8).map { UInt8(truncatingIfNeeded: count >> (56 - 8 * $0)) }.drop { $0 == 0 }
    return [0x80 | UInt8(digits.count)] + digits
  }

  /// A value of values.
  package mutating func nested<Failure: Error>(
    _ tag: ASN1Tag, _ body: (inout DEREncoder) throws(Failure) -> Void
  ) throws(Failure) {
    var inner = DEREncoder()
    try body(&inner)
    item(tag, inner.bytes)
  }

  /// An INTEGER that is not negative.
  package mutating func number(_ value: Int) {
    let digits = (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) }.drop { $0 == 0 }
    item(.integer, (digits.first ?? 0x80) >= 0x80 ? [0] + digits : Array(digits))
  }

  /// An INTEGER of a number that is not negative, most significant byte first.
  package mutating func unsignedInteger(_ number: [UInt8]) { unsignedInteger(number[...]) }

  /// An INTEGER of a number that is not negative, most significant byte first.
  package mutating func unsignedInteger(_ number: ArraySlice<UInt8>) {
    let digits = number.drop { $0 == 0 }
    let needsZero = (digits.first ?? 0x80) >= 0x80
    header(ASN1Tag.integer.rawValue, digits.count + (needsZero ? 1 : 0))
    if needsZero { bytes.append(0) }
    bytes += digits
  }

  /// A BIT STRING of whole bytes (X.690 8.6).
  package mutating func bitString(_ content: [UInt8]) {
    header(ASN1Tag.bitString.rawValue, content.count + 1)
    bytes.append(0)
    bytes += content
  }

  /// An OBJECT IDENTIFIER.
  package mutating func identifier(_ identifier: DERObjectIdentifier) { item(.objectIdentifier, identifier.content) }

  /// Values that are DER already.
  package mutating func append(_ values: [UInt8]) { bytes += values }

  /// A SEQUENCE of what `body` writes, or the error that it throws.
  package static func sequence<Failure: Error>(
    _ body: (inout DEREncoder) throws(Failure) -> Void
  ) throws(Failure) -> [UInt8] {
    var whole = DEREncoder()
    try whole.nested(.sequence, body)
    return whole.bytes
  }
}
