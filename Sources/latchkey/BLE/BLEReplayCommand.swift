import ArgumentParser
import LatchkeyBluetoothTesting
import LatchkeyCommandLine

/// `latchkey ble replay`: a recorded device.
struct BLEReplayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Be the device of a cassette: advertise and answer as it did when it was recorded.",
    discussion: """
      FILE is a cassette, as `latchkey ble record` writes it. The command replays it until it is stopped by ^C or SIGTERM, which is no \
      failure here: it ends with status 0. Each request has the next recorded answer for its attribute, and the last one stays; what \
      the device sent after a request comes after it with the recorded delays.

      With --strict the other device must do what was done in the recording, in that order and with those values. What differs is \
      refused by the error 0x0E, and printed as a diff; so is, at the end, what was not done. In either case the command ends with \
      status 1.

      With --json: advertising (name), read (central, characteristic), written (central, characteristic, value), subscribed and \
      unsubscribed (central, characteristic), refused (central, characteristic, code), differed (step, expected, actual), unplayed \
      (step, expected), done or error.
      """,
    examples: [
      "latchkey ble replay --hci unix-client:/tmp/radio strap.cassette.json",
      "latchkey ble replay --strict --json strap.cassette.json",
    ],
    statuses: [.notVerified, .badData, .unavailable])

  @Argument(help: "A cassette.") var file: String
  @Flag(help: "Refuse and print what differs from the recording.") var strict = false
  @OptionGroup var controller: ControllerOptions
  @OptionGroup var output: EventOptions

  /// The most requests that are printed at the end because they were not done.
  private static let unplayedCapacity = 1024

  func run() async throws {
    try await output.run(endsBySignal: true) {
      let device = try DefinedDevice(cassette: file, strict ? .strict : .loose, output: output)
      let player = try await device.run(options: try controller.managerOptions())
      if strict, let player { try judge(player) }
    }
  }

  /// Prints what was not done.
  ///
  /// - Throws: `notVerified` if anything was not, or differed.
  private func judge(_ player: CassettePlayer) throws(CommandFailure) {
    let unplayed = player.unplayed
    for step in unplayed.prefix(Self.unplayedCapacity) {
      output.emit(
        step.description, "unplayed", ["step": .integer(step.step), "expected": .maybe(step.expected)])
    }
    guard player.differenceCount + unplayed.count > 0 else { return }
    throw CommandFailure(
      .notVerified, code: "differed",
      "\(Self.count(player.differenceCount, "differed")) from the recording, \(Self.count(unplayed.count, "not done"))")
  }

  private static func count(_ number: Int, _ end: String) -> String {
    "\(number) request\(number == 1 ? "" : "s") \(end == "differed" ? end : "\(number == 1 ? "was" : "were") \(end)")"
  }
}
