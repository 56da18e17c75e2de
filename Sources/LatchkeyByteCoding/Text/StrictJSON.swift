/// Reads JSON from outside (RFC 8259, and of I-JSON, RFC 7493, the rules about names and surrogates; noncharacters, such as
/// U+FFFF, are accepted).
///
/// A text is one value in UTF-8 without a byte order mark, with nothing but white space around it. An object has each name once:
/// two readers can disagree about a text with a name twice, and a signed request then has two meanings. Names are equal if
/// Unicode's canonical equivalence makes them equal, because some readers compare them so.
package struct StrictJSON {
  /// How large a text may be.
  package struct Limits: Sendable {
    /// Bytes of the text.
    package let size: Int
    /// Arrays and objects in one another; 0 allows neither.
    package let depth: Int
    /// Members of one object.
    package let members: Int
    /// Characters of one number. The exact decimal text of each finite `Double` has at most 1077.
    package let numberLength: Int
    /// Whether a string may have U+0000, as the escape `\u0000`.
    package let allowsNullCharacter: Bool

    /// These limits.
    package init(
      size: Int, depth: Int, members: Int, numberLength: Int = 1100, allowsNullCharacter: Bool = false
    ) {
      self.size = size
      self.depth = depth
      self.members = members
      self.numberLength = numberLength
      self.allowsNullCharacter = allowsNullCharacter
    }
  }

  private let bytes: [UInt8]
  private let limits: Limits
  /// Whether values are returned; otherwise each is `.null`, and no string of a value is copied.
  private let returnsValues: Bool
  private var offset = 0
  private var depth = 0

  /// The value of a text.
  ///
  /// - Throws: The first thing that is wrong.
  package static func read(_ bytes: [UInt8], within limits: Limits) throws(StrictJSONError) -> JSONValue {
    var reader = StrictJSON(bytes: bytes, limits: limits, returnsValues: true)
    return try reader.text()
  }

  /// Validates a text for another decoder.
  ///
  /// - Throws: The first thing that is wrong.
  package static func validate(_ bytes: [UInt8], within limits: Limits) throws(StrictJSONError) {
    var reader = StrictJSON(bytes: bytes, limits: limits, returnsValues: false)
    _ = try reader.text()
  }

  private init(bytes: [UInt8], limits: Limits, returnsValues: Bool) {
    self.bytes = bytes
    self.limits = limits
    self.returnsValues = returnsValues
  }

  private mutating func text() throws(StrictJSONError) -> JSONValue {
    guard bytes.count <= limits.size else { throw StrictJSONError(reason: .tooLarge, offset: limits.size) }
    let value = try value()
    skipWhitespace()
    guard offset == bytes.count else { throw error(.trailingText) }
    return value
  }

  private func error(_ reason: StrictJSONError.Reason) -> StrictJSONError {
    StrictJSONError(reason: reason, offset: offset)
  }

  // MARK: Bytes

  private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  private mutating func skipWhitespace() {
    while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { offset += 1 }
  }

  /// Whether the next byte is this one, which then is skipped.
  private mutating func skip(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    offset += 1
    return true
  }

  private mutating func expect(_ byte: UInt8) throws(StrictJSONError) {
    guard skip(byte) else { throw error(.syntax) }
  }

  // MARK: Values

  private mutating func value() throws(StrictJSONError) -> JSONValue {
    skipWhitespace()
    switch next {
    case UInt8(ascii: "{"):
      try descend()
      defer { depth -= 1 }
      return try object()
    case UInt8(ascii: "["):
      try descend()
      defer { depth -= 1 }
      return try array()
    case UInt8(ascii: "\""):
      let token = try stringToken()
      return returnsValues ? .string(string(token)) : .null
    case UInt8(ascii: "t"): return try literal("true", .boolean(true))
    case UInt8(ascii: "f"): return try literal("false", .boolean(false))
    case UInt8(ascii: "n"): return try literal("null", .null)
    default:
      let range = try number()
      return returnsValues ? .number(String(decoding: bytes[range], as: UTF8.self)) : .null
    }
  }

  private mutating func descend() throws(StrictJSONError) {
    guard depth < limits.depth else { throw error(.tooDeep) }
    depth += 1
    offset += 1
    skipWhitespace()
  }

  private mutating func object() throws(StrictJSONError) -> JSONValue {
    var members: [String: JSONValue] = [:]
    if skip(UInt8(ascii: "}")) { return .object(members) }
    repeat {
      skipWhitespace()
      let start = offset
      let name = string(try stringToken())
      guard members.updateValue(.null, forKey: name) == nil else {
        throw StrictJSONError(reason: .duplicateName, offset: start)
      }
      guard members.count <= limits.members else { throw StrictJSONError(reason: .tooManyMembers, offset: start) }
      skipWhitespace()
      try expect(UInt8(ascii: ":"))
      let value = try value()
      if returnsValues { members[name] = value }
      skipWhitespace()
    } while skip(UInt8(ascii: ","))
    try expect(UInt8(ascii: "}"))
    return .object(members)
  }

  private mutating func array() throws(StrictJSONError) -> JSONValue {
    var values: [JSONValue] = []
    if skip(UInt8(ascii: "]")) { return .array(values) }
    repeat {
      let value = try value()
      if returnsValues { values.append(value) }
      skipWhitespace()
    } while skip(UInt8(ascii: ","))
    try expect(UInt8(ascii: "]"))
    return .array(values)
  }

  private mutating func literal(_ text: StaticString, _ value: JSONValue) throws(StrictJSONError) -> JSONValue {
    guard text.withUTF8Buffer({ bytes[offset...].starts(with: $0) }) else { throw error(.syntax) }
    offset += text.utf8CodeUnitCount
    return value
  }

  /// A sign, digits without a leading zero, a fraction, an exponent (RFC 8259 section 6).
  private mutating func number() throws(StrictJSONError) -> Range<Int> {
    let start = offset
    _ = skip(UInt8(ascii: "-"))
    if !skip(UInt8(ascii: "0")) { try digits() }
    if skip(UInt8(ascii: ".")) { try digits() }
    if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
      _ = skip(UInt8(ascii: "+")) || skip(UInt8(ascii: "-"))
      try digits()
    }
    guard offset - start <= limits.numberLength else { throw StrictJSONError(reason: .numberTooLong, offset: start) }
    return start..<offset
  }

  private mutating func digits() throws(StrictJSONError) {
    let start = offset
    while let byte = next, (0x30...0x39).contains(byte) { offset += 1 }
    guard offset > start else { throw error(.syntax) }
  }
}

// MARK: - Strings

extension StrictJSON {
  /// A valid string of the text, without its quotation marks.
  private struct StringToken {
    let range: Range<Int>
    let hasEscapes: Bool
  }

  /// Validates a string (RFC 8259 section 7), and skips it. Nothing is copied: it can be a secret.
  private mutating func stringToken() throws(StrictJSONError) -> StringToken {
    try expect(UInt8(ascii: "\""))
    let start = offset
    var hasEscapes = false
    while let byte = next, byte != UInt8(ascii: "\"") {
      guard byte >= 0x20 else { throw error(.controlCharacter) }
      offset += 1
      if byte == UInt8(ascii: "\\") {
        hasEscapes = true
        _ = try escapedScalar()
      }
    }
    let range = start..<offset
    try expect(UInt8(ascii: "\""))
    // An escape is ASCII, so it cannot complete a character around it: the string is UTF-8 if its bytes are.
    do throws(UTF8.ValidationError) {
      _ = try UTF8Span(validating: bytes.span.extracting(range))
    } catch {
      throw StrictJSONError(reason: .invalidUTF8, offset: start + error.byteOffsets.lowerBound)
    }
    return StringToken(range: range, hasEscapes: hasEscapes)
  }

  /// The text of a string that was validated.
  private func string(_ token: StringToken) -> String {
    guard token.hasEscapes else { return String(decoding: bytes[token.range], as: UTF8.self) }
    var text: [UInt8] = []
    text.reserveCapacity(token.range.count)
    var reader = self
    reader.offset = token.range.lowerBound
    while reader.offset < token.range.upperBound {
      let byte = bytes[reader.offset]
      reader.offset += 1
      if byte == UInt8(ascii: "\\"), let scalar = try? reader.escapedScalar() {
        UTF8.encode(scalar).map { text.append(contentsOf: $0) }
      } else {
        text.append(byte)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The character of an escape, whose backslash was skipped.
  private mutating func escapedScalar() throws(StrictJSONError) -> Unicode.Scalar {
    let start = offset - 1
    guard let byte = next else { throw error(.syntax) }
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"):
      offset += 1
      return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return short("\u{08}")
    case UInt8(ascii: "f"): return short("\u{0C}")
    case UInt8(ascii: "n"): return short("\n")
    case UInt8(ascii: "r"): return short("\r")
    case UInt8(ascii: "t"): return short("\t")
    case UInt8(ascii: "u"): offset += 1
    default: throw error(.syntax)
    }
    var code = UInt32(try codeUnit())
    if (0xD800...0xDBFF).contains(code) {
      try expect(UInt8(ascii: "\\"))
      try expect(UInt8(ascii: "u"))
      let trail = UInt32(try codeUnit())
      guard (0xDC00...0xDFFF).contains(trail) else {
        throw StrictJSONError(reason: .unpairedLeadSurrogate, offset: start)
      }
      code = 0x10000 + (code - 0xD800) << 10 + (trail - 0xDC00)
    }
    guard let scalar = Unicode.Scalar(code), code != 0 || limits.allowsNullCharacter else {
      throw StrictJSONError(reason: .invalidCharacter, offset: start)
    }
    return scalar
  }

  private mutating func short(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    offset += 1
    return scalar
  }

  /// Four hexadecimal digits.
  private mutating func codeUnit() throws(StrictJSONError) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      let digit: UInt8
      switch next {
      case .some(let byte) where (0x30...0x39).contains(byte): digit = byte - 0x30
      case .some(let byte) where (0x41...0x46).contains(byte): digit = byte - 0x37
      case .some(let byte) where (0x61...0x66).contains(byte): digit = byte - 0x57
      default: throw error(.syntax)
      }
      unit = unit << 4 | UInt16(digit)
      offset += 1
    }
    return unit
  }
}
