import ArgumentParser
import Foundation
import LatchkeyCommandLine

/// `latchkey ble explore`: walks what a device offers, as one types.
struct BLEExploreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explore",
    abstract: "Look at a device's services; read, write and subscribe, line by line.",
    discussion: """
      Lists the devices that advertise, then does what the lines of standard input say, one after the other:

      \(ExploreInput.grammar)

      Values are printed as hexadecimal digits, and as text in quotes if they are UTF-8; updates of what was subscribed to \
      as they come. A connection lists what the device offers. A line that cannot be done, that has more than \
      \(InputLines.limit) bytes or that is not UTF-8 is reported on standard error, and the next one is read; unless standard \
      input is a terminal, the command then ends with 69.

      What a device protects makes the two pair. With --pair the user is asked, and the next line is the answer: yes, no, or \
      the six digits that the device shows. Without it they pair unprotected from a third party in the middle.

      At a terminal the line is edited with the arrow keys and the keys of Emacs; the arrows up and down show the lines before, and Tab \
      completes commands, devices and attributes. What is printed meanwhile stands above the line. TERM=dumb goes without.

      With --json: device (as `ble scan` has it), connected (identifier, name), service (uuid, name, handle, characteristics with \
      uuid, name, handle, properties, descriptors and descriptorHandles), value and update (path, service, characteristic, descriptor, \
      handle, name, value, text), written, sent, subscribed and unsubscribed (path, service, characteristic, descriptor, handle, name), \
      failed (command, null for a line that is too long or not UTF-8; code, message), disconnected (reason), help (text), finished, \
      pairing (identifier, question, digits), paired (identifier, stored), notPaired (identifier, reason), done or error. All but those of \
      pairings have an id: the number of the line that they answer, 0 for --name, null if no line asked; finished is the last of a line.
      """,
    examples: [
      "latchkey ble explore --hci unix-client:/tmp/radio --name Lamp",
      "echo 'read F202' | latchkey ble explore --name Lamp --seconds 5 --json",
    ],
    statuses: [.unavailable])

  @Option(help: "Connect to the device that advertises this name first.") var name: String?
  @Flag(help: "Ask, when the device pairs; the next line is the answer.") var pair = false
  @OptionGroup var search: SearchOptions
  @OptionGroup var controller: ControllerOptions
  @OptionGroup var output: EventOptions

  func validate() throws {
    guard search.duration > 0 else { throw ValidationError("--seconds is above 0, and 86400 at most") }
  }

  func run() async throws {
    try await output.run {
      let session = CentralSession(options: try controller.managerOptions(), pairing: pair ? .asked : .silent)
      try await session.start()
      let vocabulary = ExploreVocabulary()
      let explorer = Explorer(session, output, searchTimeout: .seconds(search.duration), vocabulary: vocabulary)
      let editor = EditedLines { vocabulary.complete($0) }
      defer { editor?.restore() }
      let telling = Task {
        for await event in session.events { await explorer.handle(event) }
      }
      session.scan(services: [])
      let interruption = await explore(explorer, editor)
      // The link is taken down even if the task was canceled.
      await Task { await explorer.leave() }.value
      session.end()
      await telling.value
      if let interruption { throw interruption }
      try session.check()
      let failures = await explorer.failures
      guard failures == 0 || isatty(STDIN_FILENO) == 1 else {
        throw CommandFailure(.unavailable, code: "commandFailed", "\(failures) lines could not be done")
      }
    }
  }

  /// Does what the lines say, to their end; what has ended them before it, if something has.
  private func explore(_ explorer: Explorer, _ editor: EditedLines?) async -> CommandFailure? {
    if let name { guard await explorer.take("connect \(name)", id: 0) else { return nil } }
    var number = 0
    if let editor {
      for await line in editor.stream() {
        number += 1
        if case .text(let text) = line { guard await explorer.take(text, id: number) else { return nil } }
        editor.ask()
      }
      await explorer.endOfLines()
      return nil
    }
    prompt()
    for await line in InputLines.stream() {
      number += 1
      switch line {
      case .text(let text): guard await explorer.take(text, id: number) else { return nil }
      case .tooLong:
        await explorer.refuse(
          number, "it has more than \(InputLines.limit) bytes, and was not done: a value has 512 at most")
      case .notUTF8:
        await explorer.refuse(number, "it is not UTF-8, and was not done: give such bytes as hex:DIGITS")
      case .unreadable(let reason):
        return CommandFailure(.inputOutput, "standard input cannot be read: \(reason)")
      }
      prompt()
    }
    await explorer.endOfLines()
    return nil
  }

  /// Prompts at a terminal that cannot move its cursor.
  private func prompt() {
    guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else { return }
    try? FileHandle.standardError.write(contentsOf: Data("> ".utf8))
  }
}
