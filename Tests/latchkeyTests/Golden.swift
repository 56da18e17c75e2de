import LatchkeyTestSupport
import Foundation
import Testing

/// The output of a command, in a file: words replace identifiers, keys and ciphertexts, which differ each time.
enum Golden {
  /// Compares `lines` with the file of that name, and on a difference shows all of them.
  static func expect(_ lines: [String], are name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let url = Bundle.module.bundleURL.appendingPathComponent("Golden/\(name).txt")
    let expected = try String(contentsOf: url, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
    let actual = lines.map(masked)
    #expect(
      actual == expected.dropLast().map(String.init), "\(actual.joined(separator: "\n"))",
      sourceLocation: sourceLocation)
  }

  /// The line with words for what differs each time.
  static func masked(_ line: String) -> String {
    line
      .replacing(/[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}/, with: "IDENTIFIER")
      .replacing(/\b[0-9a-f]{32,}\b/, with: "DIGITS")
      .replacing(/pin=[0-9]{8}/, with: "pin=CODE").replacing(/"code":"[0-9]{8}"/, with: "\"code\":\"CODE\"")
      .replacing(/has the code [0-9]{8}/, with: "has the code CODE")
      .replacing(/https:\/\/localhost:[0-9]+/, with: "https://localhost:PORT")
      .replacing(/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z/, with: "TIME")
      .replacing(/"idempotencyKey":"[A-Za-z0-9_-]{22}"/, with: "\"idempotencyKey\":\"KEY\"")
      .replacing(/unix-(server|client):[^ "]+/, with: { "unix-\($0.output.1):PATH" })
  }
}
