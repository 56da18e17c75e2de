/// A scanner for the markup of an XML property list: tags, texts, and the parts in between. It knows no element names.
struct XMLScanner {
  let bytes: [UInt8]
  private(set) var position = 0

  /// A start, end or empty-element tag.
  struct Tag {
    enum Kind { case start, end, empty }
    let kind: Kind
    let name: ArraySlice<UInt8>
    /// The offset of its first byte.
    let offset: Int
  }

  /// Validates that the bytes are UTF-8 without characters that XML forbids; skips a byte order mark and an XML declaration.
  init(_ bytes: [UInt8]) throws(PropertyListError) {
    self.bytes = bytes
    guard !Self.isUTF16(bytes) else { throw error(.unsupportedEncoding, at: 0) }
    try checkCharacters()
    if bytes.starts(with: Self.byteOrderMark) { position = Self.byteOrderMark.count }
    if isNext("<?xml"), let after = byte(at: position + 5), Self.isSpace(after) { try readDeclaration() }
  }

  /// Whether `bytes` begin with `<`, after an optional byte order mark and white space, or in an encoding that only markup has.
  static func looksLikeMarkup(_ bytes: [UInt8]) -> Bool {
    if isUTF16(bytes) { return true }
    let start = bytes.starts(with: byteOrderMark) ? byteOrderMark.count : 0
    return bytes[start...].first { !isSpace($0) } == UInt8(ascii: "<")
  }

  /// Reads the next tag, after white space, comments and processing instructions only. Nil at the end.
  mutating func tag() throws(PropertyListError) -> Tag? {
    try skipMisc()
    guard let next = byte(at: position) else { return nil }
    guard next == UInt8(ascii: "<") else { throw error(.misplacedText, at: position) }
    guard !isNext("<!") else { throw error(.malformedMarkup, at: position) }
    let offset = position
    position += 1
    let isEnd = byte(at: position) == UInt8(ascii: "/")
    if isEnd { position += 1 }
    let name = try readName()
    let rest = position
    var quote: UInt8?
    while let byte = byte(at: position) {
      position += 1
      switch (byte, quote) {
      case (UInt8(ascii: ">"), nil):
        let isEmpty = !isEnd && bytes[position - 2] == UInt8(ascii: "/")
        // Only an opening tag has attributes, after a space.
        let attributes = bytes[rest..<(position - (isEmpty ? 2 : 1))]
        guard attributes.first.map(Self.isSpace) ?? true, !isEnd || attributes.allSatisfy(Self.isSpace) else {
          throw error(.malformedMarkup, at: offset)
        }
        return Tag(kind: isEnd ? .end : isEmpty ? .empty : .start, name: name, offset: offset)
      case (UInt8(ascii: "<"), _): throw error(.malformedMarkup, at: offset)
      case (UInt8(ascii: "\""), nil), (UInt8(ascii: "'"), nil): quote = byte
      default: if byte == quote { quote = nil }
      }
    }
    throw error(.truncated, at: position)
  }

  /// Skips an optional document type declaration. One with declarations of its own is refused.
  mutating func skipDocumentType() throws(PropertyListError) {
    try skipMisc()
    guard isNext("<!DOCTYPE") else { return }
    let offset = position
    var quote: UInt8?
    while let byte = byte(at: position) {
      position += 1
      switch (byte, quote) {
      case (UInt8(ascii: ">"), nil): return
      case (UInt8(ascii: "["), nil): throw error(.declarations, at: position - 1)
      case (UInt8(ascii: "\""), nil), (UInt8(ascii: "'"), nil): quote = byte
      default: if byte == quote { quote = nil }
      }
    }
    throw error(.truncated, at: offset)
  }

  /// Reads the characters up to the next tag, with entities resolved, sections unwrapped and line ends as LF.
  mutating func text() throws(PropertyListError) -> [UInt8] {
    var text: [UInt8] = []
    while let next = byte(at: position) {
      switch next {
      case UInt8(ascii: "&"): try readEntity(into: &text)
      case UInt8(ascii: "\r"):
        position += 1
        if byte(at: position) != UInt8(ascii: "\n") { text.append(UInt8(ascii: "\n")) }
      case UInt8(ascii: "<") where isNext("<!--"): try skip(past: "-->", from: 4)
      case UInt8(ascii: "<") where isNext("<?"): try skip(past: "?>", from: 2)
      case UInt8(ascii: "<") where isNext("<![CDATA["):
        let content = position + 9
        try skip(past: "]]>", from: 9)
        Self.append(bytes[content..<(position - 3)], to: &text)
      case UInt8(ascii: "<"): return text
      default:
        text.append(next)
        position += 1
      }
    }
    throw error(.truncated, at: position)
  }

  /// Creates an error at the byte `offset`, as line and column.
  func error(_ problem: PropertyListError.Problem, at offset: Int) -> PropertyListError {
    let before = bytes.prefix(offset)
    let line = before.count { $0 == UInt8(ascii: "\n") }
    let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    return PropertyListError(problem, at: .line(line + 1, column: before.count - start + 1))
  }

  static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }
}

// MARK: Pieces

extension XMLScanner {
  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  private static func isUTF16(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE])
  }

  private func byte(at offset: Int) -> UInt8? { offset < bytes.count ? bytes[offset] : nil }

  private func isNext(_ text: StaticString) -> Bool {
    text.withUTF8Buffer { bytes.count - position >= $0.count && bytes[position...].starts(with: $0) }
  }

  private mutating func skipMisc() throws(PropertyListError) {
    while let next = byte(at: position) {
      if Self.isSpace(next) {
        position += 1
      } else if isNext("<!--") {
        try skip(past: "-->", from: 4)
      } else if isNext("<?") {
        try skip(past: "?>", from: 2)
      } else {
        return
      }
    }
  }

  /// Moves past the next `end` that is at least `start` bytes from here.
  private mutating func skip(past end: StaticString, from start: Int) throws(PropertyListError) {
    let offset = position
    position += start
    while position < bytes.count {
      if isNext(end) {
        position += end.utf8CodeUnitCount
        return
      }
      position += 1
    }
    throw error(.truncated, at: offset)
  }

  private mutating func readName() throws(PropertyListError) -> ArraySlice<UInt8> {
    let start = position
    while let byte = byte(at: position), !Self.isSpace(byte), !"/<>=\"'&!?".utf8.contains(byte) { position += 1 }
    guard position > start else { throw error(.malformedMarkup, at: start) }
    return bytes[start..<position]
  }

  /// Reads the XML declaration: only its encoding matters, and it must be one whose bytes are UTF-8.
  private mutating func readDeclaration() throws(PropertyListError) {
    let start = position
    try skip(past: "?>", from: 5)
    let text = String(decoding: bytes[start..<position], as: UTF8.self).lowercased()
    guard let name = text.quotedValue(of: "encoding") else { return }
    guard ["utf-8", "utf8", "us-ascii", "ascii"].contains(name) else { throw error(.unsupportedEncoding, at: start) }
  }

  /// Reads `&name;`, `&#10;` or `&#xA;`.
  private mutating func readEntity(into text: inout [UInt8]) throws(PropertyListError) {
    let start = position
    position += 1
    // The longest is a numeric reference with leading zeros; longer ones are refused.
    let longest = 12
    let content = bytes[position...].prefix(longest).prefix { $0 != UInt8(ascii: ";") }
    position += content.count
    guard byte(at: position) == UInt8(ascii: ";") else { throw error(.unknownEntity, at: start) }
    position += 1
    switch String(decoding: content, as: UTF8.self) {
    case "lt": text.append(UInt8(ascii: "<"))
    case "gt": text.append(UInt8(ascii: ">"))
    case "amp": text.append(UInt8(ascii: "&"))
    case "quot": text.append(UInt8(ascii: "\""))
    case "apos": text.append(UInt8(ascii: "'"))
    case let number where number.hasPrefix("#"):
      let isHexadecimal = number.hasPrefix("#x")
      let digits = number.dropFirst(isHexadecimal ? 2 : 1)
      guard digits.first != "+", digits.first != "-", let value = UInt32(digits, radix: isHexadecimal ? 16 : 10) else {
        throw error(.unknownEntity, at: start)
      }
      guard let scalar = Unicode.Scalar(value), XMLCharacter.isAllowed(scalar) else {
        throw error(.forbiddenCharacter, at: start)
      }
      text.append(contentsOf: String(scalar).utf8)
    default: throw error(.unknownEntity, at: start)
    }
  }

  private static func append(_ section: ArraySlice<UInt8>, to text: inout [UInt8]) {
    var isAfterReturn = false
    for byte in section {
      if byte == UInt8(ascii: "\r") {
        text.append(UInt8(ascii: "\n"))
      } else if !(isAfterReturn && byte == UInt8(ascii: "\n")) {
        text.append(byte)
      }
      isAfterReturn = byte == UInt8(ascii: "\r")
    }
  }

  private func checkCharacters() throws(PropertyListError) {
    guard String(validating: bytes, as: UTF8.self) != nil else {
      // The error is at the first byte that is not UTF-8.
      throw error(.invalidText, at: XMLCharacter.validPrefix(of: bytes))
    }
    for (offset, byte) in bytes.enumerated() where byte < 0x20 || byte == 0xEF {
      let isNonCharacter =
        byte == 0xEF && offset < bytes.count - 2 && bytes[offset + 1] == 0xBF && bytes[offset + 2] >= 0xBE
      guard byte == 0xEF ? !isNonCharacter : Self.isSpace(byte) else { throw error(.forbiddenCharacter, at: offset) }
    }
  }
}

extension String {
  /// Returns the quoted value of `name` in a declaration; empty if it is malformed, nil if it is absent.
  fileprivate func quotedValue(of name: String) -> String? {
    guard let start = self.firstRange(of: name) else { return nil }
    let rest = self[start.upperBound...].drop { $0.isWhitespace }
    guard rest.first == "=" else { return "" }
    let value = rest.dropFirst().drop { $0.isWhitespace }
    guard let quote = value.first, quote == "\"" || quote == "'" else { return "" }
    return String(value.dropFirst().prefix { $0 != quote })
  }
}
