import ArgumentParser
import Testing

@testable import latchkey

/// That `--help` is true: what a verb prints with `--json` in some transcript is named there.
@Suite struct CommandHelpTests {
  @Test("Each verb's help names every event that its transcripts show", arguments: verbs)
  func eventsAreNamed(verb: Verb) throws {
    // Lines break anywhere between words.
    let help = verb.command.helpMessage(columns: 10_000)
    let reported = try #require(help.firstRange(of: "With --json: ").map { help[$0.upperBound...] })
    let words = Set(reported.prefix { $0 != "\n" }.split { !$0.isLetter }.map(String.init))
    for event in events(of: verb) { #expect(words.contains(event), "\(verb.testDescription): \(event)") }
  }

  @Test("Each verb that prints events is shown to do so in a transcript", arguments: verbs)
  func eventsAreShown(verb: Verb) {
    #expect(events(of: verb).contains("done") || events(of: verb).contains("error"))
  }

  /// A command, and the words that call it.
  struct Verb: Sendable, CustomTestStringConvertible {
    let command: any ParsableCommand.Type
    let words: [String]
    var testDescription: String { words.joined(separator: " ") }
  }

  private static let groups: [any ParsableCommand.Type] = [KeychainCommand.self, EnclaveCommand.self]
  private static let single: [any ParsableCommand.Type] = [
    EnrollCommand.self, LoginCommand.self, AccountsCommand.self, TransferCommand.self,
  ]
  private static let verbs =
    groups.flatMap { group in group.configuration.subcommands.map { verb($0, in: group) } }
    + single.map { verb($0, in: nil) }

  private static func verb(_ command: any ParsableCommand.Type, in group: (any ParsableCommand.Type)?) -> Verb {
    Verb(command: command, words: [group, command].compactMap { $0?.configuration.commandName })
  }

  /// The names of the events that `verb` prints in the transcripts.
  private func events(of verb: Verb) -> Set<String> {
    var events: Set<String> = []
    for step in Transcript.all.flatMap(\.steps) {
      guard case .latchkey(let arguments) = step.command, arguments.starts(with: verb.words) else { continue }
      for line in step.output.split(separator: "\n") where line.hasPrefix("{\"event\":\"") {
        events.insert(String(line.dropFirst(10).prefix { $0 != "\"" }))
      }
    }
    return events
  }
}
