/// The rules that a reader holds values to.
package enum ASN1EncodingRules: Sendable {
  /// Definite lengths and numbers in as few bytes as they need, strings in one part (X.690 10).
  case der
  /// Also indefinite lengths, longer lengths than needed, and strings in parts (X.690 8), which PKCS #12 files have.
  case ber
}

/// A cursor over DER or BER (X.690). It reads no further than its end, nests no deeper than its limit, and copies only
/// what is asked for.
///
/// It throws the error of the layer that reads: see ``BERFailure``.
///
/// Keys, signatures and PKCS #12 files are read and written with this reader and ``DEREncoder``: they hold secrets, or
/// appear in targets that do not import a package for them. Certificates, signing requests and revocation lists are
/// read with swift-asn1 and swift-certificates, which also build and verify them.
package struct BERReader<Failure: BERFailure>: Sendable {
  /// One value: its tag, and a reader over its content.
  package struct Element: Sendable {
    package let tag: UInt8
    package let content: BERReader

    package var isConstructed: Bool { tag & 0x20 != 0 }
  }

  private let storage: BERStorage
  private var position: Int
  private let end: Int
  let rules: ASN1EncodingRules
  /// How many levels may still open.
  private let levels: Int

  /// A reader over all of `secret`, in which values nest at most `depth` deep. The last reader over the bytes wipes them.
  package init(_ secret: SecretBytes, rules: ASN1EncodingRules, depth: Int) {
    self.init(storage: .secret(secret), position: 0, end: secret.count, rules: rules, levels: depth)
  }

  /// A reader over all of `bytes`, in which values nest at most `depth` deep. The bytes are public, or the caller wipes
  /// them after the last reader is gone. They are not copied.
  package init(_ bytes: [UInt8], rules: ASN1EncodingRules, depth: Int) {
    self.init(storage: .plain(bytes), position: 0, end: bytes.count, rules: rules, levels: depth)
  }

  private init(storage: BERStorage, position: Int, end: Int, rules: ASN1EncodingRules, levels: Int) {
    self.rules = rules
    self.storage = storage
    self.position = position
    self.end = end
    self.levels = levels
  }

  /// Whether nothing is left.
  package var isEmpty: Bool { position == end }

  /// Whether a value of this tag comes next.
  package func comes(_ tag: ASN1Tag) -> Bool { position < end && storage[position] == tag.rawValue }

  /// The next value, whatever it is.
  package mutating func element(_ field: StaticString) throws(Failure) -> Element {
    try element(field, expected: nil)
  }

  private mutating func element(_ field: StaticString, expected: ASN1Tag?) throws(Failure) -> Element {
    guard levels > 0 else { throw Failure(BERError(.tooDeep, field)) }
    let tag = try header(field, expected: expected)
    let content: BERReader
    switch tag.length {
    case let length?:
      content = BERReader(
        storage: storage, position: position, end: position + length, rules: rules, levels: levels - 1)
      position += length
    case nil:
      let begin = position
      try skipToEndOfContents(field)
      content = BERReader(storage: storage, position: begin, end: position - 2, rules: rules, levels: levels - 1)
    }
    return Element(tag: tag.tag, content: content)
  }

  /// The content of the next value, which must have this tag.
  package mutating func item(_ tag: ASN1Tag, _ field: StaticString) throws(Failure) -> BERReader {
    guard !isEmpty else { throw Failure(BERError(.missing, field, expected: tag)) }
    guard comes(tag) else { throw Failure(BERError(.wrongTag, field, expected: tag)) }
    return try element(field, expected: tag).content
  }

  /// The bytes of the next value, a string of this tag: where they stand, or joined, if the string is made of parts.
  package mutating func string(_ tag: ASN1Tag, _ field: StaticString) throws(Failure) -> BERReader {
    let first = position < end ? storage[position] : 0
    guard first == tag.constructed else { return try item(tag, field) }
    guard rules == .ber else { throw Failure(BERError(.constructedString, field)) }
    let whole = try element(field)
    var parts: [Range<Int>] = []
    try whole.content.collectParts(&parts, field)
    let joined = SecretBytes(count: parts.reduce(0) { $0 + $1.count }) { joined in
      var at = 0
      for part in parts {
        for index in part {
          joined[at] = storage[index]
          at += 1
        }
      }
    }
    return BERReader(storage: .secret(joined), position: 0, end: joined.count, rules: rules, levels: levels - 1)
  }

  /// The value of an INTEGER that is not negative and not more than 2^31 - 1.
  package mutating func number(_ field: StaticString) throws(Failure) -> Int {
    var content = try nonNegativeInteger(field)
    var value = 0
    while let digit = content.nextByte() {
      value = value << 8 | Int(digit)
      guard value <= Int32.max else { throw Failure(BERError(.integerTooLarge, field)) }
    }
    return value
  }

  /// The bytes of an INTEGER that is not negative, of any size: most significant byte first, without zeros in front.
  /// Zero has no bytes.
  package mutating func unsignedInteger(_ field: StaticString) throws(Failure) -> BERReader {
    var content = try nonNegativeInteger(field)
    while content.peek() == 0 { content.position += 1 }
    return content
  }

  /// The content of an INTEGER that is not negative.
  private mutating func nonNegativeInteger(_ field: StaticString) throws(Failure) -> BERReader {
    let content = try item(.integer, field)
    guard let first = content.peek() else { throw Failure(BERError(.emptyInteger, field)) }
    guard first < 0x80 else { throw Failure(BERError(.negativeInteger, field)) }
    if rules == .der, first == 0, content.remaining > 1, content.storage[content.position + 1] < 0x80 {
      throw Failure(BERError(.nonMinimalInteger, field))
    }
    return content
  }

  /// The bytes of a BIT STRING in one part that ends with a whole byte (X.690 8.6), under its own tag or an implicit one.
  package mutating func wholeBitString(_ field: StaticString, as tag: ASN1Tag = .bitString) throws(Failure) -> BERReader
  {
    var content = try item(tag, field)
    guard content.nextByte() == 0 else { throw Failure(BERError(.partialByte, field)) }
    return content
  }

  /// Ends the reading: an error if anything is left.
  package func finish(_ structure: StaticString) throws(Failure) {
    guard isEmpty else { throw Failure(BERError(.trailingBytes(end - position), structure)) }
  }

  /// The next byte, which the reader does not pass; nil at the end.
  package func peek() -> UInt8? { position < end ? storage[position] : nil }

  /// How many bytes are left.
  package var remaining: Int { end - position }

  /// What is left, as an array that nothing wipes.
  package func bytes() -> [UInt8] { storage.array(position..<end) }

  /// Appends what is left.
  package func append(to bytes: inout [UInt8]) { withUnsafeBytes { bytes.append(contentsOf: $0) } }

  /// Calls `body` with what is left.
  package func withUnsafeBytes<Answer, Thrown: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Thrown) -> Answer
  ) throws(Thrown) -> Answer {
    try storage.withUnsafeBytes(in: position..<end, body)
  }

  /// What is left, to be read with so many levels.
  package func restarted(depth: Int) -> BERReader {
    BERReader(storage: storage, position: position, end: end, rules: rules, levels: depth)
  }

  private mutating func nextByte() -> UInt8? {
    guard position < end else { return nil }
    defer { position += 1 }
    return storage[position]
  }

  /// Tag, and length if it is definite; the content is inside of this reader.
  private mutating func header(
    _ field: StaticString, expected: ASN1Tag?
  ) throws(Failure) -> (tag: UInt8, length: Int?) {
    guard let tag = nextByte(), let first = nextByte() else {
      throw Failure(BERError(.truncated, field, expected: expected))
    }
    // Tags above 30 have more bytes, and none of them stands in such a file; 0 ends an indefinite length.
    guard tag & 0x1F != 0x1F, tag != 0 else { throw Failure(BERError(.unknownTag, field)) }
    guard rules == .ber || !ASN1Tag.isInParts(tag) else { throw Failure(BERError(.constructedString, field)) }
    guard first >= 0x80 else {
      let length = Int(first)
      guard length <= remaining else { throw Failure(tooLong(length, field, expected)) }
      return (tag, length)
    }
    guard first != 0x80 else {
      guard tag & 0x20 != 0 else { throw Failure(BERError(.primitiveOfIndefiniteLength, field, expected: expected)) }
      guard rules == .ber else { throw Failure(BERError(.indefiniteLength, field, expected: expected)) }
      return (tag, nil)
    }
    guard first != 0xFF else { throw Failure(BERError(.reservedLength, field, expected: expected)) }
    return (tag, try longLength(of: Int(first & 0x7F), field, expected))
  }

  /// A length of so many bytes.
  private mutating func longLength(
    of count: Int, _ field: StaticString, _ expected: ASN1Tag?
  ) throws(Failure) -> Int {
    var length = 0
    for index in 1...count {
      guard let digit = nextByte() else { throw Failure(BERError(.truncated, field, expected: expected)) }
      guard rules == .ber || index > 1 || digit != 0 else {
        throw Failure(BERError(.nonMinimalLength, field, expected: expected))
      }
      length = length << 8 | Int(digit)
      // A length past the end is refused at the first digit that passes it, so nothing overflows.
      guard length <= remaining else { throw Failure(tooLong(index == count ? length : nil, field, expected)) }
    }
    guard rules == .ber || length > 0x7F else {
      throw Failure(BERError(.nonMinimalLength, field, expected: expected))
    }
    return length
  }

  /// The error of a length past the end; nil for one that was not read to its last digit.
  private func tooLong(_ length: Int?, _ field: StaticString, _ expected: ASN1Tag?) -> BERError {
    BERError(.lengthTooLong, field, expected: expected, size: length.map { (needed: $0, available: remaining) })
  }

  /// Skips values until the end-of-contents that belongs to the indefinite length just begun. No recursion: what is
  /// open is counted.
  private mutating func skipToEndOfContents(_ field: StaticString) throws(Failure) {
    var open = 1
    while open > 0 {
      if position + 1 < end, storage[position] == 0, storage[position + 1] == 0 {
        position += 2
        open -= 1
        continue
      }
      if let length = try header(field, expected: nil).length {
        position += length
      } else {
        open += 1
        guard open <= levels else { throw Failure(BERError(.tooDeep, field)) }
      }
    }
  }

  /// Where the bytes of a string's parts stand, which may be made of parts in turn.
  private func collectParts(_ parts: inout [Range<Int>], _ field: StaticString) throws(Failure) {
    var rest = self
    while !rest.isEmpty {
      let part = try rest.element(field)
      switch part.tag {
      case ASN1Tag.octetString.rawValue: parts.append(part.content.position..<part.content.end)
      case ASN1Tag.octetString.constructed: try part.content.collectParts(&parts, field)
      default: throw Failure(BERError(.partOfOtherType, field))
      }
    }
  }
}
