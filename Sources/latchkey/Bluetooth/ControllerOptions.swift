import ArgumentParser
import CoreBluetooth
import Foundation
import LatchkeyBluetoothTransports
import LatchkeyCommandLine
import LatchkeyProcessEnvironment
import LatchkeySystem

/// The options of all commands that open a Bluetooth controller.
struct ControllerOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The controller: hci-socket:N for the adapter hciN, serial:PATH[,SPEED], tcp-client:HOST:PORT, unix-client:PATH or \
      virtual[:RADIO[/CONTROLLER]]; else LATCHKEY_HCI.
      """,
      valueName: "controller"))
  var hci: String?

  @Option(
    help: ArgumentHelp(
      """
      Record the HCI traffic, keys and payloads among it, for Wireshark; - is standard output, and all else goes to standard \
      error then. `radio --trace` records both ends.
      """, valueName: "file"))
  var trace: String?

  /// The options of the managers to make.
  ///
  /// - Throws: `usage` without a controller, or with one that is not understood; `inputOutput` if nothing can be recorded.
  func managerOptions() throws(CommandFailure) -> [String: any Sendable] {
    guard let text = hci ?? environment("LATCHKEY_HCI") else {
      throw CommandFailure(
        .usage,
        "no controller: give --hci hci-socket:0 for the adapter hci0, or set LATCHKEY_HCI; without an adapter, start a virtual "
          + "radio in another terminal by 'latchkey radio --listen unix-server:PATH' and give --hci unix-client:PATH")
    }
    do {
      _ = try ControllerSpecification(text)
    } catch {
      throw CommandFailure(.usage, "--hci: \(error)")
    }
    try Self.record(to: trace)
    return [CBManagerOptionControllerKey: text]
  }

  /// The message for a radio that is not there: its state, and the cause where that is known.
  static func absence(_ state: String, cause: String?) -> String {
    "there is no Bluetooth radio to use: it is \(state)" + (cause.map { ": " + PrintableText.escaped($0) } ?? "")
  }

  /// Has the controllers recorded that are opened from now on.
  static func record(to file: String?) throws(CommandFailure) {
    guard let file else { return }
    // The façade would begin a capture of its own.
    unsetenv("LATCHKEY_TRACE")
    do {
      try RadioRegistry.shared.capture(to: try place(ofTrace: file))
    } catch let failure as CommandFailure {
      throw failure
    } catch {
      throw CommandFailure(.inputOutput, "\(error)")
    }
  }

  /// Where the capture that `--trace` names is written.
  static func place(ofTrace file: String) throws(CommandFailure) -> String {
    guard file == "-" else { return file }
    guard !StandardStreams.isOutputTerminal else {
      throw CommandFailure(.usage, "a capture is no text: give --trace FILE, or send standard output to a program")
    }
    return try StandardStreams.yieldOutput()
  }

  private func environment(_ name: String) -> String? {
    Environment[name].flatMap { $0.isEmpty ? nil : $0 }
  }
}

/// How long a device is looked for: `--seconds`, which was `--search-timeout` before.
struct SearchOptions: ParsableArguments {
  @Option(help: "How long to look for a device, in seconds: 30 unless given.") var seconds: Double?
  @Option(help: .hidden) var searchTimeout: Double?

  /// The time, in seconds.
  var duration: Double { seconds ?? searchTimeout ?? 30 }

  func validate() throws {
    guard 0...86_400 ~= duration else { throw ValidationError("--seconds is 0 to 86400") }
    guard seconds == nil || searchTimeout == nil else {
      throw ValidationError("--search-timeout is --seconds: give one")
    }
  }
}
