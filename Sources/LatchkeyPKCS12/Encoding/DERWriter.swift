/// Writes DER (X.690 8.1, 10.1), value after value.
struct DERWriter {
  /// What was written.
  private(set) var bytes: [UInt8] = []

  /// Tag, length in as few bytes as it takes, content.
  mutating func item(_ tag: ASN1Tag, _ content: [UInt8]) { item(tag: tag.rawValue, content) }

  /// Tag, length in as few bytes as it takes, content.
  mutating func item(tag: UInt8, _ content: [UInt8]) {
    bytes.append(tag)
    bytes += Self.length(content.count)
    bytes += content
  }

  /// A length in as few bytes as it takes.
  static func length(_ count: Int) -> [UInt8] {
    guard count > 0x7F else { return [UInt8(count)] }
    let digits = (0..<8).map { UInt8(truncatingIfNeeded: count >> (56 - 8 * $0)) }.drop { $0 == 0 }
    return [0x80 | UInt8(digits.count)] + digits
  }

  /// A value of values.
  mutating func nested(_ tag: ASN1Tag, _ body: (inout DERWriter) -> Void) {
    var inner = DERWriter()
    body(&inner)
    item(tag, inner.bytes)
  }

  /// An INTEGER that is not negative.
  mutating func number(_ value: Int) {
    let digits = (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) }.drop { $0 == 0 }
    item(.integer, (digits.first ?? 0x80) >= 0x80 ? [0] + digits : Array(digits))
  }

  /// An INTEGER of a number that is not negative, most significant byte first.
  mutating func unsignedInteger(_ number: [UInt8]) {
    let digits = number.drop { $0 == 0 }
    item(.integer, (digits.first ?? 0x80) >= 0x80 ? [0] + digits : Array(digits))
  }

  /// An OBJECT IDENTIFIER.
  mutating func identifier(_ identifier: ObjectIdentifier) { item(.objectIdentifier, identifier.content) }

  /// Values that are DER already.
  mutating func append(_ values: [UInt8]) { bytes += values }

  /// A SEQUENCE of what `body` writes.
  static func sequence(_ body: (inout DERWriter) -> Void) -> [UInt8] {
    var whole = DERWriter()
    whole.nested(.sequence, body)
    return whole.bytes
  }

  /// A SEQUENCE of what `body` writes, or what it throws.
  static func throwingSequence(
    _ body: (inout DERWriter) throws(PKCS12Error) -> Void
  ) throws(PKCS12Error) -> [UInt8] {
    var (whole, inner) = (DERWriter(), DERWriter())
    try body(&inner)
    whole.item(.sequence, inner.bytes)
    return whole.bytes
  }
}
