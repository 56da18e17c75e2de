import CoreBluetooth
import Foundation
import LatchkeyCommandLine
import LatchkeyKeychainModel
import LatchkeyNetworkJoining
import LatchkeyProvisioning
import LatchkeyProvisioningProtocol

/// `latchkey device` with a choice of protocols.
struct ProvisionableDeviceRun: Sendable {
  let command: RunDeviceCommand
  let managerOptions: [String: any Sendable]

  private var output: EventOptions { command.output }

  func run() async throws {
    let report = ProvisionableDeviceReport(output, name: command.name)
    var options = ProvisionableDeviceOptions(code: nil)
    options.protocols = command.protocols
    var given: String?
    if !command.protocols.isDisjoint(with: [.secure, .espressif]) {
      let (text, code) = try DeviceCode.read(command.code)
      options.code = code
      given = text
    }
    options.allowsEspressifSecurity1 = command.espressifSecurity1
    options.needsPress = command.button != nil
    options.pairingWindow = command.pairingSeconds.map { .seconds($0) }
    options.identify = {}
    let completion = DeviceCompletion(needsEnrollment: command.enrollment.enroll)
    if command.enrollment.enroll {
      let enrollment = try enrollment { completion.enrolled() }
      options.enroll = { given in try await enrollment.enroll(given) }
    }
    options.store = try store()
    if let given {
      let texts: [(protocol: ProvisioningProtocol, text: String)]
      do throws(ProvisionableDeviceError) {
        texts = try options.invitations(name: command.name)
      } catch {
        throw error.failure
      }
      report.emit(code: given, texts: texts)
      if let file = command.qr { try Self.write(texts, to: file) }
    }
    let joiner = try joiner()
    let device = ProvisionableDevice(
      name: command.name, options: options, joiner: joiner, managerOptions: managerOptions)
    guard let place = command.button else { return try await serve(device, report, completion) }
    try await DeviceButton { device.press() }.listening(at: place) { listening in
      output.emit("the button is at \(listening)", "button", ["place": .text("\(listening)")])
      try await serve(device, report, completion)
    }
  }

  private func serve(
    _ device: ProvisionableDevice, _ report: ProvisionableDeviceReport, _ completion: DeviceCompletion
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        do {
          try await device.run()
        } catch let error as ProvisionableDeviceError {
          throw error.failure
        }
      }
      group.addTask {
        for await event in device.events {
          report.emit(event)
          if completion.handle(event) == .joinedOnly, command.once {
            output.emit("the device has joined; it waits for an app that gives it its enrollment", "waiting")
          }
        }
      }
      if command.once {
        group.addTask { for await _ in completion.done { return } }
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  private func enrollment(_ enrolled: @escaping @Sendable () -> Void) throws -> DeviceEnrollment {
    do {
      return try DeviceEnrollment(command.enrollment, name: command.name, output: output, enrolled: enrolled)
    } catch let error as StoreError {
      throw error.failure
    }
  }

  private func joiner() throws(CommandFailure) -> any NetworkJoiner {
    if let path = command.apply { return ProgramJoiner(program: try ApplyProgram(path)) }
    switch command.join {
    case .networkManager: return NetworkManagerJoiner(interface: command.interface)
    case .wpaSupplicant: return SupplicantJoiner(interface: command.interface)
    case .iwd: return IwdJoiner(interface: command.interface)
    case nil: return PretendingJoiner()
    }
  }

  private func store() throws(CommandFailure) -> any ProvisionableDeviceStore {
    do {
      return try FileDeviceStore(name: command.name)
    } catch {
      throw CommandFailure(.inputOutput, "\(error)")
    }
  }

  /// Writes the code of the strongest protocol as an image.
  private static func write(
    _ texts: [(protocol: ProvisioningProtocol, text: String)], to file: String
  ) throws(CommandFailure) {
    guard let text = texts.first?.text, let code = try? QRCode(Array(text.utf8)) else {
      throw CommandFailure(.badData, "--qr: the code does not fit a QR code")
    }
    try OutputFile.writeSecret(code.png(), to: file)
  }
}
