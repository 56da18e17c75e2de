import ArgumentParser
import CoreBluetooth
import LatchkeyCommandLine

/// `latchkey ble pair`: this host and a device, once and for all.
struct BLEPairCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pair",
    abstract: "Pair with a device.",
    discussion: """
      Devices pair when one protects what the other asks for. So this reads CHARACTERISTIC; without one it reads what the device lets \
      be read, one after the other, until it has to pair. The user is asked, and the next line of standard input is the answer: yes, \
      no, or the six digits that the device shows. With --unattended nobody is asked, and nothing protects from a third party in the \
      middle. A device that is paired already is reported with its pairing.

      Pairings are in LATCHKEY_STATE; `latchkey ble bonds` lists and removes them.

      With --json: connected (identifier, name), \(ConnectionOptions.events), alreadyPaired (identifier), done or error.
      """,
    examples: [
      "latchkey ble pair --hci unix-client:/tmp/radio Lamp", "echo yes | latchkey ble pair Lamp FFF0/FFF1 --json",
    ],
    statuses: [.unavailable, .notPermitted])

  @Argument(help: "The device: its name or its identifier.") var device: String
  @Argument(help: "What the device protects.") var characteristic: String?
  @Flag(help: "Pair without a question, and without protection from a third party.") var unattended = false
  @Option(
    help: "How long to look for the device, and to wait for each of its answers, in seconds: 30 unless given.")
  var timeout = 30.0
  @OptionGroup var controller: ControllerOptions
  @OptionGroup var output: EventOptions

  func validate() throws {
    _ = try ConnectionOptions.paths(characteristic.map { [$0] } ?? [])
    guard timeout > 0, timeout <= 86_400 else { throw ValidationError("--timeout is above 0, and 86400 at most") }
  }

  func run() async throws {
    try await output.run {
      let paths = try ConnectionOptions.paths(characteristic.map { [$0] } ?? [])
      let task = DeviceTask(
        device, controller, output, timeout: timeout, pairing: unattended ? .reported : .asked, paths: paths)
      try await task.run { session in try await pair(session, paths) }
    }
  }

  /// Reads until there is a pairing.
  private func pair(_ session: CentralSession, _ paths: [AttributePath]) async throws {
    let known = try? StoredPairings.all().first { $0.identifier == session.identifier }
    var refusal: (any Error)?
    for path in paths.isEmpty ? session.readablePaths() : paths {
      do {
        _ = try await session.read(path)
        refusal = nil
      } catch {
        refusal = error
      }
      // The report of a pairing comes before the answer that waited for it.
      switch session.endOfPairing {
      case .paired?: return
      case .notPaired(let reason)?: throw CommandFailure(.notPermitted, code: "notPaired", "not paired: \(reason)")
      case nil: break
      }
      // Only an answer of the device leaves something to try.
      if let refusal, !(refusal is CBATTError) { throw refusal }
    }
    if let known {
      return output.emit(
        "paired already, as \(known.address)" + (known.isAuthenticated ? "" : ", unprotected"), "alreadyPaired",
        ["identifier": .text(known.identifier.uuidString)])
    }
    if !paths.isEmpty, let refusal { throw refusal }
    throw CommandFailure(
      .unavailable, code: "notNeeded",
      "the device did not ask for a pairing: name a characteristic that it protects, as `latchkey ble explore` lists them"
    )
  }
}
