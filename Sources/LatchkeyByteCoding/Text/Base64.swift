/// Bytes as Base64 text, and back (RFC 4648 sections 4 and 5).
///
/// Each form accepts one text for each byte string, white space aside: the decoder refuses padding that is missing or too much,
/// and bits after the last byte that are not zero (section 3.5). No table is indexed by a digit, and no branch depends on
/// which digit it is, so that the timing does not reveal a secret.
package enum Base64 {
  /// Which characters a text has.
  package enum Form: Sendable, CaseIterable {
    /// `+` and `/`, padded, unbroken (section 4).
    case standard
    /// As ``standard``, with spaces, tabs, carriage returns and line feeds anywhere: property lists and PEM.
    /// The encoder adds none.
    case standardWithWhitespace
    /// `+` and `/`, without padding: age files.
    case standardUnpadded
    /// `-` and `_`, without padding (section 5): fields and names.
    case urlUnpadded
  }

  /// The text of `bytes`, without line breaks.
  package static func encode(_ bytes: [UInt8], as form: Form = .standard) -> String {
    String(decoding: encodeASCII(bytes.span, as: form), as: UTF8.self)
  }

  /// The characters of the text of `bytes`, without line breaks, as an array that a caller can wipe.
  package static func encodeASCII(_ bytes: borrowing Span<UInt8>, as form: Form = .standard) -> [UInt8] {
    var text: [UInt8] = []
    // The array never grows, which would leave a copy of its first part.
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let count = min(3, bytes.count - start)
      var group = Int32(bytes[start]) << 16
      if count > 1 { group |= Int32(bytes[start + 1]) << 8 }
      if count > 2 { group |= Int32(bytes[start + 2]) }
      text.append(form.digit(group >> 18))
      text.append(form.digit(group >> 12 & 0x3F))
      if count > 1 { text.append(form.digit(group >> 6 & 0x3F)) }
      if count > 2 { text.append(form.digit(group & 0x3F)) }
      if form.isPadded { for _ in count..<3 { text.append(padding) } }
    }
    return text
  }

  /// The bytes of `text`.
  ///
  /// - Throws: `notBase64` with the offset of the first character (in UTF-8) that the form does not have, or that follows padding;
  ///   `invalidBase64Length`; `nonCanonicalBase64`.
  package static func decode(_ text: String, as form: Form = .standard) throws(ByteCodingError) -> [UInt8] {
    try decode(text.utf8Span.span, as: form)
  }

  /// The bytes of a text, which is UTF-8.
  ///
  /// The array is the only copy of the bytes, which a caller can wipe.
  ///
  /// - Throws: As for a `String`.
  package static func decode(
    _ text: borrowing Span<UInt8>, as form: Form = .standard
  ) throws(ByteCodingError) -> [UInt8] {
    var bytes: [UInt8] = []
    try decode(text, as: form, into: &bytes)
    return bytes
  }

  /// Replaces `bytes`, which are wiped first, with the bytes of a text.
  ///
  /// - Throws: As for a `String`. `bytes` then are zeros, as many as were decoded before the error.
  package static func decode(
    _ text: borrowing Span<UInt8>, as form: Form = .standard, into bytes: inout [UInt8]
  ) throws(ByteCodingError) {
    bytes.wipe()
    bytes.removeAll(keepingCapacity: true)
    // The array never grows, which would leave a copy of its first part.
    bytes.reserveCapacity(text.count / 4 * 3 + 2)
    do throws(ByteCodingError) {
      try appendBytes(of: text, as: form, to: &bytes)
    } catch {
      bytes.wipe()
      throw error
    }
  }

  private static func appendBytes(
    of text: borrowing Span<UInt8>, as form: Form, to bytes: inout [UInt8]
  ) throws(ByteCodingError) {
    var group: Int32 = 0
    var digits = 0
    var paddings = 0
    for offset in text.indices {
      let character = text[offset]
      if form.skipsWhitespace, isWhitespace(character) { continue }
      if form.isPadded, character == padding {
        paddings += 1
        continue
      }
      let value = form.value(of: character)
      guard paddings == 0, value >= 0 else { throw .notBase64(offset: offset) }
      group = group << 6 | value
      digits += 1
      if digits == 4 {
        bytes.append(UInt8(truncatingIfNeeded: group >> 16))
        bytes.append(UInt8(truncatingIfNeeded: group >> 8))
        bytes.append(UInt8(truncatingIfNeeded: group))
        (group, digits) = (0, 0)
      }
    }
    switch (digits, paddings) {
    case (0, 0): return
    case (2, form.isPadded ? 2 : 0):
      guard group & 0x0F == 0 else { throw .nonCanonicalBase64 }
      bytes.append(UInt8(truncatingIfNeeded: group >> 4))
    case (3, form.isPadded ? 1 : 0):
      guard group & 0x03 == 0 else { throw .nonCanonicalBase64 }
      bytes.append(UInt8(truncatingIfNeeded: group >> 10))
      bytes.append(UInt8(truncatingIfNeeded: group >> 2))
    default: throw .invalidBase64Length
    }
  }

  private static let padding = UInt8(ascii: "=")

  private static func isWhitespace(_ character: UInt8) -> Bool {
    character == 0x20 || character == 0x09 || character == 0x0A || character == 0x0D
  }
}

extension Base64.Form {
  fileprivate var isPadded: Bool { self == .standard || self == .standardWithWhitespace }

  fileprivate var skipsWhitespace: Bool { self == .standardWithWhitespace }

  /// The digits 62 and 63, where the alphabets differ.
  private var lastDigits: (Int32, Int32) { self == .urlUnpadded ? (0x2D, 0x5F) : (0x2B, 0x2F) }

  /// The digit for a value of 6 bits.
  fileprivate func digit(_ value: Int32) -> UInt8 {
    // A negative difference shifted right is a mask of ones.
    let (digit62, digit63) = lastDigits
    var digit = value + 0x41
    digit += (25 - value) >> 8 & (0x61 - 0x41 - 26)
    digit += (51 - value) >> 8 & (0x30 - 0x61 - 26)
    digit += (61 - value) >> 8 & (digit62 - 0x30 - 10)
    digit += (62 - value) >> 8 & (digit63 - digit62 - 1)
    return UInt8(truncatingIfNeeded: digit)
  }

  /// The value of a digit; negative for any other character.
  fileprivate func value(of character: UInt8) -> Int32 {
    let character = Int32(character)
    let (digit62, digit63) = lastDigits
    // At most one range contains the character; it adds the value and 1.
    var value: Int32 = -1
    value += Self.mask(character, in: 0x41, 0x5A) & (character - 0x41 + 1)
    value += Self.mask(character, in: 0x61, 0x7A) & (character - 0x61 + 27)
    value += Self.mask(character, in: 0x30, 0x39) & (character - 0x30 + 53)
    value += Self.mask(character, in: digit62, digit62) & 63
    value += Self.mask(character, in: digit63, digit63) & 64
    return value
  }

  /// Ones if `character` is in `first...last`, zeros otherwise.
  private static func mask(_ character: Int32, in first: Int32, _ last: Int32) -> Int32 {
    ((first - 1 - character) & (character - last - 1)) >> 8
  }
}
