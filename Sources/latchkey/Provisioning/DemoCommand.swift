import ArgumentParser
import CoreBluetooth
import Foundation
import LatchkeyByteCoding
import LatchkeyCommandLine
import LatchkeyProvisioning
import LatchkeyProvisioningProtocol

/// `latchkey demo`: a device's life in one process, from its code to its first transfers.
struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract:
      "Provision a virtual device over a virtual radio, enroll it in the same session, and show what protects each step.",
    discussion: """
      Everything is as between two machines, but for the radio: both ends use the Core Bluetooth API, each with a \
      Bluetooth host and a controller of its own.

      The device shows its code, at a terminal as a QR code too; the app opens a session of the secure protocol with it, and \
      sends the network's name and password. Then it logs a user in at a latchkey-server that is started beside, and gives \
      the device, in the same session, a one-time token. The device enrolls in a keychain of its own, fetches its accounts and \
      transfers money, once with its user's approval. Nothing is left at the end.

      With --json: serving (url), advertising (name, code), qrCode, searching, found, opened, network, joining, received (ssid, password), \
      result, token (user, expires), enrolling (server), and the events of `enroll`, `accounts` and `transfer` with disconnected between \
      them; ended or noServer; done or error.
      """,
    examples: ["latchkey demo", "latchkey demo --ssid Home --password @wifi.txt --trace demo.btsnoop"],
    statuses: [.authenticationFailed, .badData, .unavailable, .tryLater, .notPermitted])

  @Option(help: "The network's name: 1 to 32 bytes of UTF-8.") var ssid = "客厅 Wi-Fi"
  @Option(help: "The network's password.") var password = "芝麻开门 open sesame"
  @Option(help: "The device's name: 1 to 29 bytes of UTF-8.") var name = "Lamp"
  @Option(help: ArgumentHelp("Record the HCI traffic of both ends, for Wireshark.", valueName: "file")) var trace:
    String?
  @OptionGroup var output: EventOptions

  func validate() throws { try DeviceName.check(name) }

  func run() async throws {
    try await output.run {
      var passphrase = Array(password.utf8)
      defer { passphrase.wipe() }
      let credentials: NetworkCredentials
      do throws(NetworkCredentialsError) {
        credentials = try NetworkCredentials(ssid: Array(ssid.utf8), passphrase: passphrase)
      } catch {
        throw CommandFailure(.badData, error.explanation)
      }
      try ControllerOptions.record(to: trace)
      let chapters = DemoChapters(output)
      try await DemoService.with(chapters, output) { service in
        try await ProvisioningDemo(
          name: name, credentials: credentials, service: service, chapters: chapters, output: output
        ).run()
        guard let service else { return }
        try await EnrollmentDemo(service: service, chapters: chapters, output: output).run()
      }
    }
  }
}
