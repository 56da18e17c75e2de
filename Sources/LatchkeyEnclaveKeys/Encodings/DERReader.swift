import LatchkeyByteCoding

/// A tag of DER (X.690 8.1.2), of those that keys and signatures are made of.
enum DERTag: UInt8 {
  case integer = 0x02
  case bitString = 0x03
  case octetString = 0x04
  case null = 0x05
  case objectIdentifier = 0x06
  case sequence = 0x30
  case set = 0x31
  /// Context-specific, constructed: an explicit or implicit tag of 0, or of 1.
  case context0 = 0xA0
  case context1 = 0xA1
  /// Context-specific, primitive: an implicit tag of 1.
  case implicit1 = 0x81
}

/// A cursor over DER, held to its rules: definite and shortest lengths, shortest integers, nothing after the end. It never
/// recurses and copies only what is asked for.
struct DERReader {
  private var reader: ByteReader

  /// A reader over all of `bytes`.
  init(_ bytes: [UInt8]) { reader = ByteReader(bytes) }

  private init(_ reader: ByteReader) { self.reader = reader }

  /// Whether nothing is left.
  var isEmpty: Bool { reader.isEmpty }

  /// Whether an item of this tag comes next.
  func comes(_ tag: DERTag) -> Bool { reader.peek() == tag.rawValue }

  /// The content of the next item, which must have this tag.
  mutating func item(_ tag: DERTag) throws(KeyError) -> DERReader {
    do throws(ByteCodingError) {
      guard try reader.uint8("tag") == tag.rawValue else { throw .invalidValue(field: "tag") }
      let length = try length()
      return DERReader(try reader.subReader(length, "content"))
    } catch {
      throw .malformed("no DER of a \(tag): \(error)")
    }
  }

  /// The bytes of the next item, which must have this tag.
  mutating func bytes(_ tag: DERTag) throws(KeyError) -> [UInt8] {
    var content = try item(tag)
    return content.reader.remainingBytes()
  }

  /// The next item, whatever it is, is passed over.
  mutating func skipItem() throws(KeyError) {
    do throws(ByteCodingError) {
      // Tags above 30 have more bytes, and none of them stands in a key.
      guard try reader.uint8("tag") & 0x1F != 0x1F else { throw .invalidValue(field: "tag") }
      try reader.skip(try length(), "content")
    } catch {
      throw .malformed("no DER: \(error)")
    }
  }

  /// An INTEGER that is not negative, most significant byte first and without zeros in front (zero has no bytes).
  mutating func unsignedInteger() throws(KeyError) -> [UInt8] {
    let content = try bytes(.integer)
    guard let first = content.first else { throw .malformed("an INTEGER without a byte") }
    guard first < 0x80 else { throw .malformed("an INTEGER below zero") }
    guard first == 0 else { return content }
    let rest = Array(content.dropFirst())
    guard rest.first.map({ $0 >= 0x80 }) ?? true else { throw .malformed("an INTEGER longer than it need be") }
    return rest
  }

  /// The bytes of a BIT STRING of whole bytes.
  mutating func wholeBitString() throws(KeyError) -> [UInt8] {
    let content = try bytes(.bitString)
    guard content.first == 0 else { throw .malformed("a BIT STRING that ends within a byte") }
    return Array(content.dropFirst())
  }

  /// Ends the reading: an error if anything is left.
  func finish() throws(KeyError) {
    guard reader.isEmpty else { throw .malformed("\(reader.remaining) bytes after the end of DER") }
  }

  private mutating func length() throws(ByteCodingError) -> Int {
    let first = try reader.uint8("length")
    guard first >= 0x80 else { return Int(first) }
    let count = Int(first & 0x7F)
    // Four bytes of length are more than anything here has; none is the indefinite form.
    guard (1...4).contains(count) else { throw .invalidValue(field: "length") }
    var length = 0
    for _ in 0..<count { length = length << 8 | Int(try reader.uint8("length")) }
    guard length >= 0x80, length >> (8 * (count - 1)) != 0 else { throw .invalidValue(field: "length") }
    return length
  }
}
