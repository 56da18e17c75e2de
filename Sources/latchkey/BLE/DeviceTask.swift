import CoreBluetooth
import Foundation
import LatchkeyCommandLine
import LatchkeySystem

/// What a command does with one device: the device is looked for and connected, what the command needs is discovered, the command does
/// its work, and the link is taken down, whatever came of it.
struct DeviceTask: Sendable {
  let device: String
  let controller: ControllerOptions
  let output: EventOptions
  /// How long each step may take.
  let limit: Duration
  let pairing: CentralSession.Pairing
  /// What the work needs; all there is if it is empty.
  let paths: [AttributePath]
  /// Takes the values that the device sends.
  var onUpdate: (@Sendable (FoundAttribute, [UInt8]) -> Void)?
  /// Takes what else happens while the device is connected.
  var onEvent: @Sendable (CentralSession.Event) async -> Void = { _ in }

  init(_ device: String, _ connection: ConnectionOptions, paths: [AttributePath]) {
    self.init(
      device, connection.controller, connection.output, timeout: connection.timeout,
      pairing: connection.pair ? .asked : .silent, paths: paths)
  }

  init(
    _ device: String, _ controller: ControllerOptions, _ output: EventOptions, timeout: Double,
    pairing: CentralSession.Pairing, paths: [AttributePath]
  ) {
    self.device = device
    self.controller = controller
    self.output = output
    limit = .seconds(timeout)
    self.pairing = pairing
    self.paths = paths
  }

  /// Does `work`.
  ///
  /// - Throws: `notFound`, `timedOut` and the like as `unavailable`; what the device refused as `notPermitted`; what `work` throws.
  func run(_ work: @escaping @Sendable (CentralSession) async throws -> Void) async throws {
    // A user needs time to answer; the host gives up after 30 seconds.
    let answerLimit = pairing == .asked ? limit + .seconds(60) : limit
    let session = CentralSession(
      options: try controller.managerOptions(), pairing: pairing, answerLimit: answerLimit, onUpdate: onUpdate)
    let answers = PairingAnswers(output)
    var listening: Task<Void, Never>?
    var failure: (any Error)?
    do {
      try await session.start()
      let found = try await find(session)
      listening = Task { [onEvent] in
        for await event in session.events {
          await answers.handle(event)
          await onEvent(event)
        }
      }
      try await connect(session, to: found)
      try await work(session)
    } catch {
      failure = error
    }
    // The link is taken down even if the task was canceled.
    await Task { await session.leave() }.value
    session.end()
    await listening?.value
    await answers.stop()
    try session.check()
    if let failure { throw AttributeFailure.ending(failure) }
  }

  private func find(_ session: CentralSession) async throws -> Advertisement {
    let name = PrintableText.escaped(device)
    let failure = CentralSession.Failure(
      "\(name) was not found: `latchkey ble scan` lists the devices that advertise", code: "notFound")
    session.scan(services: [])
    let found = try await Deadline.run(limit, orThrow: failure) { () -> Advertisement? in
      for await case .discovered(let advertisement) in session.events where advertisement.isCalled(device) {
        return advertisement
      }
      return nil
    }
    session.stopScan()
    try session.check()
    guard let found else { throw CancellationError() }
    return found
  }

  private func connect(_ session: CentralSession, to found: Advertisement) async throws {
    let name = PrintableText.escaped(found.name ?? found.identifier.uuidString)
    try await Deadline.run(limit, orThrow: CentralSession.Failure("\(name) did not connect in time", code: "timedOut"))
    {
      try await session.connect(found.identifier)
    }
    output.emit(
      nil, "connected",
      ["identifier": .text(found.identifier.uuidString), "name": .maybe(found.name)])
    let failure = CentralSession.Failure("\(name) did not say in time what it offers", code: "timedOut")
    try await Deadline.run(limit, orThrow: failure) { try await session.discover(paths) }
  }
}

extension Advertisement {
  /// Whether a user who typed `text` means this device.
  func isCalled(_ text: String) -> Bool { name == text || identifier.uuidString == text.uppercased() }
}
