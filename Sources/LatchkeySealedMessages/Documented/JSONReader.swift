/// A value of JSON (RFC 8259); numbers keep their text, because a binary fraction is not what was written.
package enum JSONValue: Sendable, Hashable {
  case string(String)
  case number(String)
  case boolean(Bool)
  case null
  case array([JSONValue])
  case object([String: JSONValue])

  /// The text of a string.
  package var string: String? { if case .string(let text) = self { text } else { nil } }
  /// The elements of an array.
  package var array: [JSONValue]? { if case .array(let values) = self { values } else { nil } }
  /// The members of an object.
  package var object: [String: JSONValue]? { if case .object(let members) = self { members } else { nil } }
}

/// Reads JSON from outside: UTF-8 alone, nothing behind it, no key twice (readers differ in which they take), and no deeper
/// than ``depthLimit``.
package struct JSONReader {
  /// How deep values may lie in one another; the documented messages have two levels.
  package static let depthLimit = 8

  /// What was met is no JSON, or too deep.
  package struct NotRead: Error {}

  private let bytes: [UInt8]
  private var position = 0

  /// Reads a text whole.
  package static func read(_ bytes: [UInt8]) throws(NotRead) -> JSONValue {
    guard String(validating: bytes, as: UTF8.self) != nil else { throw NotRead() }
    var reader = JSONReader(bytes: bytes)
    let value = try reader.value(depth: 0)
    reader.skipSpace()
    guard reader.position == bytes.count else { throw NotRead() }
    return value
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
  }

  /// Takes a byte if it is the next one.
  private mutating func take(_ byte: Unicode.Scalar) -> Bool {
    guard next == UInt8(truncatingIfNeeded: byte.value) else { return false }
    position += 1
    return true
  }

  private mutating func value(depth: Int) throws(NotRead) -> JSONValue {
    guard depth <= Self.depthLimit else { throw NotRead() }
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): return try object(depth: depth)
    case UInt8(ascii: "["): return try array(depth: depth)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .boolean(true))
    case UInt8(ascii: "f"): return try word("false", .boolean(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return .number(try number())
    }
  }

  private mutating func word(_ word: StaticString, _ value: JSONValue) throws(NotRead) -> JSONValue {
    let text = Array("\(word)".utf8)
    guard bytes[position...].starts(with: text) else { throw NotRead() }
    position += text.count
    return value
  }

  private mutating func object(depth: Int) throws(NotRead) -> JSONValue {
    position += 1
    var members: [String: JSONValue] = [:]
    skipSpace()
    if take("}") { return .object(members) }
    repeat {
      skipSpace()
      guard next == UInt8(ascii: "\"") else { throw NotRead() }
      let key = try string()
      skipSpace()
      guard take(":") else { throw NotRead() }
      let value = try value(depth: depth + 1)
      // Keys that Unicode holds for equal are one key to some readers: refused as well.
      guard members.updateValue(value, forKey: key) == nil else { throw NotRead() }
      skipSpace()
    } while take(",")
    guard take("}") else { throw NotRead() }
    return .object(members)
  }

  private mutating func array(depth: Int) throws(NotRead) -> JSONValue {
    position += 1
    var values: [JSONValue] = []
    skipSpace()
    if take("]") { return .array(values) }
    repeat {
      values.append(try value(depth: depth + 1))
      skipSpace()
    } while take(",")
    guard take("]") else { throw NotRead() }
    return .array(values)
  }

  /// RFC 8259 6: a sign, digits without a leading zero, a fraction, an exponent.
  private mutating func number() throws(NotRead) -> String {
    let start = position
    _ = take("-")
    if !take("0") { try digits() }
    if take(".") { try digits() }
    if take("e") || take("E") {
      _ = take("+") || take("-")
      try digits()
    }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private mutating func digits() throws(NotRead) {
    let start = position
    while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
    guard position > start else { throw NotRead() }
  }

  private mutating func string() throws(NotRead) -> String {
    position += 1
    var text: [UInt8] = []
    while let byte = next {
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"): try escape(into: &text)
      case 0..<0x20: throw NotRead()
      default: text.append(byte)
      }
    }
    throw NotRead()
  }

  private mutating func escape(into text: inout [UInt8]) throws(NotRead) {
    guard let byte = next else { throw NotRead() }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"):
      var units = [try codeUnit()]
      if UTF16.isLeadSurrogate(units[0]) {
        guard take("\\"), take("u") else { throw NotRead() }
        units.append(try codeUnit())
      }
      // Half of a pair is no character.
      guard let scalar = String(validating: units, as: UTF16.self) else { throw NotRead() }
      text += Array(scalar.utf8)
    default: throw NotRead()
    }
  }

  private mutating func codeUnit() throws(NotRead) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let byte = next,
        let digit = Unicode.Scalar(byte).properties.isASCIIHexDigit
          ? Character(Unicode.Scalar(byte)).hexDigitValue : nil
      else { throw NotRead() }
      unit = unit << 4 | UInt16(digit)
      position += 1
    }
    return unit
  }
}
