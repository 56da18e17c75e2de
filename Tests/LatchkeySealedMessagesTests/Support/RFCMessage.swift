import Foundation
import LatchkeySealedMessages

/// A message as an RFC prints it.
struct RFCMessage: Sendable {
  var startLine: [String]
  var fields: HTTPFields
  var body: [UInt8]

  init(_ printed: String) {
    let parts = Self.unfold(printed).split(separator: "\n\n", maxSplits: 1)
    let lines = parts[0].split(separator: "\n")
    startLine = lines[0].split(separator: " ").map(String.init)
    fields = Self.fields(lines.dropFirst().map(String.init))
    body = parts.count > 1 ? Array(parts[1].utf8) : []
  }

  /// Undoes RFC 8792's folding: a backslash at the end of a line, and the white space that begins the next one.
  static func unfold(_ text: String) -> String { text.replacing(/\\\n */, with: "") }

  static func fields(_ lines: [String]) -> HTTPFields {
    HTTPFields(
      lines.map { line in
        let parts = line.split(separator: ":", maxSplits: 1)
        return (String(parts[0]), String(parts[1]))
      })
  }

  func asRequest(scheme: String = "https") -> HTTPRequestMessage {
    HTTPRequestMessage(
      method: startLine[0], targetURI: "\(scheme)://\(fields["host"] ?? "")\(startLine[1])", fields: fields)
  }

  func asResponse() -> HTTPResponseMessage { HTTPResponseMessage(status: Int(startLine[1]) ?? 0, fields: fields) }
}

/// The fields that a signature adds to a message, and the base that it signs.
struct RFCExample: Sendable {
  var fields: HTTPFields
  var base: String

  init(fields: String, base: String) {
    self.fields = RFCMessage.fields(RFCMessage.unfold(fields).split(separator: "\n").map(String.init))
    self.base = RFCMessage.unfold(base)
  }
}
