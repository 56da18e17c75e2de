import LatchkeyByteCoding

/// A tag of ASN.1 (X.690 8.1.2), of those that PKCS #12 is made of.
enum ASN1Tag: UInt8 {
  case boolean = 0x01
  case integer = 0x02
  case bitString = 0x03
  case octetString = 0x04
  case null = 0x05
  case objectIdentifier = 0x06
  case utf8String = 0x0C
  case bmpString = 0x1E
  case sequence = 0x30
  case set = 0x31
  /// Context-specific: an explicit tag of 0 or 1, or an implicit one of a constructed value.
  case context0 = 0xA0
  case context1 = 0xA1
  /// Context-specific, primitive: an implicit tag of 0 or 1.
  case implicit0 = 0x80
  case implicit1 = 0x81

  /// The same tag on a string that is made of parts (X.690 8.7.3).
  var constructed: UInt8 { rawValue | 0x20 }
}

/// A cursor over BER (X.690 8): DER, and what PKCS #12 files have had beside it since the beginning: lengths in more bytes
/// than need be, indefinite lengths, strings in parts. It reads no further than its end, nests no deeper than it was told,
/// and copies only what is asked for.
struct BERReader {
  /// One value: its tag, where it begins, and a reader over its content.
  struct Element {
    let tag: UInt8
    let start: Int
    let content: BERReader

    var isConstructed: Bool { tag & 0x20 != 0 }
  }

  let storage: SecretBytes
  private(set) var position: Int
  let end: Int
  /// How many levels may still open.
  private let levels: Int

  /// A reader over all of `storage`, in which values nest `depth` deep.
  init(_ storage: SecretBytes, depth: Int) {
    self.init(storage: storage, position: 0, end: storage.count, levels: depth)
  }

  private init(storage: SecretBytes, position: Int, end: Int, levels: Int) {
    self.storage = storage
    self.position = position
    self.end = end
    self.levels = levels
  }

  /// Whether nothing is left.
  var isEmpty: Bool { position == end }

  /// Whether a value of this tag comes next.
  func comes(_ tag: ASN1Tag) -> Bool { position < end && storage[position] == tag.rawValue }

  /// The next value, whatever it is.
  mutating func element(_ field: StaticString) throws(PKCS12Error) -> Element {
    guard levels > 0 else { throw .tooLarge("values nest deeper than the limit (PKCS12Limits.depth), at \(field)") }
    let start = position
    let tag = try header(field)
    let content: BERReader
    switch tag.length {
    case let length?:
      content = BERReader(storage: storage, position: position, end: position + length, levels: levels - 1)
      position += length
    case nil:
      let begin = position
      try skipToEndOfContents(field)
      content = BERReader(storage: storage, position: begin, end: position - 2, levels: levels - 1)
    }
    return Element(tag: tag.tag, start: start, content: content)
  }

  /// The content of the next value, which must have this tag.
  mutating func item(_ tag: ASN1Tag, _ field: StaticString) throws(PKCS12Error) -> BERReader {
    guard !isEmpty else { throw .malformed("\(field) is missing") }
    guard comes(tag) else { throw .malformed("\(field) is not of the type it should be") }
    return try element(field).content
  }

  /// The bytes of the next value, a string of this tag: where they stand, or joined, if the string is made of parts.
  mutating func string(
    _ tag: ASN1Tag = .octetString, _ field: StaticString
  ) throws(PKCS12Error) -> BERReader {
    let first = position < end ? storage[position] : 0
    guard first == tag.constructed else { return try item(tag, field) }
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
    return BERReader(storage: joined, position: 0, end: joined.count, levels: levels - 1)
  }

  /// The value of an INTEGER that is not negative and not more than 2^31 - 1.
  mutating func number(_ field: StaticString) throws(PKCS12Error) -> Int {
    var content = try item(.integer, field)
    guard let first = content.peek() else { throw .malformed("\(field) is an INTEGER without a byte") }
    guard first < 0x80 else { throw .malformed("\(field) is below zero") }
    var value = 0
    while let digit = content.takeByte() {
      value = value << 8 | Int(digit)
      guard value <= Int32.max else { throw .tooLarge("\(field) is more than any reader takes") }
    }
    return value
  }

  /// Ends the reading: an error if anything is left.
  func finish(_ structure: StaticString) throws(PKCS12Error) {
    guard isEmpty else { throw .malformed("\(end - position) bytes too many after \(structure)") }
  }

  /// The next byte, without taking it.
  func peek() -> UInt8? { position < end ? storage[position] : nil }

  /// How many bytes are left.
  var remaining: Int { end - position }

  /// What is left, as an array that nothing wipes.
  func bytes() -> [UInt8] { storage.array(position..<end) }

  /// Appends what is left.
  func append(to bytes: inout [UInt8]) { storage.withUnsafeBytes(in: position..<end) { bytes.append(contentsOf: $0) } }

  /// From the beginning of `element` to here, as an array that nothing wipes.
  func bytes(of element: Element) -> [UInt8] { storage.array(element.start..<position) }

  /// What is left, to be read with so many levels.
  func restarted(depth: Int) -> BERReader {
    BERReader(storage: storage, position: position, end: end, levels: depth)
  }

  mutating func takeByte() -> UInt8? {
    guard position < end else { return nil }
    defer { position += 1 }
    return storage[position]
  }

  /// Tag, and length if it is definite; the content is inside of this reader.
  private mutating func header(_ field: StaticString) throws(PKCS12Error) -> (tag: UInt8, length: Int?) {
    guard let tag = takeByte(), let first = takeByte() else { throw .malformed("the bytes end before \(field)") }
    // Tags above 30 have more bytes, and none of them stands in such a file; 0 ends an indefinite length.
    guard tag & 0x1F != 0x1F, tag != 0 else { throw .malformed("\(field) has no tag of this format") }
    guard first >= 0x80 else { return (tag, try checked(Int(first), field)) }
    guard first != 0x80 else {
      guard tag & 0x20 != 0 else { throw .malformed("\(field) is primitive and has no length") }
      return (tag, nil)
    }
    var length = 0
    for _ in 0..<(first & 0x7F) {
      guard let digit = takeByte() else { throw .malformed("the bytes end before \(field)") }
      length = length << 8 | Int(digit)
      // What has passed the end has passed it, so nothing overflows.
      length = try checked(length, field)
    }
    return (tag, length)
  }

  private func checked(_ length: Int, _ field: StaticString) throws(PKCS12Error) -> Int {
    guard length <= end - position else { throw .malformed("\(field) is longer than what it stands in") }
    return length
  }

  /// Passes over values until the end-of-contents that belongs to the indefinite length just begun. No recursion: what is
  /// open is counted.
  private mutating func skipToEndOfContents(_ field: StaticString) throws(PKCS12Error) {
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
        guard open <= levels else {
          throw .tooLarge("values nest deeper than the limit (PKCS12Limits.depth), at \(field)")
        }
      }
    }
  }

  /// Where the bytes of a string's parts stand, which may be made of parts in turn.
  private func collectParts(_ parts: inout [Range<Int>], _ field: StaticString) throws(PKCS12Error) {
    var rest = self
    while !rest.isEmpty {
      let part = try rest.element(field)
      switch part.tag {
      case ASN1Tag.octetString.rawValue: parts.append(part.content.position..<part.content.end)
      case ASN1Tag.octetString.constructed: try part.content.collectParts(&parts, field)
      default: throw .malformed("\(field) is a string in parts, and a part is none")
      }
    }
  }
}
