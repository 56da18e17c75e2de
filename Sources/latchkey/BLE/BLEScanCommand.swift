import ArgumentParser
import CoreBluetooth
import LatchkeyCommandLine

/// `latchkey ble scan`: which devices advertise.
struct BLEScanCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scan",
    abstract: "List the devices that advertise.",
    discussion: """
      Each device is listed when it is first seen and has had a moment to send its scan response, and again when it says \
      something new: signal strength, identifier on this machine, name, services, manufacturer's data.

      With --json: device (identifier, name, rssi, services, manufacturerData, connectable), done or error.
      """,
    examples: [
      "latchkey ble scan --hci unix-client:/tmp/radio --seconds 5", "latchkey ble scan --service F200 --json",
    ],
    statuses: [.unavailable])

  @Option(name: .customLong("service"), help: "Only devices that advertise this service; may be repeated.")
  var services: [String] = []
  @Option(help: "How long to scan, in seconds.") var seconds = 10.0
  @OptionGroup var controller: ControllerOptions
  @OptionGroup var output: EventOptions

  func validate() throws {
    guard seconds > 0, seconds <= 86_400 else { throw ValidationError("--seconds is above 0, and 86400 at most") }
    for service in services where AttributePath.uuid(service) == nil {
      throw ValidationError("--service \(service) is no UUID")
    }
  }

  func run() async throws {
    try await output.run {
      let session = CentralSession(options: try controller.managerOptions())
      try await session.start()
      let list = DeviceList { output.emit($0.line, "device", $0.fields) }
      let printing = Task {
        for await case .discovered(let advertisement) in session.events { await list.add(advertisement) }
        await list.end()
      }
      session.scan(services: services.compactMap(AttributePath.uuid))
      try? await Task.sleep(for: .seconds(seconds))
      session.end()
      await printing.value
      try session.check()
    }
  }
}
