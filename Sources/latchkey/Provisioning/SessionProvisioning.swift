import Foundation
import LatchkeyByteCoding
import LatchkeyCommandLine
import LatchkeyProvisioning
import LatchkeyProvisioningProtocol
import LatchkeySystem

/// `latchkey provision` over a session: finds the device, asks for what is missing, and provisions.
struct SessionProvisioning: Sendable {
  let command: ProvisionCommand
  let managerOptions: [String: any Sendable]

  private var output: EventOptions { command.output }

  func run() async throws {
    // What is given is read before anything is searched for.
    if let ssid = command.ssid, !(1...NetworkCredentials.greatestNameLength).contains(ssid.utf8.count) {
      throw CommandFailure(.badData, NetworkCredentialsError.nameLength(ssid.utf8.count).explanation)
    }
    let password = try command.password.map { value throws(CommandFailure) in
      try SecretArgument.read(value, option: "--password", prompt: "")
    }
    let enrollment = try command.enrollment.read()
    var options = ProvisionerOptions()
    options.accepts.formUnion(command.allow.map(\.value))
    options.allowsEspressifSecurity1 = command.allow.contains(.espressifSecurity1)
    options.allowsEspressifSecurity0 = command.allow.contains(.espressifSecurity0)
    options.knownDevices = FileKnownDevices()
    if let username = command.username { options.espressifUsername = username }
    options.searchTimeout = .seconds(command.search.duration)
    let provisioner = Provisioner(options: options, managerOptions: managerOptions)
    let device = try await DeviceChoice(command: command, output: output).device(of: provisioner)
    let target = PrintableText.escaped(device.name ?? device.identifier.uuidString)
    output.progress(
      "Found \(target) \(device.identifier.uuidString)", "found",
      [
        "name": device.name.map { .text($0) } ?? .null, "identifier": .text(device.identifier.uuidString),
        "protocols": .list(device.protocols.sorted(by: >).map { .text($0.rawValue) }),
      ])
    let session = provisioner.session(with: device, code: try code(for: device))
    let steps = Task {
      for await step in session.progress { SessionReport(output).emit(step) }
    }
    let result: Result<Void, any Error>
    do {
      try await provision(session, target, password: password, enrollment)
      result = .success(())
    } catch {
      result = .failure(error)
    }
    await session.close()
    await steps.value
    do {
      try result.get()
    } catch let failure as ProvisioningFailure {
      throw failure.failure(of: target)
    }
  }

  private func provision(
    _ session: ProvisioningSession, _ target: String, password given: String?, _ enrollment: GivenEnrollment?
  ) async throws {
    let opened = try await session.opened()
    guard enrollment == nil || opened.protocol == .secure else {
      throw CommandFailure(
        .notPermitted, code: "insecure",
        "\(target) speaks no protocol by which a token may be sent: leave --enroll out, and nothing was sent until now")
    }
    if command.identify { try await session.identify() }
    let networks = opened.capabilities.contains(.scan) && command.ssid == nil ? try await session.networks() : []
    if command.networks {
      SessionReport(output).emit(networks)
      return
    }
    let ssid = try ssid(networks)
    let isOpen = networks.first { $0.name == ssid }?.security.needsPassword == false
    let password: String
    if let given {
      password = given
    } else {
      password = isOpen ? "" : try SecretArgument.read(nil, option: "--password", prompt: "Password of \(ssid): ")
    }
    var bytes = Array(password.utf8)
    defer { bytes.wipe() }
    let credentials: NetworkCredentials
    do throws(NetworkCredentialsError) {
      credentials = try NetworkCredentials(ssid: Array(ssid.utf8), passphrase: bytes, isHidden: command.hidden)
    } catch {
      throw CommandFailure(.badData, error.explanation)
    }
    let joined = try await session.provision(credentials)
    output.emit(
      "\(target): joined \(joined.words) (\(opened.protocol.name): \(opened.assurance.words))", "result",
      fields: joined.fields + [
        ("protocol", .text(opened.protocol.rawValue)), ("assurance", .text(opened.assurance.code)),
      ])
    try await enrollment?.give(to: session, target, output)
  }

  /// The code: given, or asked for where the device's protocol may want one.
  private func code(for device: FoundDevice) throws -> ProvisioningCode? {
    let wantsCode = !device.protocols.isDisjoint(with: [.secure, .espressif])
    guard command.code != nil || wantsCode else { return nil }
    let text = try SecretArgument.read(command.code, option: "--code", prompt: "Code of the device: ")
    // Espressif's devices may have none.
    guard !text.isEmpty else { return nil }
    do throws(ProvisioningCodeError) {
      return try ProvisioningCode(text)
    } catch {
      throw CommandFailure(.badData, "--code: \(error.explanation)")
    }
  }

  /// The network: given, or chosen from the device's list.
  private func ssid(_ networks: [ScannedNetwork]) throws(CommandFailure) -> String {
    if let ssid = command.ssid { return ssid }
    guard TerminalQuestion.isPossible, !output.json else {
      throw CommandFailure(.usage, "--ssid is missing: --networks lists what the device has found")
    }
    for (number, network) in networks.enumerated() {
      TerminalQuestion.show("\(number + 1)  \(SessionReport.line(of: network))")
    }
    return try TerminalQuestion.answer("Network, by number or name: ", option: "--ssid") {
      text throws(TerminalQuestion.Unfit) in
      if let number = Int(text), networks.indices.contains(number - 1) { return networks[number - 1].name }
      guard (1...NetworkCredentials.greatestNameLength).contains(text.utf8.count) else {
        throw TerminalQuestion.Unfit("a network's name has 1 to 32 bytes of UTF-8")
      }
      return text
    }
  }
}

extension NetworkCredentialsError {
  /// What is wrong, in a line.
  var explanation: String {
    switch self {
    case .nameLength(let length): "the network's name has \(length) bytes of UTF-8, not 1 to 32"
    case .passphraseLength(let length): "the password has \(length) bytes of UTF-8, more than 128"
    case .addressLength(let length): "the access point's address has \(length) bytes, not 6"
    }
  }
}

extension ProvisioningCodeError {
  /// What is wrong, in a line.
  var explanation: String {
    switch self {
    case .empty: "it is empty"
    case .tooLong(let length): "it has \(length) bytes: a code that is typed has 64 at most"
    case .notUnderstood: "it begins as a QR code's text does, and goes on otherwise"
    }
  }
}
