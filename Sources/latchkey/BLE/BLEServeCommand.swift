import ArgumentParser
import CoreBluetooth
import Foundation
import LatchkeyByteCoding
import LatchkeyCommandLine

/// A physical layer of extended advertising, as `CBPeripheralManagerAdvertisingPHYKey` names it.
enum AdvertisingPHYOption: String, ExpressibleByArgument, CaseIterable {
  case le1M = "1M"
  case le2M = "2M"
  case leCoded = "coded"
}

/// `latchkey ble serve`: a device with one value, or of a definition.
struct BLEServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Be a device: of a definition, or with one value, which others read, write and subscribe to.",
    discussion: """
      With FILE, the device has the services, values and behaviors of a definition in JSON \
      (docs/device-definition.schema.json), which tests take, too. Without one, --name is required: the command advertises \
      a service with one characteristic. It serves until stopped. A value that is written stays, and is sent to those that \
      subscribed. With --protected only devices that paired get it; with --pair the user is asked when one pairs, and the \
      next line of standard input is the answer: yes, no, or the six digits that the other device shows.

      With --phy it advertises by extended advertising on that physical layer, if the controller has it. Only devices with \
      extended scans find it then.

      With --json: advertising (name), read (central), written (central, value), subscribed and unsubscribed (central), \
      with FILE each of these four with its characteristic; pairing (identifier, question, digits), paired (identifier, stored), notPaired (identifier, reason), done or error.
      """,
    examples: [
      "latchkey ble serve --hci unix-client:/tmp/radio --name Lamp --value text:on",
      "latchkey ble serve --name Lamp --value hex:00ff --protected --pair",
      "latchkey ble serve --name Lamp --phy coded",
      "latchkey ble serve --hci unix-client:/tmp/radio strap.json",
    ],
    statuses: [.badData, .unavailable])

  @Argument(help: "A device definition in JSON; the options of a device with one value are not for it.")
  var file: String?
  @Option(help: "The name to advertise.") var name: String?
  @Option(help: "The service's UUID (default: FFF0).") var service: String?
  @Option(help: "The characteristic's UUID (default: FFF1).") var characteristic: String?
  @Option(help: "The value at first: hex:DIGITS, text:TEXT, or other text as it is.") var value: String?
  @Option(help: "Use extended advertising on this physical layer.") var phy: AdvertisingPHYOption?
  @Flag(name: .customLong("protected"), help: "Only devices that paired may read, write and subscribe.")
  var isProtected = false
  @Flag(help: "Ask, when a device pairs; the next line is the answer.") var pair = false
  @OptionGroup var controller: ControllerOptions
  @OptionGroup var output: EventOptions

  func validate() throws {
    guard file == nil else {
      let isPlain =
        [name, service, characteristic, value].allSatisfy { $0 == nil } && phy == nil && !isProtected && !pair
      guard isPlain else {
        throw ValidationError(
          "a definition says all of the device: --name, --service, --characteristic, --value, --phy, --protected and "
            + "--pair are for a device with one value")
      }
      return
    }
    guard name != nil else { throw ValidationError("give --name, or the file of a definition") }
    for uuid in [service, characteristic].compactMap(\.self) where AttributePath.uuid(uuid) == nil {
      throw ValidationError("\(uuid) is no UUID")
    }
    guard try bytes().count <= 512 else { throw ValidationError("--value has 512 bytes at most") }
  }

  private func bytes() throws -> [UInt8] {
    let value = value ?? ""
    if value.hasPrefix("text:") { return Array(value.dropFirst(5).utf8) }
    guard value.hasPrefix("hex:") else { return Array(value.utf8) }
    do { return try Hexadecimal.decode(value.dropFirst(4)) } catch {
      throw ValidationError("--value is not hexadecimal: \(error)")
    }
  }

  func run() async throws {
    try await output.run {
      if let file {
        try await DefinedDevice(path: file, output: output).run(options: try controller.managerOptions())
        return
      }
      guard let name, let service = AttributePath.uuid(service ?? "FFF0"),
        let uuid = AttributePath.uuid(characteristic ?? "FFF1")
      else { return }
      let server = ValueServer(
        name: name, service: service, characteristic: uuid, value: try bytes(), phy: phy, isProtected: isProtected,
        asksToPair: pair, output: output)
      let answering = Task {
        guard pair else { return }
        for await case .text(let line) in InputLines.stream() { server.answer(line) }
      }
      defer { answering.cancel() }
      try await server.run(options: try controller.managerOptions())
    }
  }
}
