import ArgumentParser
import Foundation

/// A mistyped command or option. The parser reports missing options first, and calls a mistyped command an option's value; this
/// finds the word that it does not know.
struct UnknownArgument {
  /// The error, and the name that may be meant.
  let message: String

  /// The first word of `arguments` that no command and no option below `root` has; nil: there is none.
  static func first(in arguments: [String], of root: any ParsableCommand.Type) -> UnknownArgument? {
    var command = root
    var rest = arguments[...]
    while !command.configuration.subcommands.isEmpty, let word = rest.first, !word.hasPrefix("-") {
      guard let next = command.configuration.subcommands.first(where: { names(of: $0).contains(word) }) else {
        guard word != "help", command.configuration.defaultSubcommand == nil else { return nil }
        let known = command.configuration.subcommands.flatMap { names(of: $0) }
        return UnknownArgument(message: message("Unknown command '\(word)'", word, among: known))
      }
      command = next
      rest = rest.dropFirst()
    }
    // Lines break anywhere between words. Options of older names are known, too, and hidden.
    let words = command.helpMessage(includeHidden: true, columns: 10_000).split {
      $0.isWhitespace || "[]|,/()".contains($0)
    }
    let known = Set(words.map(String.init).filter { $0.hasPrefix("--") })
    for word in rest.prefix(while: { $0 != "--" }) where word.hasPrefix("--") {
      let name = String(word.prefix { $0 != "=" })
      guard !known.contains(name), !everywhere.contains(name) else { continue }
      return UnknownArgument(message: message("Unknown option '\(name)'", name, among: Array(known)))
    }
    return nil
  }

  /// Options that the parser accepts for every command.
  private static let everywhere: Set<String> = ["--help", "--version", "--help-hidden"]

  /// All by which a command is called.
  private static func names(of command: any ParsableCommand.Type) -> [String] {
    [command.configuration.commandName].compactMap { $0 } + command.configuration.aliases
  }

  private static func message(_ text: String, _ word: String, among known: [String]) -> String {
    let near = known.map { (name: $0, distance: distance($0, word)) }.filter { $0.distance <= 2 }
    let best = near.min { ($0.distance, $0.name) < ($1.distance, $1.name) }
    return text + (best.map { ". Did you mean '\($0.name)'?" } ?? "")
  }

  /// How many characters must be inserted, deleted or changed to make `b` of `a`.
  static func distance(_ a: String, _ b: String) -> Int {
    let b = Array(b.prefix(64))
    var row = Array(0...b.count)
    for (line, character) in a.prefix(64).enumerated() {
      var diagonal = row[0]
      row[0] = line + 1
      for column in b.indices {
        let changed = diagonal + (b[column] == character ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(changed, row[column] + 1, diagonal + 1)
      }
    }
    return row[b.count]
  }
}
