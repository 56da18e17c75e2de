import ArgumentParser
import LatchkeyBluetoothTransports
import LatchkeyCommandLine

/// `latchkey radio`: virtual controllers for other processes.
struct RadioCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "radio",
    abstract: "Lend virtual Bluetooth controllers on one radio to other programs, until stopped.",
    discussion: """
      Each program that connects speaks HCI (H4) to a controller of its own, which goes away with it; any Bluetooth host \
      that speaks H4 over a socket may join. A controller holds 16 links unless --links says otherwise, and advertises, \
      scans and connects by the legacy commands; links are never encrypted, and hosts that pair get an error. There is \
      neither encryption nor a password at the socket: listen at a loopback address or at a Unix socket.

      --trace records the traffic of all programs that join in one file, so that both ends of a link are seen in order. \
      Wireshark distinguishes them by hci_mon.adapter_id: the lowest number that is free when a program joins, 0 for the first.

      With --json: listening (place, controller: what to give to --hci), joined (name), left (name, reason), done or error.
      """,
    examples: [
      "latchkey radio --listen unix-server:/tmp/radio",
      "latchkey radio --listen unix-server:/tmp/radio --trace radio.btsnoop",
    ],
    statuses: [.unavailable])

  @Option(help: ArgumentHelp("Where to listen: unix-server:PATH or tcp-server:HOST:PORT.", valueName: "place"))
  var listen: String
  @OptionGroup var radio: RadioOptions
  @Option(
    help: ArgumentHelp(
      "Record the HCI traffic of all programs, keys and payloads among it, for Wireshark; - is standard output.",
      valueName: "file"))
  var trace: String?
  @OptionGroup var output: EventOptions

  func run() async throws {
    try await output.run {
      let place: ListenSpecification
      do {
        place = try ListenSpecification(listen)
      } catch {
        throw CommandFailure(.usage, "--listen: \(error)")
      }
      let server = RadioServer(radio: radio.makeRadio(), capture: try makeCapture()) { event in
        switch event {
        case .joined(let name): output.emit("\(name) joined", "joined", ["name": .text(name)])
        case .left(let name, let reason):
          output.emit("\(name) left: \(reason)", "left", ["name": .text(name), "reason": .text(reason)])
        }
      }
      let listening: ListenSpecification
      do {
        listening = try await server.start(at: place)
      } catch let error as RadioServerError {
        throw CommandFailure(.unavailable, code: "cannotListen", error.description)
      }
      let controller = "\(listening.clientSpecification)"
      output.emit(
        "listening at \(listening); join with --hci \(controller)", "listening",
        ["place": .text("\(listening)"), "controller": .text(controller)])
      // There is nothing to do but to wait for the signals.
      try? await Task.sleep(for: .seconds(Int64.max / 2_000_000_000))
      await server.shutDown()
    }
  }

  private func makeCapture() throws -> RadioCapture? {
    guard let trace else { return nil }
    let place = try ControllerOptions.place(ofTrace: trace)
    do {
      return try RadioCapture(path: place)
    } catch {
      throw CommandFailure(.inputOutput, "\(error)")
    }
  }
}
