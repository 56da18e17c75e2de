import LatchkeyCommandLine
import LatchkeyProvisioning
import LatchkeyProvisioningProtocol
import LatchkeySystem

/// What `provision` prints of a session.
struct SessionReport {
  private let output: EventOptions

  init(_ output: EventOptions) { self.output = output }

  /// Emits one step.
  func emit(_ step: ProvisioningProgress) {
    switch step {
    case .searching, .connecting: break
    case .connected: output.progress("Connected", "connected")
    case .chosen(let chosen, let offered):
      output.progress(
        "Using \(chosen.name)", "chosen",
        ["protocol": .text(chosen.rawValue), "offered": .list(offered.map { .text($0.rawValue) })])
    case .needsAuthorization:
      if output.json {
        output.emit(nil, "needsAuthorization")
      } else {
        // Nothing goes on until somebody does: said even where nobody looks at a terminal.
        StandardStreams.writeErrorLine("Press the device's button")
      }
    case .opened(let assurance):
      output.progress(
        "The session is open: \(assurance.words)", "opened", ["assurance": .text(assurance.code)])
    case .scanning: output.progress("The device looks for networks …", "scanning")
    case .scanned(let count): output.progress("It has found \(count)", "scanned", ["count": .integer(count)])
    case .joining: output.progress("The device has the password, and joins …", "joining")
    case .joined: break  // The result says it.
    case .joinFailed(let failure):
      output.progress("It has not joined: \(failure.words)", "joinFailed", ["reason": .text(failure.code)])
    case .notRemembered(let words):
      output.progress(
        "What would spare the code next time cannot be stored: \(PrintableText.escaped(words))", "notRemembered",
        ["reason": .text(words)])
    case .disconnected: output.progress("Disconnected", "disconnected")
    }
  }

  /// Emits the networks that a device has found.
  func emit(_ networks: [ScannedNetwork]) {
    for network in networks {
      output.emit(
        Self.line(of: network), "network",
        [
          "ssid": .text(network.name), "rssi": .integer(network.rssi), "security": .text("\(network.security)"),
          "channel": network.channel.map { .integer($0) } ?? .null,
        ])
    }
  }

  /// A network for people: its signal, how it is protected, its name.
  static func line(of network: ScannedNetwork) -> String {
    let signal = String(repeating: " ", count: max(0, 4 - "\(network.rssi)".count)) + "\(network.rssi) dBm"
    return "\(signal)  \(network.security)  \(PrintableText.escaped(network.name))"
  }
}
