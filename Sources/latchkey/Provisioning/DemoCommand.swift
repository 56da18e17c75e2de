import ArgumentParser
import CoreBluetooth
import Foundation
import Provisioning

/// `latchkey demo`: both ends of the legacy protocol in one process.
struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Provision a virtual device over a virtual radio, and show what passes over the air.",
    discussion: """
      Everything is as between two machines, but for the radio: both ends use the Core Bluetooth API, each with a \
      Bluetooth host and a controller of its own.

      With --json: the events of `provision`, and of `device` advertising and received; done or error.
      """)

  @Option(help: "The network's name: 1 to 32 bytes of UTF-8.") var ssid = "客厅 Wi-Fi"
  @Option(help: "The network's password.") var password = "芝麻开门 open sesame"
  @Option(help: "The device's name: 1 to 29 bytes of UTF-8.") var name = "Lamp"
  @Option(help: ArgumentHelp("Record the HCI traffic of both ends, for Wireshark.", valueName: "file")) var trace:
    String?
  @OptionGroup var output: EventOptions

  func validate() throws { try DeviceName.check(name) }

  func run() async throws {
    try await output.run {
      let credentials: LegacyWiFiCredentials
      do throws(LegacyPayloadError) {
        credentials = try LegacyWiFiCredentials(ssid: ssid, password: password)
      } catch {
        throw CommandFailure(.badData, error.explanation)
      }
      try ControllerOptions.record(to: trace)
      try await DemoStory(name: name, credentials: credentials, output: output).tell()
    }
  }
}
