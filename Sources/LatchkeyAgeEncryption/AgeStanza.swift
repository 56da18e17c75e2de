import Foundation

/// One recipient stanza: the file key, wrapped for somebody (c2sp.org/age, "Recipient stanza").
struct AgeStanza: Hashable, Sendable {
  /// The type and what belongs to it; at least one, none empty.
  var arguments: [String]
  /// The wrapped file key.
  var body: [UInt8]

  private static let columns = 64

  /// The stanza's lines, each with its line feed.
  var text: String {
    var lines = "-> " + arguments.joined(separator: " ") + "\n"
    var rest = UnpaddedBase64.encode(body)[...]
    while rest.count >= Self.columns {
      lines += rest.prefix(Self.columns) + "\n"
      rest = rest.dropFirst(Self.columns)
    }
    return lines + rest + "\n"
  }

  /// Takes the lines of one stanza, without their line feeds, from the front of `lines`.
  static func take(from lines: inout ArraySlice<Substring>) throws(AgeError) -> AgeStanza {
    guard let first = lines.popFirst() else { throw .malformedHeader("a stanza is missing") }
    let arguments = first.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    guard arguments.count >= 2, arguments[0] == "->", arguments.dropFirst().allSatisfy(isArgument) else {
      throw .malformedHeader("a stanza does not begin with -> and its arguments")
    }
    var encoded = ""
    while true {
      guard let line = lines.popFirst() else { throw .malformedHeader("a stanza has no end") }
      guard line.utf8.count <= columns else { throw .malformedHeader("a line of a stanza is too long") }
      encoded += line
      if line.utf8.count < columns { break }
    }
    guard let body = UnpaddedBase64.decode(encoded) else {
      throw .malformedHeader("the body of a stanza is no canonical Base64")
    }
    return AgeStanza(arguments: Array(arguments.dropFirst()), body: body)
  }

  private static func isArgument(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }
}

/// Base64 (RFC 4648 section 4) without padding, canonical alone.
enum UnpaddedBase64 {
  static func encode(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString().replacing("=", with: "")
  }

  /// The bytes; nil for white space, padding, or bits left over that are not zero.
  static func decode(_ text: String) -> [UInt8]? {
    let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    guard padding.utf8.count < 3, let data = Data(base64Encoded: text + padding) else { return nil }
    let bytes = [UInt8](data)
    return encode(bytes) == text ? bytes : nil
  }
}
