// modules: LatchkeyByteCoding LatchkeyProvisioningProtocol
import LatchkeyByteCoding
import LatchkeyProvisioningProtocol

/// Takes the input as a script for a device's machine that hostile apps use, or for an app's machine that talks to a hostile device.
///
/// Each write has one answer, no text opens a session without the code, tries stay within the budget, and nothing follows the end.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzProtocommMachines(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  guard let choice = input.first else { return 0 }
  let script = Array(input.dropFirst())
  if choice & 1 == 0 { checkDevice(script, isOpen: choice & 2 != 0) } else { checkApp(script, scheme: choice >> 1) }
  return 0
}

private let code = SecretBytes(Array("abcd1234".utf8))

private let verifier: SRPVerifier = {
  do {
    return try SRPVerifier(code: code, salt: [1, 2, 3, 4])
  } catch {
    fatalError("\(error)")
  }
}()

/// Different bytes, the same in every run.
private func counter(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: 7 &+ 31 &* $0) } }

/// A length of two bytes at most, and so many bytes, or what is left of them.
private func chunk(_ reader: inout ByteReader) -> [UInt8] {
  guard let length = try? reader.uint8("length") else { return [] }
  let count = length == 0xFF ? 600 : Int(length)
  return (try? reader.bytes(min(count, reader.remaining), "chunk")) ?? []
}

private func checkDevice(_ script: [UInt8], isOpen: Bool) {
  var configuration = ProtocommDeviceConfiguration(code: code, verifier: verifier)
  configuration.customEndpoints = ["custom"]
  // In the clear the script reaches what lies behind a handshake; otherwise nothing of it may.
  configuration.security0 = isOpen ? .always : .never
  configuration.security1 = .whenAuthorized
  configuration.canProvisionAgain = true
  var machine = ProtocommDeviceMachine(configuration, random: counter)
  var context = DeviceContext(now: .zero)
  let characteristics = machine.service.characteristics.map(\.uuid)
  var owed: [ProvisioningLink: Int] = [:]
  var works: [Int] = []
  var tries = 0
  var reader = ByteReader(script)
  if isOpen {
    machine.write(
      [0x52, 0x03, 0xA2, 0x01, 0x00], to: characteristics[2], from: ProvisioningLink(id: 0), context: &context)
  }
  var isFirst = isOpen
  while let operation = try? reader.uint8("operation") {
    let link = ProvisioningLink(id: UInt64(operation >> 4 & 3))
    let failures = context.attempts.record.failures
    switch operation & 0x0F {
    case 0...7:
      let characteristic = characteristics[Int(operation & 7) % characteristics.count]
      // A central writes again when it has its answer.
      guard owed[link] ?? 0 == 0 else { continue }
      owed[link] = 1
      machine.write(chunk(&reader), to: characteristic, from: link, context: &context)
    case 8:
      let value = try? machine.read(characteristics[Int(operation >> 6)], from: link, context: &context)
      guard (value ?? []).count <= 512 else { fatalError("a value of \(value?.count ?? 0) bytes") }
    case 9:
      machine.disconnected(link, context: &context)
      owed[link] = 0
    case 10:
      context.now += .milliseconds(1 << Int(operation >> 4))
      if let deadline = machine.nextDeadline, context.now >= deadline {
        machine.handleTimeout(context: &context)
        if let deadline = machine.nextDeadline, deadline <= context.now { fatalError("an expired deadline stays") }
      }
    case 11:
      let states: [NetworkState] = [
        .idle, .connecting, .failed(.wrongPassphrase), .connected(JoinedNetwork(ssid: [0x41])),
      ]
      context.network = states[Int(operation >> 4 & 3)]
      machine.changed(context: &context)
    case 12: context.isAuthorized = operation & 0x10 != 0
    case 13, 14:
      guard let number = works.first else { continue }
      works.removeFirst()
      let networks = (0..<Int(operation >> 2)).map {
        ScannedNetwork(ssid: [UInt8](repeating: UInt8($0), count: $0 % 40), rssi: -$0, security: .wpa2)
      }
      let results: [DeviceWorkResult] = [.done, .networks(networks), .response(chunk(&reader)), .failed(.busy)]
      machine.completed(number, results[Int(operation >> 4 & 3)], context: &context)
    default: machine.completed(Int(operation), .done, context: &context)
    }
    if context.attempts.record.failures > failures { tries += 1 }
    for action in machine.dequeueActions() {
      switch action {
      case .respond(let link, _):
        if isFirst {
          isFirst = false
          continue
        }
        guard let count = owed[link], count == 1 else { fatalError("an answer to no write") }
        owed[link] = 0
      case .perform(let number, _): works.append(number)
      case .report(.opened(_, let assurance)):
        guard assurance == .none, isOpen else { fatalError("a session without the code") }
      case .notify: fatalError("a notification")
      default: break
      }
    }
    guard tries <= AttemptBudget.limit else { fatalError("\(tries) tries") }
  }
  // What is still owed waits for work.
  for link in owed.keys { machine.disconnected(link, context: &context) }
}

private func checkApp(_ script: [UInt8], scheme: UInt8) {
  var configuration = ProtocommAppConfiguration(code: code)
  configuration.allowsSecurity0 = scheme & 1 != 0
  var app = ProtocommAppMachine(configuration, random: counter)
  let device = ProtocommDeviceMachine(ProtocommDeviceConfiguration(code: code, verifier: verifier), random: counter)
  var now = Duration.zero
  var isOver = false
  var isOpen = false
  var pending: (uuid: String, isReading: Bool)?
  var reader = ByteReader(script)
  app.begin(device.service, context: AppContext(now: now))
  while true {
    for action in app.dequeueActions() {
      guard !isOver else { fatalError("an action follows the end") }
      switch action {
      case .write(let uuid, let bytes, _):
        guard pending == nil, bytes.count <= 512 else { fatalError("a write before the answer to the last one") }
        pending = (uuid, false)
      case .read(let uuid): pending = (uuid, true)
      case .report(.failed): (isOver, pending) = (true, nil)
      case .report(.opened(let assurance, _)):
        guard assurance == .none, configuration.allowsSecurity0, !isOpen else {
          fatalError("a session without the code")
        }
        isOpen = true
      case .report(.networks(let networks)):
        guard networks.count <= configuration.scanLimit else { fatalError("\(networks.count) networks") }
      case .report: break
      case .subscribe: fatalError("a subscription")
      }
    }
    if let deadline = app.nextDeadline, isOver || deadline > now + .seconds(30) {
      fatalError("a deadline at \(deadline)")
    }
    guard let operation = try? reader.uint8("operation") else { return }
    let context = AppContext(now: now)
    switch operation & 7 {
    case 0...3:
      guard let current = pending else { continue }
      if current.isReading {
        pending = nil
        app.handle(.read(current.uuid, chunk(&reader)), context: context)
      } else {
        app.handle(.wrote(current.uuid), context: context)
      }
    case 4:
      guard let current = pending else { continue }
      pending = nil
      let failure = AccessFailure.attribute(operation)
      app.handle(
        current.isReading ? .readFailed(current.uuid, failure) : .writeFailed(current.uuid, failure), context: context)
    case 5:
      now += .milliseconds(1 << Int(operation >> 3 & 0x0F))
      if let deadline = app.nextDeadline, now >= deadline {
        // The shell ends a transaction whose time is over.
        pending = nil
        app.handleTimeout(context: AppContext(now: now))
      }
    case 6:
      let credentials = try? NetworkCredentials(ssid: [0x41], passphrase: [0x42])
      let requests: [AppRequest?] = [
        .scan, credentials.map { .join($0) }, .status, .forget, .custom(endpoint: "custom", body: [1]), .identify,
      ]
      if let request = requests[Int(operation >> 3) % requests.count] { app.perform(request, context: context) }
    default: app.handle(.notified("2A00", [1]), context: context)
    }
  }
}
