internal import RawStructuredFieldValues

/// The type of a structured field; its bytes do not determine it.
package enum StructuredFieldKind: Sendable {
  case dictionary, list, item
}

/// Structured fields (RFC 9651), parsed with limits and with this module's errors.
package enum StructuredField {
  /// The types of the fields that `sf` supports.
  package static let kinds: [String: StructuredFieldKind] = [
    "accept-signature": .dictionary, "cache-status": .list, "content-digest": .dictionary,
    "idempotency-key": .item, "priority": .dictionary, "proxy-status": .list, "repr-digest": .dictionary,
    "signature": .dictionary, "signature-input": .dictionary, "want-content-digest": .dictionary,
    "want-repr-digest": .dictionary,
  ]

  /// The members of a dictionary in order, each with its text. A repeated key is an error: readers differ in which of the two
  /// they use.
  static func members(
    _ value: String, field: String
  ) throws(SealedMessageError) -> [(key: String, value: ItemOrInnerList, text: String)] {
    let texts = try split(value, field: field)
    var members: [(key: String, value: ItemOrInnerList, text: String)] = []
    for text in texts {
      let map = try parse(field) {
        var parser = StructuredFieldValueParser(Array(text.utf8))
        return try parser.parseDictionaryFieldValue()
      }
      guard map.count == 1, let (key, value) = map.first else { throw .malformed("\(field): not a dictionary") }
      guard !members.contains(where: { $0.key == key }) else { throw .malformed("\(field): a key stands twice") }
      members.append((key, value, text))
    }
    return members
  }

  /// Serializes a field in canonical form, by its type.
  static func canonical(_ value: String, field: String, kind: StructuredFieldKind) throws(SealedMessageError) -> String
  {
    try bound(value, field: field)
    return String(
      decoding: try parse(field) {
        var parser = StructuredFieldValueParser(Array(value.utf8))
        var serializer = StructuredFieldValueSerializer()
        return switch kind {
        case .dictionary: try serializer.writeDictionaryFieldValue(parser.parseDictionaryFieldValue())
        case .list: try serializer.writeListFieldValue(parser.parseListFieldValue())
        case .item: try serializer.writeItemFieldValue(parser.parseItemFieldValue())
        }
      }, as: UTF8.self)
  }

  /// A member of a dictionary, by its key; the last one if repeated, per RFC 9651.
  static func member(_ key: String, of value: String, field: String) throws(SealedMessageError) -> ItemOrInnerList? {
    try bound(value, field: field)
    return try parse(field) {
      var parser = StructuredFieldValueParser(Array(value.utf8))
      return try parser.parseDictionaryFieldValue()[key]
    }
  }

  /// Serializes a member's value.
  static func serialize(_ value: ItemOrInnerList, field: String) throws(SealedMessageError) -> String {
    String(
      decoding: try parse(field) {
        var serializer = StructuredFieldValueSerializer()
        return try serializer.writeListFieldValue([value])
      }, as: UTF8.self)
  }

  /// Splits a dictionary at its commas, ignoring those inside strings.
  private static func split(_ value: String, field: String) throws(SealedMessageError) -> [String] {
    try bound(value, field: field)
    var texts: [String] = []
    var (text, isString, isEscaped) = ([UInt8](), false, false)
    for byte in value.utf8 {
      if byte == UInt8(ascii: ","), !isString {
        texts.append(String(decoding: text, as: UTF8.self))
        text = []
        continue
      }
      text.append(byte)
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = isString
      } else if byte == UInt8(ascii: "\"") {
        isString.toggle()
      }
    }
    texts.append(String(decoding: text, as: UTF8.self))
    guard texts.count <= SignatureLimits.signatures else { throw .malformed("\(field): too many members") }
    // White space around a comma belongs to neither member.
    return texts.map { text in
      let kept = text.utf8.drop { $0 == 0x20 || $0 == 0x09 }
      let end = kept.lastIndex { $0 != 0x20 && $0 != 0x09 }
      return end.map { String(decoding: kept[...$0], as: UTF8.self) } ?? ""
    }
  }

  private static func bound(_ value: String, field: String) throws(SealedMessageError) {
    guard value.utf8.count <= SignatureLimits.fieldSize else {
      throw .malformed("\(field): longer than \(SignatureLimits.fieldSize) bytes")
    }
  }

  private static func parse<T>(_ field: String, _ body: () throws -> T) throws(SealedMessageError) -> T {
    do { return try body() } catch { throw .malformed("\(field): not a structured field") }
  }
}
