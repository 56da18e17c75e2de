/// Strings in JSON (RFC 8259 section 7).
package enum JSONString {
  /// Which characters stand as escapes, beside the quotation mark, the backslash and the line feed, which always do.
  package struct Escapes: Sendable {
    /// Which of the short escapes of section 7 are used, beside those for characters that always stand as escapes.
    private enum ShortForms {
      case none, returnAndTab, all
    }

    private let shortForms: ShortForms
    private let contains: @Sendable (Unicode.Scalar) -> Bool

    private init(shortForms: ShortForms, contains: @escaping @Sendable (Unicode.Scalar) -> Bool) {
      self.shortForms = shortForms
      self.contains = contains
    }

    /// The characters for which `contains` is true, and U+0000 to U+001F, which JSON does not allow otherwise.
    ///
    /// - Parameter hasShortForms: Whether a carriage return and a tab are `\r` and `\t`, and not `\u000d` and `\u0009`.
    package init(hasShortForms: Bool, contains: @escaping @Sendable (Unicode.Scalar) -> Bool) {
      self.init(shortForms: hasShortForms ? .returnAndTab : .none, contains: contains)
    }

    /// Only what JSON requires, with short forms.
    package static let required = Escapes(hasShortForms: true) { _ in false }

    /// Control characters, U+007F to U+009F among them, without short forms.
    package static let controls = Escapes(hasShortForms: false) { ("\u{7F}"..."\u{9F}").contains($0) }

    /// Only what JSON requires, and `/`, with all short forms, `\b`, `\f` and `\/` among them: the encoder of Apple's Foundation.
    package static let foundation = Escapes(shortForms: .all) { _ in false }

    /// As ``foundation``, and all characters that are not ASCII: the encoder of PHP.
    package static let php = Escapes(shortForms: .all) { !$0.isASCII }

    fileprivate func escape(_ scalar: Unicode.Scalar) -> String? {
      switch scalar {
      case "\"": "\\\""
      case "\\": "\\\\"
      case "\n": "\\n"
      case "\r" where shortForms != .none: "\\r"
      case "\t" where shortForms != .none: "\\t"
      case "\u{08}" where shortForms == .all: "\\b"
      case "\u{0C}" where shortForms == .all: "\\f"
      case "/" where shortForms == .all: "\\/"
      case _ where scalar.value < 0x20 || contains(scalar): UTF16.encode(scalar)?.map(Self.numeric).joined()
      default: nil
      }
    }

    private static func numeric(_ unit: UInt16) -> String {
      let digits = String(unit, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
  }

  /// `text` in quotation marks. A character above U+FFFF is an escaped surrogate pair if `escapes` contains it.
  package static func quote(_ text: String, escapes: Escapes) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      if let escape = escapes.escape(scalar) {
        quoted += escape
      } else {
        quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
