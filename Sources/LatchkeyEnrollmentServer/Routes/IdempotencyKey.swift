/// Identifies repetitions of a request by the caller's key, which is stored with a digest of the request.
struct IdempotencyKey: Sendable, Hashable {
  /// The caller's text.
  let text: String

  /// Parses the header field.
  ///
  /// - Returns: nil unless it has 16 to 128 characters of `A-Z a-z 0-9 - _`; the quotes of a structured-field string are
  ///   removed.
  init?(field: String) {
    var text = Substring(field)
    if text.count >= 2, text.first == "\"", text.last == "\"" { text = text.dropFirst().dropLast() }
    guard (16...128).contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowed) else { return nil }
    self.text = String(text)
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
