import LatchkeyTestSupport
import Foundation
import Testing

/// The help of every command of both programs, as `--experimental-dump-help` has it.
@Suite struct EveryHelpTests {
  /// A command as the dump describes it.
  struct Dumped: Decodable, Sendable {
    struct Option: Decodable, Sendable {
      struct Name: Decodable, Sendable {
        let kind: String
        let name: String
        var text: String { (kind == "long" ? "--" : "-") + name }
      }
      let abstract: String?
      let names: [Name]?
      let shouldDisplay: Bool
    }
    let commandName: String
    let abstract: String?
    let discussion: String?
    let arguments: [Option]?
    let subcommands: [Dumped]?
  }

  /// A command with the words that call it.
  struct Verb: Sendable, CustomTestStringConvertible {
    let words: [String]
    let command: Dumped
    var testDescription: String { words.joined(separator: " ") }

    /// The lines of a block of the help, without their indentation.
    func block(_ title: String) -> [String] {
      let lines = (command.discussion ?? "").split(separator: "\n", omittingEmptySubsequences: false)
      guard let start = lines.firstIndex(of: Substring(title)) else { return [] }
      return lines[(start + 1)...].prefix { $0.hasPrefix("  ") }.map { $0.trimmingCharacters(in: .whitespaces) }
    }
  }

  private static let verbs: [Verb] = ["latchkey", "latchkey-server"].flatMap { name in
    do {
      let program = BuiltCommand.program.deletingLastPathComponent().appendingPathComponent(name)
      let dump = try BuiltCommand.run(["--experimental-dump-help"], input: [], program: program)
      struct Root: Decodable { let command: Dumped }
      return all(try JSONDecoder().decode(Root.self, from: Data(dump.output.utf8)).command, behind: [])
    } catch {
      fatalError("the help of \(name) cannot be read: \(error)")
    }
  }

  private static func all(_ command: Dumped, behind words: [String]) -> [Verb] {
    let words = words + [command.commandName]
    return [Verb(words: words, command: command)]
      + (command.subcommands ?? []).filter { $0.commandName != "help" }.flatMap { all($0, behind: words) }
  }

  @Test("all commands are found") func commands() {
    #expect(Self.verbs.count == 132)
  }

  @Test("Each command and each of its options has an abstract", arguments: verbs) func abstracts(verb: Verb) {
    #expect(verb.command.abstract?.isEmpty == false)
    for option in verb.command.arguments ?? [] where option.shouldDisplay {
      #expect(option.abstract?.isEmpty == false, "\(option.names?.map(\.text) ?? [])")
    }
  }

  @Test("each command has an example that calls it, with options that it has", arguments: verbs)
  func examples(verb: Verb) {
    let examples = verb.block("Examples:")
    #expect(!examples.isEmpty)
    // `device` and the server serve where their default command is not named.
    let shortened = verb.words == ["latchkey", "device", "run"] ? ["latchkey", "device"] : verb.words
    #expect(examples.contains { $0.contains(verb.testDescription) || $0.contains(shortened.joined(separator: " ")) })
    guard verb.command.subcommands?.isEmpty != false else { return }
    let known = Set((verb.command.arguments ?? []).filter(\.shouldDisplay).flatMap { $0.names ?? [] }.map(\.text))
    for example in examples {
      for word in example.split(separator: " ") where word.hasPrefix("--") {
        // `latchkey serve` hands everything on.
        guard verb.words != ["latchkey", "serve"] else { continue }
        #expect(known.contains(String(word)), "\(example)")
      }
    }
  }

  @Test("each command lists its statuses, in order and in the words of all", arguments: verbs)
  func statuses(verb: Verb) throws {
    let root = try #require(Self.verbs.first?.block("Exit statuses:"))
    let lines = verb.block("Exit statuses:")
    #expect(lines.first == "0    done")
    let numbers = lines.compactMap { $0.split(separator: " ").first.flatMap { Int($0) } }
    #expect(numbers == numbers.sorted() && Set(numbers).isSuperset(of: [64, 74, 130]))
    #expect(Set(root).isSuperset(of: lines), "the root's help has the whole table")
  }

  @Test("An option has the same name in every command", arguments: ["--hexadecimal", "--search-timeout", "--enrol"])
  func spellings(old: String) {
    for verb in Self.verbs {
      let shown = (verb.command.arguments ?? []).filter(\.shouldDisplay).flatMap { $0.names ?? [] }.map(\.text)
      #expect(!shown.contains(old), "\(verb.testDescription)")
    }
  }
}
