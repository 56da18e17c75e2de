/// The rules that a reader holds values to.
package enum ASN1EncodingRules: Sendable {
  /// Definite lengths and numbers in as few bytes as they need, strings in one part (X.690 10).
  case der
  /// Also indefinite lengths, longer lengths than needed, and strings in parts (X.690 8), which PKCS #12 files have.
  case ber
}

/// A cursor over DER or BER (X.690). It reads no further than its end, nests no deeper than its limit, and copies only
/// what is asked for. Its storage is wiped with the last reader over it.
///
/// It throws the error of the layer that reads: see ``BERFailure``.
package struct BERReader<Failure: BERFailure>: Sendable {
  /// One value: its tag, and a reader over its content.
  package struct Element: Sendable {
    package let tag: UInt8
    package let content: BERReader

    package var isConstructed: Bool { tag & 0x20 != 0 }
  }

  private let storage: SecretBytes
  private var position: Int
  private let end: Int
  let rules: ASN1EncodingRules
  /// How many levels may still open.
  private let levels: Int

  /// A reader over all of `storage`, in which values nest at most `depth` deep.
  package init(_ storage: SecretBytes, rules: ASN1EncodingRules, depth: Int) {
    self.init(storage: storage, position: 0, end: storage.count, rules: rules, levels: depth)
  }

  private init(storage: SecretBytes, position: Int, end: Int, rules: ASN1EncodingRules, levels: Int) {
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
    guard levels > 0 else { throw Failure(BERError(.tooDeep, field)) }
    let tag = try header(field)
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
    guard !isEmpty else { throw Failure(BERError(.missing, field)) }
    guard comes(tag) else { throw Failure(BERError(.wrongTag, field)) }
    return try element(field).content
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
    return BERReader(storage: joined, position: 0, end: joined.count, rules: rules, levels: levels - 1)
  }

  /// The value of an INTEGER that is not negative and not more than 2^31 - 1.
  package mutating func number(_ field: StaticString) throws(Failure) -> Int {
    var content = try item(.integer, field)
    guard let first = content.peek() else { throw Failure(BERError(.emptyInteger, field)) }
    guard first < 0x80 else { throw Failure(BERError(.negativeInteger, field)) }
    if rules == .der, first == 0, content.remaining > 1, content.storage[content.position + 1] < 0x80 {
      throw Failure(BERError(.nonMinimalInteger, field))
    }
    var value = 0
    while let digit = content.nextByte() {
      value = value << 8 | Int(digit)
      guard value <= Int32.max else { throw Failure(BERError(.integerTooLarge, field)) }
    }
    return value
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
  private mutating func header(_ field: StaticString) throws(Failure) -> (tag: UInt8, length: Int?) {
    guard let tag = nextByte(), let first = nextByte() else { throw Failure(BERError(.truncated, field)) }
    // Tags above 30 have more bytes, and none of them stands in such a file; 0 ends an indefinite length.
    guard tag & 0x1F != 0x1F, tag != 0 else { throw Failure(BERError(.unknownTag, field)) }
    guard rules == .ber || !ASN1Tag.isInParts(tag) else { throw Failure(BERError(.constructedString, field)) }
    guard first >= 0x80 else { return (tag, try checked(Int(first), field)) }
    guard first != 0x80 else {
      guard tag & 0x20 != 0 else { throw Failure(BERError(.primitiveOfIndefiniteLength, field)) }
      guard rules == .ber else { throw Failure(BERError(.indefiniteLength, field)) }
      return (tag, nil)
    }
    var length = 0
    for index in 0..<(first & 0x7F) {
      guard let digit = nextByte() else { throw Failure(BERError(.truncated, field)) }
      guard rules == .ber || index > 0 || digit != 0 else { throw Failure(BERError(.nonMinimalLength, field)) }
      length = length << 8 | Int(digit)
      // A length past the end is refused at the first digit that passes it, so nothing overflows.
      length = try checked(length, field)
    }
    guard rules == .ber || length > 0x7F else { throw Failure(BERError(.nonMinimalLength, field)) }
    return (tag, length)
  }

  private func checked(_ length: Int, _ field: StaticString) throws(Failure) -> Int {
    guard length <= end - position else { throw Failure(BERError(.lengthTooLong, field)) }
    return length
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
      if let length = try header(field).length {
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
