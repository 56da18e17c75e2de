import ArgumentParser
import Testing

@testable import latchkey

/// That `--help` is true: what a verb prints with `--json` in some transcript is named there.
@Suite struct KeychainHelpTests {
  @Test("Each verb's help names every event that its transcripts show", arguments: verbs)
  func eventsAreNamed(verb: String) throws {
    let command = try #require(
      KeychainCommand.configuration.subcommands.first { $0.configuration.commandName == verb })
    // Lines break anywhere between words.
    let help = command.helpMessage(columns: 10_000)
    let told = try #require(help.firstRange(of: "With --json: ").map { help[$0.upperBound...] })
    let words = Set(told.prefix { $0 != "\n" }.split { !$0.isLetter }.map(String.init))
    for event in events(of: verb) { #expect(words.contains(event), "\(verb): \(event)") }
  }

  @Test("Each verb that prints events is shown to do so in a transcript", arguments: verbs)
  func eventsAreShown(verb: String) {
    #expect(events(of: verb).contains("done") || events(of: verb).contains("error"))
  }

  private static let verbs = KeychainCommand.configuration.subcommands.compactMap { $0.configuration.commandName }

  /// The names of the events that `verb` prints in the transcripts.
  private func events(of verb: String) -> Set<String> {
    var events: Set<String> = []
    for step in Transcript.all.flatMap(\.steps) {
      guard case .latchkey(let arguments) = step.command, arguments.starts(with: ["keychain", verb]) else { continue }
      for line in step.output.split(separator: "\n") where line.hasPrefix("{\"event\":\"") {
        events.insert(String(line.dropFirst(10).prefix { $0 != "\"" }))
      }
    }
    return events
  }
}
