internal import LatchkeyEnrollmentProtocol

/// Reads JSON to its last byte before any decoder does (RFC 8259, I-JSON of RFC 7493): UTF-8, one value, bounded depth and members,
/// no member twice in an object, no U+0000 and no half of a surrogate pair in a string.
///
/// Two readers that disagree about a body, such as one that takes the first of two equal members and one that takes the last, are
/// how a signed request comes to mean two things.
struct JSONSyntax {
  /// Members of one object: more than any body of this service has.
  private static let memberLimit = 64

  private let bytes: [UInt8]
  private let depthLimit: Int
  private var index = 0
  private var depth = 0

  /// - Throws: `.malformedRequest` that says what is wrong, never what is there.
  static func check(_ bytes: [UInt8], depth: Int) throws(Problem) {
    var syntax = JSONSyntax(bytes: bytes, depthLimit: depth)
    try syntax.value()
    syntax.skipSpace()
    guard syntax.index == bytes.count else { throw refusal("the body goes on after its JSON") }
  }

  private init(bytes: [UInt8], depthLimit: Int) {
    self.bytes = bytes
    self.depthLimit = depthLimit
  }

  private static func refusal(_ detail: String = "the body is not JSON") -> Problem {
    Problem(.malformedRequest, detail: detail)
  }

  private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    index += 1
    return true
  }

  private mutating func expect(_ byte: UInt8) throws(Problem) {
    guard take(byte) else { throw Self.refusal() }
  }

  private mutating func value() throws(Problem) {
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): try nested { (syntax) throws(Problem) in try syntax.object() }
    case UInt8(ascii: "["): try nested { (syntax) throws(Problem) in try syntax.array() }
    case UInt8(ascii: "\""): _ = try string()
    case UInt8(ascii: "t"): try word("true")
    case UInt8(ascii: "f"): try word("false")
    case UInt8(ascii: "n"): try word("null")
    default: try number()
    }
  }

  private mutating func nested(_ body: (inout JSONSyntax) throws(Problem) -> Void) throws(Problem) {
    depth += 1
    guard depth <= depthLimit else { throw Self.refusal("the body is nested too deeply") }
    index += 1
    skipSpace()
    try body(&self)
    depth -= 1
  }

  private mutating func object() throws(Problem) {
    if take(UInt8(ascii: "}")) { return }
    var names: Set<String> = []
    repeat {
      skipSpace()
      let name = try string()
      guard names.insert(name).inserted else { throw Self.refusal("an object has a member twice") }
      guard names.count <= Self.memberLimit else { throw Self.refusal("an object has too many members") }
      skipSpace()
      try expect(UInt8(ascii: ":"))
      try value()
      skipSpace()
    } while take(UInt8(ascii: ","))
    try expect(UInt8(ascii: "}"))
  }

  private mutating func array() throws(Problem) {
    if take(UInt8(ascii: "]")) { return }
    repeat {
      try value()
      skipSpace()
    } while take(UInt8(ascii: ","))
    try expect(UInt8(ascii: "]"))
  }

  private mutating func word(_ word: StaticString) throws(Problem) {
    let expected = word.withUTF8Buffer { Array($0) }
    guard bytes[index...].starts(with: expected) else { throw Self.refusal() }
    index += expected.count
  }

  /// `-`? ( 0 | 1-9 digits ) ( . digits )? ( e sign? digits )?
  private mutating func number() throws(Problem) {
    _ = take(UInt8(ascii: "-"))
    if !take(UInt8(ascii: "0")) { try digits() }
    if take(UInt8(ascii: ".")) { try digits() }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      try digits()
    }
  }

  private mutating func digits() throws(Problem) {
    let first = index
    while let byte = next, (0x30...0x39).contains(byte) { index += 1 }
    guard index > first else { throw Self.refusal() }
  }

  /// A string, its escapes resolved.
  private mutating func string() throws(Problem) -> String {
    try expect(UInt8(ascii: "\""))
    var utf8: [UInt8] = []
    while let byte = next, byte != UInt8(ascii: "\"") {
      guard byte >= 0x20 else { throw Self.refusal("a string has a control character") }
      index += 1
      if byte == UInt8(ascii: "\\") { try escape(into: &utf8) } else { utf8.append(byte) }
    }
    try expect(UInt8(ascii: "\""))
    guard let text = String(validating: utf8, as: UTF8.self) else { throw Self.refusal("a string is not UTF-8") }
    return text
  }

  private mutating func escape(into utf8: inout [UInt8]) throws(Problem) {
    guard let byte = next else { throw Self.refusal() }
    index += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): utf8.append(byte)
    case UInt8(ascii: "b"): utf8.append(0x08)
    case UInt8(ascii: "f"): utf8.append(0x0C)
    case UInt8(ascii: "n"): utf8.append(0x0A)
    case UInt8(ascii: "r"): utf8.append(0x0D)
    case UInt8(ascii: "t"): utf8.append(0x09)
    case UInt8(ascii: "u"): utf8 += Array(String(Character(try escapedScalar())).utf8)
    default: throw Self.refusal()
    }
  }

  private mutating func escapedScalar() throws(Problem) -> Unicode.Scalar {
    var code = UInt32(try fourDigits())
    if (0xD800...0xDBFF).contains(code) {
      try expect(UInt8(ascii: "\\"))
      try expect(UInt8(ascii: "u"))
      let low = UInt32(try fourDigits())
      guard (0xDC00...0xDFFF).contains(low) else { throw Self.refusal("a string has half a surrogate pair") }
      code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
    }
    guard code != 0, let scalar = Unicode.Scalar(code) else {
      throw Self.refusal("a string has U+0000 or half a surrogate pair")
    }
    return scalar
  }

  private mutating func fourDigits() throws(Problem) -> UInt16 {
    let text = String(decoding: bytes[index...].prefix(4), as: UTF8.self)
    guard text.utf8.count == 4, text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
      let value = UInt16(text, radix: 16)
    else { throw Self.refusal() }
    index += 4
    return value
  }
}
