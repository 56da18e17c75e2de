import ArgumentParser
import CoreBluetooth
import Foundation
import LatchkeyCommandLine
import LatchkeyProvisioning

/// `latchkey demo`: both ends of the legacy protocol in one process.
struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract:
      "Provision a virtual device over a virtual radio, then enroll it with a server, and show what protects each step.",
    discussion: """
      Everything is as between two machines, but for the radio: both ends use the Core Bluetooth API, each with a \
      Bluetooth host and a controller of its own.

      Then the device enrolls with a latchkey-server that is started beside, in a keychain of its own, fetches its accounts and \
      transfers money, once with its user's approval. Nothing is left at the end.

      With --json: the events of `provision`, and of `device` advertising and received; serving (url), those of `enroll`, \
      `accounts` and `transfer`, ended or noServer; done or error.
      """,
    examples: ["latchkey demo", "latchkey demo --ssid Home --password @wifi.txt --trace demo.btsnoop"],
    statuses: [.badData, .unavailable, .tryLater, .notPermitted])

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
      let chapters = DemoChapters(output)
      try await ProvisioningDemo(name: name, credentials: credentials, output: output).run(chapters)
      if !output.json { chapters.space() }
      try await EnrollmentDemo(name: name, chapters: chapters, output: output).run()
    }
  }
}
