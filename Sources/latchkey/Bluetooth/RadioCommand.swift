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
      that speaks H4 over a socket may join. A controller can all that the hosts here use, extended advertising, encryption and \
      private addresses among it, unless --without says otherwise, and holds 16 links unless --links does. There is \
      neither encryption nor a password at the socket: listen at a loopback address or at a Unix socket.

      --trace records the traffic of all programs that join in one file, so that both ends of a link are seen in order. \
      Wireshark distinguishes them by hci_mon.adapter_id: the lowest number that is free when a program joins, 0 for the first.

      --control is a socket that understands a line each, answered by lines that end with ok or error: MESSAGE. Try it by \
      'socat - UNIX-CONNECT:PATH'. A and B are controllers, by the names that are printed when programs join:

      \(RadioControl.grammar)

      With --json: listening (place, controller: what to give to --hci), controlled (place), joined (name), left (name, reason), done or error.
      """,
    examples: [
      "latchkey radio --listen unix-server:/tmp/radio",
      "latchkey radio --listen unix-server:/tmp/radio --trace radio.btsnoop",
      "latchkey radio --listen unix-server:/tmp/radio --control unix-server:/tmp/control",
      "echo 'distance client-1 client-2 500' | socat - UNIX-CONNECT:/tmp/control",
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
  @Option(
    help: ArgumentHelp(
      "Where to listen for changes of distance, loss, power and faults: unix-server:PATH or tcp-server:HOST:PORT.",
      valueName: "place"))
  var control: String?
  @OptionGroup var output: EventOptions

  func run() async throws {
    try await output.run {
      let place = try Self.place(listen, "--listen")
      let controlPlace = try control.map { try Self.place($0, "--control") }
      let radio = radio.makeRadio()
      let server = RadioServer(radio: radio, capture: try Self.makeCapture(trace)) { event in
        Self.report(event, output)
      }
      let controller = LineServer { RadioControl(radio).perform($0) }
      if let controlPlace {
        let listening = try await Self.start { () throws(RadioServerError) in
          try await controller.start(at: controlPlace)
        }
        output.emit("controlled at \(listening)", "controlled", ["place": .text("\(listening)")])
      }
      let listening = try await Self.start { () throws(RadioServerError) in try await server.start(at: place) }
      Self.reportListening(listening, output)
      // There is nothing to do but to wait for the signals.
      try? await Task.sleep(for: .seconds(Int64.max / 2_000_000_000))
      await controller.shutDown()
      await server.shutDown()
    }
  }

  /// A place to listen at that an option names.
  static func place(_ text: String, _ option: String) throws(CommandFailure) -> ListenSpecification {
    do { return try ListenSpecification(text) } catch { throw CommandFailure(.usage, "\(option): \(error)") }
  }

  /// Starts a server.
  static func start(
    _ body: () async throws(RadioServerError) -> ListenSpecification
  ) async throws(CommandFailure) -> ListenSpecification {
    do { return try await body() } catch {
      throw CommandFailure(.unavailable, code: "cannotListen", error.description)
    }
  }

  /// Reports that a client joined or left.
  static func report(_ event: RadioServer.Event, _ output: EventOptions) {
    switch event {
    case .joined(let name): output.emit("\(name) joined", "joined", ["name": .text(name)])
    case .left(let name, let reason):
      output.emit("\(name) left: \(reason)", "left", ["name": .text(name), "reason": .text(reason)])
    }
  }

  /// Reports the place, and what clients give to `--hci`.
  static func reportListening(_ place: ListenSpecification, _ output: EventOptions) {
    let controller = "\(place.clientSpecification)"
    output.emit(
      "listening at \(place); join with --hci \(controller)", "listening",
      ["place": .text("\(place)"), "controller": .text(controller)])
  }

  /// The capture that `--trace` asks for.
  static func makeCapture(_ trace: String?) throws -> RadioCapture? {
    guard let trace else { return nil }
    let place = try ControllerOptions.place(ofTrace: trace)
    do {
      return try RadioCapture(path: place)
    } catch {
      throw CommandFailure(.inputOutput, "\(error)")
    }
  }
}
