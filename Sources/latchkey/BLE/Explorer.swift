import CoreBluetooth
import Foundation
import LatchkeyCommandLine
import LatchkeySystem

/// Does what is typed into `ble explore`, one line after the other.
actor Explorer {
  private let session: CentralSession
  private let report: ExploreReport
  private let vocabulary: ExploreVocabulary
  private let searchTimeout: Duration
  /// The devices that were seen, by their numbers.
  private var devices: [Advertisement] = []
  /// How many gave their number to another one.
  private var replaced = 0
  /// How many have numbers: devices with addresses that change are new ones again and again.
  private static let deviceCapacity = 1024
  private var isConnected = false
  private var search: (wanted: String, continuation: CheckedContinuation<Advertisement, any Error>)?
  /// How many lines could not be done.
  private(set) var failures = 0
  private var pairing: PairingDialog
  /// What does the last line.
  private var work: Task<Void, Never>?
  /// Whether it is not done.
  private var isBusy = false
  /// Whether the last line that was done was not the last of all.
  private var goesOn = true
  private var waiter: CheckedContinuation<Void, Never>?

  init(
    _ session: CentralSession, _ output: EventOptions, searchTimeout: Duration,
    vocabulary: ExploreVocabulary = ExploreVocabulary()
  ) {
    self.session = session
    report = ExploreReport(output: output)
    self.vocabulary = vocabulary
    pairing = PairingDialog(output)
    self.searchTimeout = searchTimeout
  }

  /// Handles an event that no command asked for.
  func handle(_ event: CentralSession.Event) {
    switch event {
    case .discovered(let advertisement): handle(advertisement)
    case .updated(let attribute, let value): report.value("update", attribute.path, attribute, value, id: nil)
    case .disconnected(let reason):
      isConnected = false
      report.disconnected(reason, id: nil)
    case .pairing(let request):
      pairing.ask(request)
      wake()
    case .paired(let identifier, let isStored): pairing.paired(identifier, isStored: isStored)
    case .notPaired(let identifier, let reason): pairing.notPaired(identifier, reason)
    }
  }

  /// Does what line `id` says, or takes it as the answer to a question. Returns when it is done, or when the user is asked
  /// something, which the next line answers; false if it was the last.
  func take(_ line: String, id: Int) async -> Bool {
    await settle()
    if pairing.question != nil {
      guard pairing.answer(line) else { return true }
    } else {
      isBusy = true
      work = Task {
        goesOn = await perform(line, id)
        isBusy = false
        wake()
      }
    }
    await settle()
    return isBusy || goesOn
  }

  /// Waits until the line is done, or the user is asked something.
  private func settle() async {
    let work = work
    await withTaskCancellationHandler {
      while isBusy, pairing.question == nil { await withCheckedContinuation { waiter = $0 } }
    } onCancel: {
      work?.cancel()
    }
  }

  /// Ends what is under way when there are no more lines: nobody answers.
  func endOfLines() async {
    while isBusy {
      pairing.giveUp()
      await withCheckedContinuation { waiter = $0 }
    }
  }

  private func wake() {
    waiter?.resume()
    waiter = nil
  }

  /// Does what a line says; false if it was the last.
  private func perform(_ line: String, _ id: Int) async -> Bool {
    do {
      switch try ExploreInput(line) {
      case .nothing: return true
      case .quit: return false
      case .help: report.grammar(id: id)
      case .devices: for index in devices.indices { emitDevice(index, id: id) }
      case .connect(let who): try await connect(to: who, id)
      case .disconnect: try await disconnect(id)
      case .services: try await emitServices(id)
      case .read(let path): try await read(path, id)
      case .write(let path, let value): try await write(value, to: path, id)
      case .command(let path, let value):
        let attribute = try session.attribute(at: path)
        try await session.command(value, to: path)
        report.done("sent", path, attribute, id: id)
      case .send(let path, let value):
        try await write(value, to: path, id)
        try await read(path, id)
      case .subscribe(let path): try await setNotify(true, path, "subscribed", id)
      case .unsubscribe(let path): try await setNotify(false, path, "unsubscribed", id)
      }
    } catch is CancellationError {
      return false
    } catch {
      failures += 1
      report.failed(line, error, id: id)
    }
    report.finished(id: id)
    return true
  }

  private func read(_ path: AttributePath, _ id: Int) async throws {
    let attribute = try session.attribute(at: path)
    report.value("value", path.text, attribute, try await session.read(path), id: id)
  }

  private func write(_ value: [UInt8], to path: AttributePath, _ id: Int) async throws {
    let attribute = try session.attribute(at: path)
    try await session.write(value, to: path)
    report.done("written", path, attribute, id: id)
  }

  private func setNotify(_ isNotifying: Bool, _ path: AttributePath, _ event: String, _ id: Int) async throws {
    let attribute = try session.attribute(at: path)
    try await session.setNotify(isNotifying, for: path)
    report.done(event, path, attribute, id: id)
  }

  /// Reports a line of standard input that is no command.
  func refuse(_ number: Int, _ message: String) {
    failures += 1
    report.refused(number, message)
  }

  /// Ends the connection, if there is one.
  func leave() async {
    guard isConnected else { return }
    try? await disconnect(nil)
  }

  // MARK: Lines

  private func connect(to who: String, _ id: Int) async throws {
    guard !isConnected else { throw CentralSession.Failure("there is a connection: disconnect first") }
    let device = try await find(who)
    session.stopScan()
    do {
      try await Deadline.run(.seconds(30), orThrow: CentralSession.Failure("the connection took too long")) {
        try await self.session.connect(device.identifier)
      }
    } catch {
      // Core Bluetooth itself would try for ever.
      session.abandonConnection()
      session.scan(services: [])
      throw error
    }
    isConnected = true
    report.connected(device, id: id)
    try await emitServices(id)
  }

  private func disconnect(_ id: Int?) async throws {
    try await session.disconnect()
    isConnected = false
    report.disconnected(nil, id: id)
    session.scan(services: [])
  }

  private func emitServices(_ id: Int) async throws {
    let services = try await session.discover()
    vocabulary.learn(services)
    report.services(services, id: id)
  }

  // MARK: Devices

  private func handle(_ advertisement: Advertisement) {
    let index: Int
    if let known = devices.firstIndex(where: { $0.identifier == advertisement.identifier }) {
      let isNew = !devices[known].isSame(as: advertisement)
      devices[known] = advertisement
      guard isNew else { return }
      index = known
    } else if devices.count < Self.deviceCapacity {
      devices.append(advertisement)
      index = devices.count - 1
    } else {
      index = replaced % Self.deviceCapacity
      replaced += 1
      devices[index] = advertisement
    }
    vocabulary.learn(devices)
    if !isConnected { emitDevice(index, id: nil) }
    if let search, let device = device(search.wanted) {
      self.search = nil
      search.continuation.resume(returning: device)
    }
  }

  private func emitDevice(_ index: Int, id: Int?) { report.device(index + 1, devices[index], id: id) }

  private func device(_ wanted: String) -> Advertisement? {
    if let number = Int(wanted), devices.indices.contains(number - 1) { return devices[number - 1] }
    return devices.first { $0.name == wanted } ?? devices.first { $0.identifier.uuidString == wanted.uppercased() }
  }

  private func find(_ wanted: String) async throws -> Advertisement {
    if let device = device(wanted) { return device }
    let failure = CentralSession.Failure("\(PrintableText.escaped(wanted)) was not found")
    return try await Deadline.run(searchTimeout, orThrow: failure) {
      try await self.waitForDevice(wanted)
    }
  }

  private func waitForDevice(_ wanted: String) async throws -> Advertisement {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        guard !Task.isCancelled else { return continuation.resume(throwing: CancellationError()) }
        // It may have come between the first look and this one.
        if let device = device(wanted) { return continuation.resume(returning: device) }
        search = (wanted, continuation)
      }
    } onCancel: {
      Task { await self.giveUpSearch() }
    }
  }

  private func giveUpSearch() {
    search?.continuation.resume(throwing: CancellationError())
    search = nil
  }
}
