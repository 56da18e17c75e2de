import Foundation
import LatchkeyCommandLine
import LatchkeyProvisioning
import LatchkeyProvisioningProtocol
import LatchkeySystem

/// Finds the device that `provision` is about: by its name or identifier, or the only one in reach.
struct DeviceChoice: Sendable {
  let command: ProvisionCommand
  let output: EventOptions

  /// How long a search without a name looks on after the first device, for others.
  private static let patience = Duration.seconds(3)

  func device(of provisioner: Provisioner) async throws(CommandFailure) -> FoundDevice {
    output.progress("Searching …", "searching")
    let name = command.name
    let identifier = command.identifier.flatMap(UUID.init(uuidString:))
    let target = name ?? command.identifier ?? "a device"
    let first: FoundDevice
    do throws(ProvisioningFailure) {
      first = try await provisioner.find { device in
        if let identifier { return device.identifier == identifier }
        return name == nil || device.name == name
      }
    } catch {
      throw error.failure(of: PrintableText.escaped(target))
    }
    guard name == nil, identifier == nil else { return first }
    return try choose(from: await others(of: provisioner))
  }

  /// All devices that are found within a few seconds.
  private func others(of provisioner: Provisioner) async -> [FoundDevice] {
    let devices = provisioner.devices()
    let search = Task {
      var found: [UUID: FoundDevice] = [:]
      do {
        for try await device in devices { found[device.identifier] = device }
      } catch {}
      return found.values.sorted { $0.rssi > $1.rssi }
    }
    try? await Task.sleep(for: Self.patience)
    search.cancel()
    return await search.value
  }

  private func choose(from devices: [FoundDevice]) throws(CommandFailure) -> FoundDevice {
    if devices.count == 1 { return devices[0] }
    guard !devices.isEmpty else { throw ProvisioningFailure.notFound.failure(of: "a device") }
    let lines = devices.map { device in
      let protocols = device.protocols.sorted(by: >).map(\.rawValue).joined(separator: ", ")
      return "\(PrintableText.escaped(device.name ?? "?")) \(device.identifier.uuidString) (\(protocols))"
    }
    guard TerminalQuestion.isPossible, !output.json else {
      throw CommandFailure(
        .usage, "there are several devices: give --name or --identifier: \(lines.joined(separator: "; "))")
    }
    for (number, line) in lines.enumerated() { TerminalQuestion.show("\(number + 1)  \(line)") }
    return try TerminalQuestion.answer("Device, by number: ", option: "--identifier") {
      text throws(TerminalQuestion.Unfit) in
      guard let number = Int(text), devices.indices.contains(number - 1) else {
        throw TerminalQuestion.Unfit("give a number from 1 to \(devices.count)")
      }
      return devices[number - 1]
    }
  }
}
