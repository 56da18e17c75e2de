import ArgumentParser
import Foundation
import LatchkeyCommandLine
import LatchkeyProvisioning

/// `latchkey provision`: the app's end of the legacy protocol.
struct ProvisionCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "provision",
    abstract: "Send a network's name and password to a device, over the legacy protocol.",
    discussion: """
      The legacy protocol authenticates nobody: anyone who answers to the name gets the password. The device must offer \
      service F200; F100, in the clear, is used only with --plain and only if F200 is missing.

      The password, and the text, may be @FILE, or - for standard input, each without the newline at its end. A password \
      that is not given is asked for.

      Ends with 0 if the device accepted the payload, 65 if it refused it, 75 if it could not join the network or went away \
      before it answered, 69 if there is no such device or no radio.

      With --json: searching, found (name, identifier), connected, discovered (service), subscribed, sentFrame and \
      receivedFrame (type, length, payload), keyAgreed, sentPlainValue (length), sentPayload, answered (code, status or \
      text), disconnecting, result (outcome, service, identifier), done or error.
      """,
    examples: [
      "latchkey provision --hci unix-client:/tmp/radio --name Lamp --ssid Home --password @wifi.txt",
      "latchkey provision --name Lamp --ssid Home --seconds 60 --json",
    ],
    statuses: [.badData, .unavailable, .tryLater])

  @Option(help: "The name that the device advertises.") var name: String?
  @Option(help: "The device's identifier on this machine, as `ble scan` prints it.") var identifier: String?
  @Option(help: "The network's name: 1 to 32 bytes of UTF-8.") var ssid: String?
  @Option(help: "The network's password: @FILE, - or, with a warning, the password itself.") var password: String?
  @Option(help: "Send this text instead of a name and a password.") var text: String?
  @Flag(help: "Send in the clear, over F100, if the device has no F200.") var plain = false
  @OptionGroup var search: SearchOptions
  @Option(help: "How long to wait for the device's network status, in seconds.") var statusTimeout = 3.0
  @OptionGroup var controller: ControllerOptions
  @OptionGroup var output: EventOptions

  func validate() throws {
    guard (name == nil) != (identifier == nil) else { throw ValidationError("give --name or --identifier") }
    if let identifier, UUID(uuidString: identifier) == nil { throw ValidationError("--identifier is no UUID") }
    guard (text == nil) != (ssid == nil) else { throw ValidationError("give --ssid, or --text instead") }
    guard text == nil || password == nil else { throw ValidationError("--text goes without --password") }
    guard statusTimeout >= 0, statusTimeout <= 86_400 else {
      throw ValidationError("--status-timeout is 0 to 86400 seconds")
    }
  }

  func run() async throws {
    try await output.run {
      let managerOptions = try controller.managerOptions()
      let payload = try payload()
      var options = LegacyProvisioningOptions()
      options.allowsPlainService = plain
      options.searchTimeout = .seconds(search.duration)
      options.statusTimeout = .seconds(statusTimeout)
      let provisioner = LegacyUnauthenticatedProvisioner(options: options, managerOptions: managerOptions)
      let attempt = provisioner.attempt(target, text: payload)
      let steps = Task {
        for await step in attempt.progress { ProvisioningReport(output).emit(step) }
      }
      let result: Result<LegacyUnauthenticatedResult, LegacyProvisioningError>
      do throws(LegacyProvisioningError) {
        result = .success(try await attempt.result())
      } catch {
        result = .failure(error)
      }
      await steps.value
      try ProvisioningReport(output).emit(result, target: name ?? identifier ?? "")
    }
  }

  private var target: LegacyProvisioningTarget {
    identifier.flatMap(UUID.init(uuidString:)).map { .identifier($0) } ?? .name(name ?? "")
  }

  private func payload() throws(CommandFailure) -> String {
    if let text { return try SecretArgument.readText(text, option: "--text") }
    let password = try SecretArgument.read(password, option: "--password", prompt: "Password: ")
    do {
      return try LegacyWiFiCredentials(ssid: ssid ?? "", password: password).json
    } catch {
      throw CommandFailure(.badData, error.explanation)
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
