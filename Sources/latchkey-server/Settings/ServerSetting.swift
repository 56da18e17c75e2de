import ArgumentParser
import Foundation

/// An option that the configuration file or the environment can set, too.
///
/// The parser's own declarations are the only list of options: this is read from the description that the parser gives of a command.
struct ServerSetting: Sendable, Hashable {
  /// Its key in the file: its long name without dashes.
  let key: String
  /// Its keys in the file: its long names, of which an old one still counts.
  let keys: [String]
  /// All its names on the command line, with dashes.
  let names: [String]
  /// Whether a value follows; else it is a flag.
  let takesValue: Bool
  /// Whether it may stand several times.
  let isRepeating: Bool
  /// Whether its value may begin with a dash.
  let takesAnyWord: Bool
  /// The name that turns a flag off, if there is one.
  let negation: String?
  /// The value without the option, as a user types it.
  let standard: String?
  /// Whether its value may be a secret: an option that takes `@FILE`, or the store's address, which may contain a password.
  let maySecret: Bool

  /// Its name on the command line.
  var option: String { "--" + key }
  /// Its variable in the environment.
  var variable: String { Self.variablePrefix + key.uppercased().replacingOccurrences(of: "-", with: "_") }

  /// What all variables of the program begin with.
  static let variablePrefix = "LATCHKEY_SERVER_"
  /// Options that make no sense in a file: they ask for another action, or name the file itself.
  private static let ofTheCommandLine: Set<String> = ["help", "version", "config", "check"]

  /// The options of a command.
  static func all(of command: DumpedCommand) -> [ServerSetting] {
    (command.arguments ?? []).compactMap { ServerSetting($0) }.filter { !ofTheCommandLine.contains($0.key) }
  }

  private init?(_ dumped: DumpedCommand.Argument) {
    guard dumped.kind != "positional", let long = dumped.names?.filter({ $0.kind == "long" }), !long.isEmpty else {
      return nil
    }
    let negation = long.first { name in long.contains { "no-" + $0.name == name.name } }
    let preferred = dumped.preferredName.flatMap { $0.kind == "long" ? $0.name : nil }
    key = preferred.flatMap { $0 == negation?.name ? nil : $0 } ?? long[0].name
    keys = long.map(\.name).filter { $0 != negation?.name }
    names = (dumped.names ?? []).map { ($0.kind == "long" ? "--" : "-") + $0.name }
    takesValue = dumped.kind == "option"
    isRepeating = dumped.isRepeating
    takesAnyWord = dumped.parsingStrategy == "unconditional"
    self.negation = negation.map { "--" + $0.name }
    let abstract = dumped.abstract ?? ""
    standard = takesValue ? dumped.defaultValue ?? Self.statedDefault(abstract) : "false"
    maySecret = key == "store" || abstract.contains("@FILE")
  }

  /// The default in an abstract: the parser does not know that of an option which a function reads.
  private static func statedDefault(_ abstract: String) -> String? {
    guard abstract.hasSuffix(")"), let start = abstract.range(of: "(default: ", options: .backwards) else { return nil }
    return String(abstract[start.upperBound...].dropLast())
  }
}

/// A command as the parser describes it (`--experimental-dump-help`).
struct DumpedCommand: Decodable {
  struct Name: Decodable {
    let kind: String
    let name: String
  }

  struct Argument: Decodable {
    let kind: String
    let isRepeating: Bool
    let parsingStrategy: String
    let names: [Name]?
    let preferredName: Name?
    let defaultValue: String?
    let abstract: String?
  }

  let commandName: String
  let arguments: [Argument]?
  let subcommands: [DumpedCommand]?

  /// The description of a command, or of a group of options.
  static func of(_ type: any ParsableArguments.Type) -> DumpedCommand {
    struct Dump: Decodable { let command: DumpedCommand }
    do {
      return try JSONDecoder().decode(Dump.self, from: Data(type._dumpHelp().utf8)).command
    } catch {
      // The parser describes itself in a form that a test of every command reads.
      preconditionFailure("the parser's description of its options cannot be read: \(error)")
    }
  }
}
