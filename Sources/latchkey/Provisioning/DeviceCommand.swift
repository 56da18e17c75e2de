import ArgumentParser
import Foundation
import LatchkeyCommandLine
import LatchkeyProvisioning
import LatchkeyProvisioningProtocol

/// `latchkey device`: a device that is provisioned, or registers a key.
struct DeviceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "device",
    abstract: "Be a device that is provisioned, or register a key of this device with a service.",
    examples: ["latchkey device --hci unix-client:/tmp/radio --name Lamp", "latchkey device register-key my-key"],
    statuses: .enrollment,
    subcommands: [RunDeviceCommand.self, RegisterKeyCommand.self], defaultSubcommand: RunDeviceCommand.self)

  /// The arguments with the word `run` where options follow `device`: of a default command the parser reports mistakes in those as
  /// unknown options.
  static func namingRun(_ arguments: [String]) -> [String] {
    guard arguments.first == configuration.commandName, let option = arguments.dropFirst().first,
      option.hasPrefix("-"), !["-h", "--help", "--version"].contains(option)
    else { return arguments }
    return [arguments[0], "run"] + arguments.dropFirst()
  }
}

/// `latchkey device [run]`: the device's end of the legacy protocol.
struct RunDeviceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Be a device that is provisioned over the legacy protocol, until stopped; `run` may be left out.",
    discussion: """
      Offers service F200, and F100, in the clear, only with --plain. The legacy protocol authenticates nobody: anyone who is \
      in range can provision.

      What comes is printed and answered with code 0; the password is shown only with --show-secrets. With --apply, \
      {"ssid":…,"password":…} goes to the program's standard input instead: if it exits with 0 the answer is code 0 and \
      status connected, else code 2 and status failed. What holds no credentials is then refused with code 1.

      A radio that is lost is waited for, and the device advertises again when it is back.

      With --json: advertising (name), radioLost, subscribed (central, service), receivedFrame and sentFrame (central, type, \
      length, payload), keyAgreed (central), received (central, service, ssid and password, or text), answered (central; code, \
      status or text), notAnswered (central), refused (central, code), timedOut (central), unsubscribed (central, \
      service), done or error.
      """,
    examples: [
      "latchkey device --hci unix-client:/tmp/radio --name Lamp",
      "latchkey device run --name Lamp --apply ./join.sh --once",
    ],
    statuses: [.unavailable])

  @Option(help: "The name to advertise: 1 to 29 bytes of UTF-8.") var name: String
  @Flag(help: "Offer F100 too: values written there come in the clear.") var plain = false
  @Option(help: ArgumentHelp("Give what comes to this program.", valueName: "program")) var apply: String?
  @Flag(help: "Show passwords.") var showSecrets = false
  @Flag(help: "End after one payload was answered.") var once = false
  @OptionGroup var controller: ControllerOptions
  @OptionGroup var output: EventOptions

  /// How long, with --once, a central that has its answer has until it disconnects.
  private static let farewellLimit = Duration.seconds(5)

  func validate() throws { try DeviceName.check(name) }

  func run() async throws {
    try await output.run {
      let managerOptions = try controller.managerOptions()
      let program = try apply.map { path throws(CommandFailure) in try ApplyProgram(path) }
      var options = LegacyDeviceOptions()
      options.allowsPlainService = plain
      let report = DeviceReport(output, showsSecrets: showSecrets)
      let device = LegacyUnauthenticatedDevice(name: name, options: options, managerOptions: managerOptions) {
        request in
        report.emit(request)
        return await answers(to: request, program)
      }
      try await serve(device, report)
    }
  }

  private func answers(
    to request: LegacyUnauthenticatedRequest, _ program: ApplyProgram?
  ) async -> [LegacyUnauthenticatedAnswer] {
    guard let program else { return [.code(.accepted)] }
    guard let credentials = try? request.credentials() else { return [.code(.refused)] }
    let hasJoined = await program.run(input: credentials.json)
    return hasJoined ? [.code(.accepted), .status(.connected)] : [.code(.couldNotJoin), .status(.failed)]
  }

  private func serve(_ device: LegacyUnauthenticatedDevice, _ report: DeviceReport) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        do {
          try await device.run()
        } catch let error as LegacyDeviceError {
          throw error.failure
        }
      }
      group.addTask { await emitEvents(of: device, report) }
      // The first to end ends the other: a stopped device, or with --once a payload that was answered.
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  /// Emits the events until the device is stopped; with --once, until a central that was answered is gone.
  private func emitEvents(of device: LegacyUnauthenticatedDevice, _ report: DeviceReport) async {
    await withTaskGroup(of: Void.self) { group in
      let (answered, continuation) = AsyncStream<Void>.makeStream()
      group.addTask {
        var served: UUID?
        for await event in device.events {
          report.emit(event, name: name)
          if once, served == nil, case .answered(_, let central) = event {
            served = central
            continuation.yield()
          }
          if let served, case .unsubscribed(served, _) = event { return }
        }
      }
      group.addTask {
        for await _ in answered {
          try? await Task.sleep(for: Self.farewellLimit)
          return
        }
      }
      await group.next()
      group.cancelAll()
    }
  }
}

/// The name of a device that is found by it.
enum DeviceName {
  /// What one advertising payload of 31 bytes holds behind a structure's two (Core 6.0 Vol 3 Part C 11). A longer name
  /// is advertised shortened, and who looks for the whole name would look in vain.
  private static let lengths = 1...29

  /// - Throws: what is wrong with `name`, if it cannot be advertised whole.
  static func check(_ name: String) throws(ValidationError) {
    guard !lengths.contains(name.utf8.count) else { return }
    throw ValidationError("--name has \(name.utf8.count) bytes of UTF-8, not 1 to 29: no more can be advertised")
  }
}
