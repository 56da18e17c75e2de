import ArgumentParser
import Foundation

/// `latchkey ble explore`: walks what a device offers, as one types.
struct BLEExploreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explore",
    abstract: "Look at a device's services; read, write and subscribe, line by line.",
    discussion: """
      Lists the devices that advertise, then does what the lines of standard input say, one after the other:

      \(ExploreInput.grammar)

      Values are printed as hexadecimal digits, and as text in quotes if they are UTF-8; updates of what was subscribed to \
      as they come. A connection lists what the device offers. A line that cannot be done is told of on standard error; \
      unless standard input is a terminal, the command then ends with 69.

      With --json: device (as `ble scan` has it), connected (identifier, name), service (uuid, characteristics with uuid, \
      properties and descriptors), value and update (path, value, text), written, sent, subscribed and unsubscribed (path), \
      failed (command, code, message), disconnected (reason), help (text), done or error.
      """)

  @Option(help: "Connect to the device that advertises this name first.") var name: String?
  @Option(help: "How long `connect` looks for a device, in seconds.") var searchTimeout = 30.0
  @OptionGroup var controller: ControllerOptions
  @OptionGroup var output: EventOptions

  func validate() throws {
    guard searchTimeout > 0, searchTimeout <= 86_400 else {
      throw ValidationError("--search-timeout is above 0, and 86400 at most")
    }
  }

  func run() async throws {
    try await output.run {
      let session = CentralSession(options: try controller.managerOptions())
      try await session.start()
      let explorer = Explorer(session, output, searchTimeout: .seconds(searchTimeout))
      let telling = Task {
        for await event in session.events { await explorer.take(event) }
      }
      session.scan(services: [])
      await explore(explorer)
      // The link is taken down even if the task was cancelled.
      await Task { await explorer.leave() }.value
      session.end()
      await telling.value
      try session.check()
      let failures = await explorer.failures
      guard failures == 0 || isatty(STDIN_FILENO) == 1 else {
        throw CommandFailure(.unavailable, code: "commandFailed", "\(failures) lines could not be done")
      }
    }
  }

  private func explore(_ explorer: Explorer) async {
    if let name { guard await explorer.perform("connect \(name)") else { return } }
    prompt()
    for await line in InputLines.stream() {
      guard await explorer.perform(line) else { return }
      prompt()
    }
  }

  private func prompt() {
    guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else { return }
    try? FileHandle.standardError.write(contentsOf: Data("> ".utf8))
  }
}
