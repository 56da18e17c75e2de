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
      something new: signal strength, identifier on this machine, name, services, manufacturer's data. Services and companies that \
      the Bluetooth SIG has numbered have their names behind them.

      With several filters a device is listed if it passes all; with several services if it advertises one of them.

      With --json: device (identifier, name, rssi, services, manufacturerData, connectable, serviceNames, company, companyName), \
      done or error.
      """,
    examples: [
      "latchkey ble scan --hci unix-client:/tmp/radio --seconds 5",
      "latchkey ble scan --service heart-rate --rssi -70 --name polar --json",
    ],
    statuses: [.unavailable])

  @Option(
    name: .customLong("service"),
    help: "Only devices that advertise this service, by its UUID or its name; may be repeated.")
  var services: [String] = []
  @Option(help: "Only devices whose name contains this text, in either case.") var name: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Only devices whose signal is at least so strong, in dBm: -70.", valueName: "dBm"))
  var rssi: Int?
  @Option(help: "How long to scan, in seconds.") var seconds = 10.0
  @OptionGroup var controller: ControllerOptions
  @OptionGroup var output: EventOptions

  func validate() throws {
    guard seconds > 0, seconds <= 86_400 else { throw ValidationError("--seconds is above 0, and 86400 at most") }
    guard -128...20 ~= rssi ?? 0 else { throw ValidationError("--rssi is -128 to 20") }
    _ = try uuids()
  }

  private func uuids() throws -> [CBUUID] {
    do throws(CentralSession.Failure) {
      var uuids: [CBUUID] = []
      for service in services { uuids.append(try AttributePath.uuid(of: service, .service)) }
      return uuids
    } catch {
      throw ValidationError("--service: \(error.message)")
    }
  }

  func run() async throws {
    try await output.run {
      let session = CentralSession(options: try controller.managerOptions())
      try await session.start()
      let filter = DeviceFilter(name: name, rssi: rssi)
      let list = DeviceList { if filter.hasName($0) { output.emit($0.line, "device", fields: $0.fields) } }
      let printing = Task {
        for await case .discovered(let advertisement) in session.events where filter.isNear(advertisement) {
          await list.add(advertisement)
        }
        await list.end()
      }
      // A device that comes nearer is seen by an advertisement like the ones before.
      session.scan(services: try uuids(), isRepeating: rssi != nil)
      try? await Task.sleep(for: .seconds(seconds))
      session.end()
      await printing.value
      try session.check()
    }
  }
}

/// Which devices `ble scan` lists.
struct DeviceFilter: Sendable {
  let name: String?
  let rssi: Int?

  /// Whether the signal is strong enough. 127 is a strength that the controller does not know (Core 6.0 Vol 4 Part E 7.7.65.2).
  func isNear(_ advertisement: Advertisement) -> Bool {
    guard let rssi else { return true }
    return advertisement.rssi >= rssi && advertisement.rssi != 127
  }

  /// Whether the name is one that is looked for; it may come after the first advertisement, with the scan response.
  func hasName(_ advertisement: Advertisement) -> Bool {
    guard let name else { return true }
    return advertisement.name?.lowercased().contains(name.lowercased()) == true
  }
}
