import ArgumentParser
import Foundation
import LatchkeyCommandLine
import LatchkeyProvisioning

/// `latchkey provision`: brings a device into a wireless network.
struct ProvisionCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "provision",
    abstract: "Bring a device into a wireless network.",
    discussion: """
      Finds the device, asks for its code, lists the networks in its reach, sends the network's name and password, and waits \
      until the device has joined. What is missing is asked for at a terminal. Of the protocols that a device offers the \
      strongest is spoken: the secure protocol or Espressif's Unified Provisioning, by default. Improv and the legacy \
      protocol prove nothing, and anyone in range may read the password or be the device: --allow accepts them.

      With --enroll the device is also given its enrollment, in the same session, once it has joined: over the secure protocol alone. \
      `latchkey device token` gets the token, which goes to the device and nowhere else. A device that has joined and has not enrolled \
      stays provisioned; the same command, with another token where that is what is wrong, tries again.

      With --legacy, the app's end of the legacy protocol, frame by frame: the device must be named, and must offer service \
      F200; F100, in the clear, is used only with --plain and only if F200 is missing.

      The password, the code, the token and the text may be @FILE, or - for standard input, each without the newline at its end.

      Ends with 0 if the device has joined (with --enroll: and enrolled; with --legacy: accepted the payload), 51 if the code is wrong, 65 if the device \
      refused what was sent, 69 if there is no such device or no radio, 75 if it could not join, could not reach the service, or went away, \
      77 if it offers nothing that is accepted, waits for its button, or the service or its own enrollment forbids it to enroll.

      With --json: searching, found (name, identifier, protocols), connected, chosen (protocol, offered), \
      needsAuthorization, opened (assurance), scanning, scanned (count), network (ssid, rssi, security, channel), \
      joining, joinFailed (reason), disconnected, result (ssid, address, reach, page, protocol, assurance), with --enroll \
      enrolling (server), and enrolled (server, device) or enrollmentAccepted (server), done or error. \
      With --legacy: searching, found (name, identifier), connected, discovered (service), subscribed, sentFrame and \
      receivedFrame (type, length, payload), keyAgreed, sentPlainValue (length), sentPayload, answered (code, status or \
      text), disconnecting, result (outcome, service, identifier), done or error.
      """,
    examples: [
      "latchkey provision --hci unix-client:/tmp/radio",
      "latchkey provision --name Lamp --code @code.txt --ssid Home --password @wifi.txt --json",
      "latchkey provision --name Lamp --ssid Home --enroll https://bank.example --enroll-token @token.txt",
      "latchkey provision --name Lamp --networks",
      "latchkey provision --legacy --name Lamp --ssid Home --password @wifi.txt",
    ],
    statuses: [.authenticationFailed, .badData, .unavailable, .tryLater, .notPermitted])

  /// What is accepted besides the protocols that ask for a code.
  enum Allowed: String, ExpressibleByArgument, CaseIterable {
    case improv
    case legacy
    case espressifSecurity0 = "espressif-security-0"
    case espressifSecurity1 = "espressif-security-1"

    var value: ProvisioningProtocol {
      switch self {
      case .improv: .improv
      case .legacy: .legacy
      case .espressifSecurity0, .espressifSecurity1: .espressif
      }
    }
  }

  @Option(help: "The name that the device advertises.") var name: String?
  @Option(help: "The device's identifier on this machine, as `ble scan` prints it.") var identifier: String?
  @Option(help: "The device's code: @FILE, - or, with a warning, the code itself.") var code: String?
  @Option(help: "The network's name: 1 to 32 bytes of UTF-8.") var ssid: String?
  @Option(help: "The network's password: @FILE, - or, with a warning, the password itself.") var password: String?
  @Flag(help: "The network does not announce its name.") var hidden = false
  @Flag(help: "List the networks in the device's reach, and end.") var networks = false
  @Flag(help: "Have the device show which one it is.") var identify = false
  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Accept this, too: improv, legacy, espressif-security-1 or espressif-security-0.", valueName: "protocol"))
  var allow: [Allowed] = []
  @Option(help: "The user name of Espressif's Security 2: wifiprov unless given.") var username: String?
  @Flag(help: "Speak the legacy protocol, and show its frames.") var legacy = false
  @Option(help: "With --legacy: send this text instead of a name and a password.") var text: String?
  @Flag(help: "With --legacy: send in the clear, over F100, if the device has no F200.") var plain = false
  @Option(help: "With --legacy: how long to wait for the device's network status, in seconds; 3 unless given.")
  var statusTimeout: Double?
  @OptionGroup var enrollment: GivenEnrollmentOptions
  @OptionGroup var search: SearchOptions
  @OptionGroup var controller: ControllerOptions
  @OptionGroup var output: EventOptions

  func validate() throws {
    if let identifier, UUID(uuidString: identifier) == nil { throw ValidationError("--identifier is no UUID") }
    guard name == nil || identifier == nil else { throw ValidationError("give --name or --identifier") }
    guard text == nil || password == nil else { throw ValidationError("--text goes without --password") }
    guard 0...86_400 ~= statusTimeout ?? 0 else { throw ValidationError("--status-timeout is 0 to 86400 seconds") }
    guard enrollment.enroll == nil || (!legacy && !networks) else {
      throw ValidationError("--enroll goes without --legacy and --networks")
    }
    guard legacy else {
      guard text == nil, !plain, statusTimeout == nil else {
        throw ValidationError("--text, --plain and --status-timeout go with --legacy")
      }
      return
    }
    guard (name == nil) != (identifier == nil) else { throw ValidationError("give --name or --identifier") }
    guard (text == nil) != (ssid == nil) else { throw ValidationError("give --ssid, or --text instead") }
    guard code == nil, !networks, !identify, !hidden, allow.isEmpty, username == nil else {
      throw ValidationError("--code, --networks, --identify, --hidden, --allow and --username go without --legacy")
    }
  }

  func run() async throws {
    try await output.run {
      let managerOptions = try controller.managerOptions()
      if legacy {
        try await LegacyProvisioning(command: self, managerOptions: managerOptions).run()
      } else {
        try await SessionProvisioning(command: self, managerOptions: managerOptions).run()
      }
    }
  }
}

extension LegacyPayloadError {
  /// What is wrong, in a line.
  var explanation: String {
    switch self {
    case .ssidLength(let length): "the network's name has \(length) bytes of UTF-8, not 1 to 32"
    case .passwordLength(let length): "the password has \(length) bytes of UTF-8, more than 128"
    case .embeddedNUL: "a zero character cannot be sent"
    case .notCredentials: "the text is no JSON object with ssid and password"
    }
  }
}
