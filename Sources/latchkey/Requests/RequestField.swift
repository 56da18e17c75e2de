import Foundation
import LatchkeyCommandLine
import LatchkeySystem

/// Fields of requests and responses at the command line.
enum RequestField {
  /// More than any service takes.
  private static let largestFile = 256 * 1024

  /// The fields of `-H`, and of the files that it names.
  static func read(_ texts: [String]) throws(CommandFailure) -> [(name: String, value: String)] {
    var fields: [(name: String, value: String)] = []
    for text in texts {
      guard text.first == "@" else {
        fields.append(try field(text))
        continue
      }
      let path = String(text.dropFirst())
      guard let lines = try self.text(of: path, upTo: largestFile) else {
        throw CommandFailure(.badData, "\(path) has no fields: a NAME: VALUE in each line")
      }
      for line in lines.split(whereSeparator: \.isNewline) { fields.append(try field(String(line))) }
    }
    return fields
  }

  /// The text of a file, to the byte, or of standard input for `-`; nil if it is longer than this, or not UTF-8.
  static func text(of path: String, upTo limit: Int) throws(CommandFailure) -> String? {
    let content: Data
    do {
      content =
        try FileHandle(forReadingFrom: URL(fileURLWithPath: path == "-" ? "/dev/stdin" : path))
        .read(upToCount: limit + 1) ?? Data()
    } catch {
      throw CommandFailure(.inputOutput, "\(path) cannot be read")
    }
    return content.count <= limit ? String(validating: content, as: UTF8.self) : nil
  }

  private static func field(_ text: String) throws(CommandFailure) -> (name: String, value: String) {
    guard let colon = text.firstIndex(of: ":"), colon > text.startIndex else {
      // Not quoted: it may be a secret that lacks its name.
      throw CommandFailure(.usage, "-H is NAME: VALUE, or @FILE with one in each line")
    }
    return (String(text[..<colon]), text[text.index(after: colon)...].trimmingCharacters(in: .whitespaces))
  }

  /// Whether a field's value may be a secret, by its name.
  static func isSecret(_ name: String) -> Bool {
    let name = name.lowercased()
    guard !["idempotency-key", "signature", "signature-input", "accept-signature", "sec-websocket-key"].contains(name)
    else {
      return false
    }
    return [
      "authorization", "authentication-info", "cookie", "token", "secret", "password", "passphrase", "key",
      "credential", "session", "latchkey-approval",
    ]
    .contains { name.contains($0) }
  }

  /// A field for a report, without what may be secret.
  static func shown(_ field: (name: String, value: String)) -> String {
    "\(field.name): \(isSecret(field.name) ? "(left out)" : field.value)"
  }

  /// Reports lines on standard error, as curl's -v marks them.
  static func report(_ lines: [String], mark: String) {
    for line in lines { StandardStreams.writeErrorLine("\(mark) \(PrintableText.escaped(line))") }
  }
}
