import CoreBluetooth
import Foundation
import LatchkeyByteCoding
import LatchkeyCommandLine
import LatchkeySystem

/// Does what is typed into `ble explore`, one line after the other.
actor Explorer {
  private let session: CentralSession
  private let output: EventOptions
  private let searchTimeout: Duration
  private var devices: [Advertisement] = []
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

  init(_ session: CentralSession, _ output: EventOptions, searchTimeout: Duration) {
    self.session = session
    self.output = output
    pairing = PairingDialog(output)
    self.searchTimeout = searchTimeout
  }

  /// Handles an event that no command asked for.
  func handle(_ event: CentralSession.Event) {
    switch event {
    case .discovered(let advertisement): handle(advertisement)
    case .updated(let service, let characteristic, let value): emit("update", "\(service)/\(characteristic)", value)
    case .disconnected(let reason):
      isConnected = false
      let text = reason.map(PrintableText.escaped)
      output.emit(
        "disconnected" + (text.map { ": \($0)" } ?? ""), "disconnected", ["reason": reason.map { .text($0) } ?? .null])
    case .pairing(let request):
      pairing.ask(request)
      wake()
    case .paired(let identifier, let isStored): pairing.paired(identifier, isStored: isStored)
    case .notPaired(let identifier, let reason): pairing.notPaired(identifier, reason)
    }
  }

  /// Does what a line says, or takes it as the answer to a question. Returns when it is done, or when the user is asked
  /// something, which the next line answers; false if it was the last.
  func take(_ line: String) async -> Bool {
    await settle()
    if pairing.question != nil {
      guard pairing.answer(line) else { return true }
    } else {
      isBusy = true
      work = Task {
        goesOn = await perform(line)
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
  private func perform(_ line: String) async -> Bool {
    do {
      switch try ExploreInput(line) {
      case .nothing: break
      case .quit: return false
      case .help: emitGrammar()
      case .devices: for index in devices.indices { emitDevice(index) }
      case .connect(let who): try await connect(to: who)
      case .disconnect: try await disconnect()
      case .services: try await emitServices()
      case .read(let path): emit("value", path.text, try await session.read(path))
      case .write(let path, let value):
        try await session.write(value, to: path)
        emit("written", path)
      case .command(let path, let value):
        try await session.command(value, to: path)
        emit("sent", path)
      case .send(let path, let value):
        try await session.write(value, to: path)
        emit("written", path)
        emit("value", path.text, try await session.read(path))
      case .subscribe(let path):
        try await session.setNotify(true, for: path)
        emit("subscribed", path)
      case .unsubscribe(let path):
        try await session.setNotify(false, for: path)
        emit("unsubscribed", path)
      }
    } catch is CancellationError {
      return false
    } catch {
      failed(line, error)
    }
    return true
  }

  /// Reports a line of standard input that is no command.
  func refuse(_ number: Int, _ message: String) { failed(label: "line \(number)", command: .null, message) }

  /// Ends the connection, if there is one.
  func leave() async {
    guard isConnected else { return }
    try? await disconnect()
  }

  // MARK: Lines

  private func connect(to who: String) async throws {
    guard !isConnected else { throw CentralSession.Failure("there is a connection: disconnect first") }
    let device = try await find(who)
    session.stopScan()
    do {
      try await withDeadline(.seconds(30), "the connection took too long") {
        try await self.session.connect(device.identifier)
      }
    } catch {
      // Core Bluetooth itself would try for ever.
      session.abandonConnection()
      session.scan(services: [])
      throw error
    }
    isConnected = true
    output.emit(
      "connected to \(PrintableText.escaped(device.name ?? device.identifier.uuidString))", "connected",
      ["identifier": .text(device.identifier.uuidString), "name": device.name.map { .text($0) } ?? .null])
    try await emitServices()
  }

  private func disconnect() async throws {
    try await session.disconnect()
    isConnected = false
    output.emit("disconnected", "disconnected", ["reason": .null])
    session.scan(services: [])
  }

  private func emitServices() async throws {
    for service in try await session.discover() {
      if output.json {
        output.emit(nil, "service", service.fields)
      } else {
        for line in service.lines { output.emit(line, "service") }
      }
    }
  }

  // MARK: Devices

  private func handle(_ advertisement: Advertisement) {
    let index: Int
    if let known = devices.firstIndex(where: { $0.identifier == advertisement.identifier }) {
      let isNew = !devices[known].isSame(as: advertisement)
      devices[known] = advertisement
      guard isNew else { return }
      index = known
    } else {
      devices.append(advertisement)
      index = devices.count - 1
    }
    if !isConnected { emitDevice(index) }
    if let search, let device = device(search.wanted) {
      self.search = nil
      search.continuation.resume(returning: device)
    }
  }

  private func emitDevice(_ index: Int) {
    output.emit("\(index + 1)  \(devices[index].line)", "device", devices[index].fields)
  }

  private func device(_ wanted: String) -> Advertisement? {
    if let number = Int(wanted), devices.indices.contains(number - 1) { return devices[number - 1] }
    return devices.first { $0.name == wanted } ?? devices.first { $0.identifier.uuidString == wanted.uppercased() }
  }

  private func find(_ wanted: String) async throws -> Advertisement {
    if let device = device(wanted) { return device }
    return try await withDeadline(searchTimeout, "\(PrintableText.escaped(wanted)) was not found") {
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

  /// The result of `body`, unless `duration` passes first.
  private func withDeadline<Result: Sendable>(
    _ duration: Duration, _ message: String, _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    try await withThrowingTaskGroup(of: Result.self) { group in
      group.addTask { try await body() }
      group.addTask {
        try await Task.sleep(for: duration)
        throw CentralSession.Failure(message)
      }
      defer { group.cancelAll() }
      guard let result = try await group.next() else { throw CancellationError() }
      return result
    }
  }

  // MARK: Printing

  private func emitGrammar() {
    for line in ExploreInput.grammar.split(separator: "\n", omittingEmptySubsequences: false) {
      output.emit(String(line), "help", ["text": .text(String(line))])
    }
  }

  private func emit(_ event: String, _ path: String, _ value: [UInt8]) {
    let digits = Hexadecimal.encode(value)
    let text = String(validating: value, as: UTF8.self)
    output.emit(
      "\(event) \(path): "
        + (value.isEmpty ? "(empty)" : digits + (PrintableText.quoted(value).map { " \($0)" } ?? "")),
      event,
      ["path": .text(path), "value": .text(digits), "text": text.map { .text($0) } ?? .null])
  }

  private func emit(_ event: String, _ path: AttributePath) {
    output.emit("\(event) \(path.text)", event, ["path": .text(path.text)])
  }

  private func failed(_ line: String, _ error: any Error) {
    var code = JSONLine.Value.null
    let message: String
    switch error {
    case let failure as CentralSession.Failure: message = failure.message
    case let failure as CommandFailure: message = failure.message
    case let failure as CBATTError:
      code = .integer(failure.code.rawValue)
      // From 0x80 on the meaning is the application's own, and the system has no text for it.
      let words = failure.code.rawValue < 0x80 ? ": \(failure.localizedDescription)" : ", the application's own"
      message = "error 0x\(String(failure.code.rawValue, radix: 16))" + words
    default: message = error.localizedDescription
    }
    let verb = PrintableText.escaped(String(line.split(separator: " ").first ?? ""))
    failed(label: verb, command: .text(line), code: code, message)
  }

  private func failed(label: String, command: JSONLine.Value, code: JSONLine.Value = .null, _ message: String) {
    failures += 1
    if output.json {
      output.emit(nil, "failed", ["command": command, "code": code, "message": .text(message)])
    } else {
      StandardStreams.reportError("\(label): \(message)")
    }
  }
}

extension AttributePath {
  /// The path as it is typed, in upper case as `CBUUID.uuidString` has it.
  var text: String {
    let parts = (service.map { "\($0)/" } ?? "") + characteristic + (descriptor.map { ":\($0)" } ?? "")
    return parts.uppercased()
  }
}
