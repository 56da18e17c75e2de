import CoreBluetooth
import Foundation
import LatchkeyCommandLine
import LatchkeyProvisioning
import LatchkeyProvisioningProtocol
import LatchkeySystem

/// The demonstration's first half: a device and an app in one process, a host and a controller each. The app provisions the device by the
/// secure protocol and, in the same session, has it enroll. All steps are printed where the app waits for them, so that their order is one.
struct ProvisioningDemo: Sendable {
  let name: String
  let credentials: NetworkCredentials
  /// Where the device enrolls; nil without a server.
  let service: DemoService?
  let chapters: DemoChapters
  let output: EventOptions

  private static let options: [String: any Sendable] = [CBManagerOptionControllerKey: "virtual"]

  /// Runs it to its end.
  func run() async throws {
    let text = DeviceCode.draw()
    let code: ProvisioningCode
    do throws(ProvisioningCodeError) {
      code = try ProvisioningCode(text)
    } catch {
      throw CommandFailure(.badData, "the code: \(error.explanation)")
    }
    var options = ProvisionableDeviceOptions(code: code)
    if let service {
      options.enroll = { given in .enrolled(try await service.enroll(given, name: name)) }
    }
    let invitation: String?
    do throws(ProvisionableDeviceError) {
      invitation = try options.invitations(name: name).first?.text
    } catch {
      throw error.failure
    }
    let device = ProvisionableDevice(
      name: name, options: options, joiner: DemoJoiner(wanted: credentials.ssid, chapters: chapters),
      managerOptions: Self.options)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        do {
          try await device.run()
        } catch let error as ProvisionableDeviceError {
          throw error.failure
        }
      }
      group.addTask {
        for await event in device.events where event == .advertising { break }
        try Task.checkCancellation()
        showLabel(text, invitation)
        try await runApp(code)
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  /// What is printed on the device: its code, as a QR code too.
  private func showLabel(_ code: String, _ invitation: String?) {
    chapters.begin(
      "The device advertises as \(PrintableText.quoted(name)). Its label has the code \(code):", "advertising",
      ["name": .text(name), "code": .text(code)])
    guard let invitation else { return }
    if output.json {
      output.emit(nil, "qrCode", ["protocol": .text(ProvisioningProtocol.secure.rawValue), "text": .text(invitation)])
    } else {
      chapters.add(PrintableText.escaped(invitation))
      guard isatty(STDOUT_FILENO) == 1, let picture = try? QRCode(Array(invitation.utf8)) else { return }
      for line in picture.lines(hasColors: true) { chapters.add(line) }
    }
  }

  private func runApp(_ code: ProvisioningCode) async throws {
    chapters.begin("The app scans.", "searching")
    let provisioner = Provisioner(managerOptions: Self.options)
    do {
      let device = try await provisioner.find { $0.name == name }
      chapters.begin(
        "The app has found \(PrintableText.quoted(name)) (\(device.identifier.uuidString)), connects, and is told the code.",
        "found",
        [
          "name": .text(name), "identifier": .text(device.identifier.uuidString),
          "protocols": .list(device.protocols.sorted(by: >).map { .text($0.rawValue) }),
        ])
      let session = provisioner.session(with: device, code: code)
      let result: Result<Void, any Error>
      do {
        try await provision(session)
        result = .success(())
      } catch {
        result = .failure(error)
      }
      await session.close()
      try result.get()
    } catch let failure as ProvisioningFailure {
      throw failure.failure(of: PrintableText.escaped(name))
    }
    chapters.begin("The app closes the link; both erase their keys.", "disconnected")
  }

  private func provision(_ session: ProvisioningSession) async throws {
    let opened = try await session.opened()
    chapters.begin(
      "Both have proved that they know the code: \(opened.protocol.name).", "opened",
      ["protocol": .text(opened.protocol.rawValue), "assurance": .text(opened.assurance.code)])
    chapters.protection(
      "CPace and ML-KEM-768: a recording is no help in trying codes, nor to a quantum computer; ten wrong tries lock the device"
    )
    let networks = try await session.networks()
    chapters.begin("The app lists the networks in the device's reach.")
    if output.json { SessionReport(output).emit(networks) }
    for network in networks { chapters.add(SessionReport.line(of: network)) }
    chapters.begin("The app sends the network's name and password.", "joining")
    let joined = try await session.provision(credentials)
    chapters.begin("The device says that it has joined \(joined.words).")
    if output.json {
      output.emit(
        nil, "result",
        fields: joined.fields + [
          ("protocol", .text(opened.protocol.rawValue)), ("assurance", .text(opened.assurance.code)),
        ])
    }
    try await service?.enroll(over: session)
  }
}

/// Joins nothing, and shows what the device was told.
private struct DemoJoiner: NetworkJoiner {
  let wanted: [UInt8]
  let chapters: DemoChapters

  func scan() async throws(JoinFailure) -> [ScannedNetwork] {
    [
      ScannedNetwork(ssid: wanted, rssi: -48, security: .wpa2WPA3, channel: 6),
      ScannedNetwork(ssid: Array("Neighbors".utf8), rssi: -67, security: .wpa2, channel: 11),
    ]
  }

  func join(_ credentials: NetworkCredentials) async throws(JoinFailure) -> JoinedNetwork {
    let password = credentials.withPassphrase { String(decoding: $0, as: UTF8.self) }
    chapters.begin(
      "The device has decrypted them, and shows:", "received",
      ["ssid": .text(credentials.name), "password": .text(password)])
    chapters.add("ssid:     \(PrintableText.escaped(credentials.name))")
    chapters.add("password: \(PrintableText.escaped(password))")
    chapters.protection("keys of this session, one for each direction, which no code and no recording gives away")
    return JoinedNetwork(ssid: credentials.ssid)
  }

  func forget() async throws(JoinFailure) {}
}
