import LatchkeyByteCoding

/// A recipient stanza: the file key, wrapped for one recipient (c2sp.org/age, "Recipient stanza").
struct AgeStanza: Hashable, Sendable {
  /// The type and its arguments; at least one, none empty.
  var arguments: [String]
  /// The wrapped file key.
  var body: [UInt8]

  private static let columns = 64

  /// The stanza's lines, each with its line feed.
  var text: String {
    var lines = "-> " + arguments.joined(separator: " ") + "\n"
    var rest = Base64.encode(body, as: .standardUnpadded)[...]
    while rest.count >= Self.columns {
      lines += rest.prefix(Self.columns) + "\n"
      rest = rest.dropFirst(Self.columns)
    }
    return lines + rest + "\n"
  }

  /// Parses one stanza from the front of `lines`, which have no line feeds, and removes its lines.
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
    guard let body = try? Base64.decode(encoded, as: .standardUnpadded) else {
      throw .malformedHeader("the body of a stanza is no canonical Base64")
    }
    return AgeStanza(arguments: Array(arguments.dropFirst()), body: body)
  }

  private static func isArgument(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }
}
