import Foundation
import LatchkeyByteCoding
import Testing

/// The worked examples of a page of the server's catalog, as they stand in its text.
struct WirePage {
  /// Groups of values by the name of the comment above their block.
  private var groups: [String: [String: String]] = [:]

  /// - Parameter name: the page's file without its extension.
  init(_ name: String) throws {
    let text = try String(contentsOf: Self.file(name), encoding: .utf8)
    for match in text.matches(of: /<!-- ([a-z ]+) -->\n```\n((?:.*\n)*?)```\n/) {
      groups[String(match.1)] = Self.values(of: match.2)
    }
  }

  static func file(_ name: String) -> URL {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
      .appending(path: "Sources/LatchkeyEnrollmentServer/LatchkeyEnrollmentServer.docc/\(name).md")
  }

  /// A name, and below it lines of its value behind two blanks; behind four, a line goes on.
  private static func values(of block: Substring) -> [String: String] {
    var (values, name) = ([String: String](), "")
    for line in block.split(separator: "\n") {
      if line.hasPrefix("    ") {
        values[name, default: ""] += line.dropFirst(4)
      } else if line.hasPrefix("  ") {
        values[name] = (values[name].map { $0 + "\n" } ?? "") + line.dropFirst(2)
      } else {
        name = String(line)
      }
    }
    return values
  }

  func text(_ group: String, _ name: String) throws -> String {
    try #require(groups[group]?[name], "the page has no \(name) of \(group)")
  }

  /// The bytes of a value in hexadecimal.
  func bytes(_ group: String, _ name: String) throws -> [UInt8] {
    try Hexadecimal.decode(try text(group, name))
  }

  /// The names of the groups.
  var names: Set<String> { Set(groups.keys) }
}
