import ArgumentParser
import Testing

@testable import latchkey

/// That `--help` is true: what a verb prints with `--json` in some transcript is named there.
@Suite struct CommandHelpTests {
  @Test("Each verb's help names every event that its transcripts show", arguments: verbs)
  func eventsAreNamed(verb: Verb) throws {
    let command = try #require(
      verb.group.configuration.subcommands.first { $0.configuration.commandName == verb.name })
    // Lines break anywhere between words.
    let help = command.helpMessage(columns: 10_000)
    let told = try #require(help.firstRange(of: "With --json: ").map { help[$0.upperBound...] })
    let words = Set(told.prefix { $0 != "\n" }.split { !$0.isLetter }.map(String.init))
    for event in events(of: verb) { #expect(words.contains(event), "\(verb.name): \(event)") }
  }

  @Test("Each verb that prints events is shown to do so in a transcript", arguments: verbs)
  func eventsAreShown(verb: Verb) {
    #expect(events(of: verb).contains("done") || events(of: verb).contains("error"))
  }

  /// A command below a command.
  struct Verb: Sendable, CustomTestStringConvertible {
    let group: any ParsableCommand.Type
    let name: String
    var testDescription: String { "\(group.configuration.commandName ?? "") \(name)" }
  }

  private static let groups: [any ParsableCommand.Type] = [KeychainCommand.self, EnclaveCommand.self]
  private static let verbs = groups.flatMap { group in
    group.configuration.subcommands.compactMap { $0.configuration.commandName }.map { Verb(group: group, name: $0) }
  }

  /// The names of the events that `verb` prints in the transcripts.
  private func events(of verb: Verb) -> Set<String> {
    var events: Set<String> = []
    for step in Transcript.all.flatMap(\.steps) {
      guard case .latchkey(let arguments) = step.command,
        arguments.starts(with: [verb.group.configuration.commandName ?? "", verb.name])
      else { continue }
      for line in step.output.split(separator: "\n") where line.hasPrefix("{\"event\":\"") {
        events.insert(String(line.dropFirst(10).prefix { $0 != "\"" }))
      }
    }
    return events
  }
}
