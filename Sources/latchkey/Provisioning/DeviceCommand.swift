import ArgumentParser
import Foundation
import LatchkeyCommandLine
import LatchkeyProvisioning
import LatchkeyProvisioningProtocol

/// `latchkey device`: a device that is provisioned, or registers a key.
struct DeviceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "device",
    abstract: "Be a device that is provisioned, get a token for one, or register a key of this device with a service.",
    examples: [
      "latchkey device --secure --hci unix-client:/tmp/radio --name Lamp", "latchkey device press /tmp/button",
      "latchkey device token https://bank.example --user alice --out token.txt", "latchkey device register-key my-key",
    ],
    statuses: .enrollment,
    subcommands: [RunDeviceCommand.self, PressDeviceCommand.self, DeviceTokenCommand.self, RegisterKeyCommand.self],
    defaultSubcommand: RunDeviceCommand.self)

  /// The arguments with the word `run` where options follow `device`: of a default command the parser reports mistakes in those as
  /// unknown options.
  static func namingRun(_ arguments: [String]) -> [String] {
    guard arguments.first == configuration.commandName, let option = arguments.dropFirst().first,
      option.hasPrefix("-"), !["-h", "--help", "--version"].contains(option)
    else { return arguments }
    return [arguments[0], "run"] + arguments.dropFirst()
  }
}

/// `latchkey device [run]`: a device that apps provision.
struct RunDeviceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Be a device that is provisioned, until stopped; `run` may be left out.",
    discussion: """
      --secure, --espressif, --improv and --legacy choose the protocols; several may be given. Beside --secure the others are \
      open only while the button holds, for two minutes after `device press`. The code is printed, as QR codes too; without \
      --code eight digits are drawn for this run. Tries with a wrong code are counted over all protocols and restarts: after \
      ten only the button opens the device again. The state of a device of this name is kept in LATCHKEY_STATE, else \
      $XDG_STATE_HOME/latchkey, else ~/.local/state/latchkey.

      With --apply, {"ssid":…,"password":…} goes to the program's standard input: it exits with 0 if it has joined, 65 if the \
      password is wrong, 69 if there is no such network, 75 if the network gave no address, else with any other status. \
      --join scans and joins by a service of the system: network-manager, wpa-supplicant or iwd, which must run and manage the \
      radio. The user needs a right: for NetworkManager that of the package's polkit rules, for the others the group netdev. \
      With wpa-supplicant, and with iwd unless it has EnableNetworkConfiguration, a DHCP client must run on the interface, such \
      as systemd-networkd or dhcpcd; wpa_supplicant stores the network where its file has update_config=1. Without --apply and \
      --join the device says that it has joined, and joins nothing: for trying out.

      With --enroll an app of the secure protocol may also give the device its enrollment, in the same session, once it has \
      joined: an https address, a one-time token and, if it likes, the SHA-256 of the root that vouches for the service. The \
      device makes its key in the enclave and keeps its identity in the keychain, as `latchkey enroll` does: `login`, \
      `accounts` and `transfer` use it. A device that is enrolled keeps its identity whatever an app says. One that could not \
      enroll says why, keeps its network, and may be told again.

      With --json: code (code), qrCode (protocol, text), button (place), advertising (name), radioLost, pressed (seconds), \
      pressEnded, opened (central, protocol, assurance), closed (central, protocol), refused (central, protocol, reason), \
      wrongCode (central, protocol, attemptsLeft), locked, joining (ssid), joined (ssid, address, reach, page, \
      kept), joinFailed (reason), identify, notStored (reason), with --enroll enrolling (server), enrolled (server, user, \
      device, notAfter, isNew, label, identityKey), enrollmentFailed (reason, message), with --once waiting, done or error.

      Without a choice, or with --legacy alone, the legacy protocol is shown frame by frame. It offers service F200, and F100, in the clear, only with --plain. The legacy protocol authenticates nobody: anyone who is \
      in range can provision.

      What comes is printed and answered with code 0; the password is shown only with --show-secrets. With --apply, \
      {"ssid":…,"password":…} goes to the program's standard input instead: if it exits with 0 the answer is code 0 and \
      status connected, else code 2 and status failed. What holds no credentials is then refused with code 1.

      A radio that is lost is waited for, and the device advertises again when it is back.

      With --json then: advertising (name), radioLost, subscribed (central, service), receivedFrame and sentFrame (central, type, \
      length, payload), keyAgreed (central), received (central, service, ssid and password, or text), answered (central; code, \
      status or text), notAnswered (central), refused (central, code), timedOut (central), unsubscribed (central, \
      service), done or error.
      """,
    examples: [
      "latchkey device --hci unix-client:/tmp/radio --name PROV_Lamp --secure --espressif --button unix-server:/tmp/button",
      "latchkey device --name Lamp --secure --code @code.txt --qr label.png --apply ./join.sh",
      "latchkey device --name Lamp --secure --code @code.txt --enroll --keychain lamp.db",
      "latchkey device run --name Lamp --apply ./join.sh --once",
    ],
    statuses: .enrollment)

  @Option(help: "The name to advertise: 1 to 29 bytes of UTF-8.") var name: String
  @Flag(help: "Speak the secure protocol.") var secure = false
  @Flag(help: "Speak Espressif's Unified Provisioning; its apps look for names that begin with PROV_.") var espressif =
    false
  @Flag(help: "Speak Improv.") var improv = false
  @Flag(help: "Speak the legacy protocol.") var legacy = false
  @Option(help: "The device's code: @FILE, - or, with a warning, the code itself.") var code: String?
  @Option(help: ArgumentHelp("Write the QR code as an image (PNG), too.", valueName: "file")) var qr: String?
  @Option(help: ArgumentHelp("Where `device press` presses: unix-server:PATH.", valueName: "place")) var button: String?
  @Option(help: "Let unknown apps in for so many seconds after the start, then after a press alone; else always.")
  var pairingSeconds: Double?
  @Flag(
    name: .customLong("espressif-security-1"),
    help:
      "Speak Espressif's Security 1, too, by which an attacker who records it can try codes offline; never beside --secure."
  )
  var espressifSecurity1 = false
  @Flag(help: "Offer F100 too: values written there come in the clear.") var plain = false
  @Option(help: ArgumentHelp("Give what comes to this program.", valueName: "program")) var apply: String?
  @Option(
    help: ArgumentHelp(
      "Join networks by this service of the system: network-manager, wpa-supplicant or iwd.", valueName: "service"))
  var join: JoiningService?
  @Option(help: ArgumentHelp("The network interface for --join; else the service's first.", valueName: "name"))
  var interface: String?
  @Flag(help: "Show passwords.") var showSecrets = false
  @Flag(
    help:
      "End after one payload was answered, or the device has joined (with --enroll: is enrolled) and the app has left.")
  var once = false
  @OptionGroup var enrollment: DeviceEnrollmentOptions
  @OptionGroup var controller: ControllerOptions
  @OptionGroup var output: EventOptions

  /// How long, with --once, a central that has its answer has until it disconnects.
  private static let farewellLimit = Duration.seconds(5)

  /// A service of the system that joins networks.
  enum JoiningService: String, ExpressibleByArgument, CaseIterable {
    case networkManager = "network-manager"
    case wpaSupplicant = "wpa-supplicant"
    case iwd = "iwd"
  }

  /// The protocols that were chosen.
  var protocols: Set<ProvisioningProtocol> {
    let choices: [(Bool, ProvisioningProtocol)] = [
      (secure, .secure), (espressif, .espressif), (improv, .improv), (legacy, .legacy),
    ]
    return Set(choices.filter(\.0).map(\.1))
  }

  /// Whether the legacy protocol is shown frame by frame.
  private var showsFrames: Bool { protocols.isSubset(of: [.legacy]) && button == nil }

  func validate() throws {
    try DeviceName.check(name)
    guard apply == nil || join == nil else { throw ValidationError("give --apply or --join") }
    guard interface == nil || join != nil else { throw ValidationError("--interface goes with --join") }
    guard !enrollment.enroll || secure else { throw ValidationError("--enroll goes with --secure") }
    guard 0...86_400 ~= pairingSeconds ?? 0 else { throw ValidationError("--pairing-seconds is 0 to 86400") }
    if showsFrames {
      guard code == nil, qr == nil, pairingSeconds == nil, !espressifSecurity1 else {
        throw ValidationError(
          "--code, --qr, --pairing-seconds and --espressif-security-1 go with --secure or --espressif")
      }
      guard join == nil else { throw ValidationError("--join goes with --secure, --espressif or --improv") }
    } else if plain || showSecrets {
      throw ValidationError("--plain and --show-secrets go with the legacy protocol alone")
    } else if protocols.isDisjoint(with: [.secure, .espressif]), code != nil || qr != nil || espressifSecurity1 {
      throw ValidationError("--code, --qr and --espressif-security-1 go with --secure or --espressif")
    }
  }

  func run() async throws {
    try await output.run {
      let managerOptions = try controller.managerOptions()
      guard showsFrames else {
        return try await ProvisionableDeviceRun(command: self, managerOptions: managerOptions).run()
      }
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
