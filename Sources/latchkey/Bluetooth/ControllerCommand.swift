import ArgumentParser
import LatchkeyBluetoothTransports
import LatchkeyCommandLine
import LatchkeyProcessEnvironment

/// `latchkey controller`: a Bluetooth adapter for programs that may not open it themselves.
struct ControllerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "controller",
    abstract: "Lend a Bluetooth adapter to other programs, until stopped.",
    discussion: """
      This one program has the right to use the adapter; programs without it, in containers too, join by \
      --hci unix-client:PATH. One program at a time has the adapter. When it ends or dies, the adapter is reset, and the next \
      one gets it; until then others are turned away, and try again by themselves. An adapter that is lost is sought again, \
      1 s to 30 s apart.

      All users who may open the socket may use the adapter: the permissions of its folder decide. Commands of the adapter's \
      manufacturer, some of which write to its memory, are answered as unknown unless --vendor-commands is given.

      As a service: 'systemctl enable --now latchkey-controller@0' lends hci0 at /run/latchkey-controller-0/hci to members of \
      the group dialout.

      With --json: listening (place, controller: what to give to --hci), opened, lost (reason), joined (name), left (name, \
      reason), done or error.
      """,
    examples: [
      "latchkey controller --hci hci-socket:0 --listen unix-server:/run/latchkey/hci0",
      "latchkey controller --hci serial:/dev/ttyACM0 --listen unix-server:/tmp/board",
    ],
    statuses: [.unavailable])

  @Option(
    help: ArgumentHelp(
      "The adapter: hci-socket:N, serial:PATH[,SPEED], tcp-client:HOST:PORT or unix-client:PATH; else LATCHKEY_HCI.",
      valueName: "controller"))
  var hci: String?
  @Option(help: ArgumentHelp("Where to listen: unix-server:PATH or tcp-server:HOST:PORT.", valueName: "place"))
  var listen: String
  @Flag(help: "Pass on commands of the adapter's manufacturer, too.") var vendorCommands = false
  @Option(
    help: ArgumentHelp(
      "Record the HCI traffic, keys and payloads among it, for Wireshark; - is standard output.", valueName: "file"))
  var trace: String?
  @OptionGroup var output: EventOptions

  func run() async throws {
    try await output.run {
      let specification = try adapter()
      let place = try RadioCommand.place(listen, "--listen")
      let controller = LentController(specification, allowsVendorCommands: vendorCommands) { change in
        switch change {
        case .opened: output.emit("\(specification) is open", "opened", [:])
        case .closed(let reason):
          output.emit("\(specification) is not there: \(reason)", "lost", ["reason": .text(reason)])
        }
      }
      let server = RadioServer(lending: controller, capture: try RadioCommand.makeCapture(trace)) { event in
        RadioCommand.report(event, output)
      }
      let listening = try await RadioCommand.start { () throws(RadioServerError) in try await server.start(at: place) }
      RadioCommand.reportListening(listening, output)
      controller.open()
      // There is nothing to do but to wait for the signals.
      try? await Task.sleep(for: .seconds(Int64.max / 2_000_000_000))
      await server.shutDown()
      controller.close()
    }
  }

  private func adapter() throws(CommandFailure) -> ControllerSpecification {
    guard let text = hci ?? Environment["LATCHKEY_HCI"], !text.isEmpty else {
      throw CommandFailure(.usage, "no adapter: give --hci hci-socket:N, or set LATCHKEY_HCI")
    }
    let specification: ControllerSpecification
    do {
      specification = try ControllerSpecification(text)
    } catch {
      throw CommandFailure(.usage, "--hci: \(error)")
    }
    if case .virtual = specification {
      throw CommandFailure(.usage, "--hci: a virtual controller is lent by 'latchkey radio --listen \(listen)'")
    }
    return specification
  }
}
