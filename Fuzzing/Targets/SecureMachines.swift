// modules: LatchkeyByteCoding LatchkeyProvisioningProtocol
import LatchkeyByteCoding
import LatchkeyProvisioningProtocol

/// Reads the input as bodies and texts of the secure protocol, as values for a device and for an app, and as a script for both with a
/// radio between them that alters, drops and repeats.
///
/// Invariants: what was read encodes to the same bytes; each write has one answer; values fit; nobody without the code opens a session
/// or has work done; what was read of a session is what was sent; nothing follows an app's end; deadlines lie ahead.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSecureMachines(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  guard let choice = input.first else { return 0 }
  let rest = Array(input.dropFirst())
  switch choice % 6 {
  case 0: checkBodies(rest)
  case 1: checkFragments(rest)
  case 2: checkDevice(rest)
  case 3: checkApp(rest)
  case 4: checkSession(rest)
  default: checkTexts(rest)
  }
  return 0
}

private func checkBodies(_ bytes: [UInt8]) {
  func check(_ again: [UInt8], _ what: String) {
    guard again == bytes else { fatalError("\(what) encodes to other bytes") }
  }
  if let information = try? SecureInformation(bytes) { check(information.bytes, "INFO") }
  if let message = try? SecureMessage(bytes) { check(message.bytes, "a message") }
  if let request = try? SecureRequest(bytes) { check(request.bytes, "a request") }
  if let response = try? SecureResponse(bytes) { check(response.bytes, "a response") }
  if let page = try? SecureScanPage(bytes) { check(page.bytes, "a page") }
  if let enrollment = try? SecureEnrollment(bytes) { check(enrollment.bytes, "an enrollment") }
  // A reason that is not known is read as another one.
  if let answer = try? SecureEnrollmentAnswer(bytes), (try? SecureEnrollmentAnswer(answer.bytes)) != answer {
    fatalError("an enrollment's answer encodes to another one")
  }
  if let tickets = try? SecureTickets(bytes) { check(tickets.bytes, "tickets") }
  if let resumption = try? SecureResumption(bytes) { check(resumption.bytes, "a resumption") }
  if let network = try? SecureNetworkConfiguration(bytes) { check(network.bytes, "a network") }
}

/// A message cut by the script comes back, or is refused; what is joined is cut and joined to the same.
private func checkFragments(_ script: [UInt8]) {
  var reader = ByteReader(script)
  var reassembler = SecureReassembler(limit: 256)
  do {
    while !reader.isEmpty {
      guard let message = try reassembler.add(chunk(&reader), now: .zero) else { continue }
      guard (3...256).contains(message.count) else { fatalError("a message out of bounds") }
      var again = SecureReassembler(limit: 256)
      var joined: [UInt8]?
      for value in SecureFragments.values(of: message, limit: 20) { joined = try again.add(value, now: .zero) }
      guard joined == message else { fatalError("a message changed") }
    }
  } catch {
    // The radio does not get further with a message than this.
  }
}

/// Links write what they like; none knows the code.
private func checkDevice(_ script: [UInt8]) {
  var device = makeDevice()
  var context = DeviceContext(now: .zero)
  var attempts = 0
  var reader = ByteReader(script)
  while let operation = try? reader.uint8("operation") {
    let link = ProvisioningLink(id: UInt64(operation >> 4))
    context.notificationLimits[link] = 20 + Int(operation)
    var writes = 0
    switch operation & 0x0F {
    case 0...5:
      device.write(chunk(&reader), to: SecureService.transmit, from: link, context: &context)
      writes = 1
    case 6...8:
      // A whole message of the script's body.
      guard let kind = try? reader.uint8("kind"), let length = try? reader.uint8("length") else { return }
      let kinds = SecureMessage.Kind.allCases
      let body = [operation & 1 == 0 ? 2 : length] + [UInt8](repeating: kind, count: kind & 1 == 0 ? 48 : Int(length))
      for value in SecureFragments.values(of: SecureMessage(kinds[Int(kind) % kinds.count], body).bytes, limit: 200) {
        device.write(value, to: SecureService.transmit, from: link, context: &context)
        writes += 1
      }
    case 9: device.subscribed(true, to: SecureService.receive, from: link, context: &context)
    case 10: device.subscribed(false, to: SecureService.receive, from: link, context: &context)
    case 11: device.disconnected(link, context: &context)
    case 12: context.now += .milliseconds(Int(operation) * 40)
    case 13: device.handleTimeout(context: &context)
    case 14: context.isPairing.toggle()
    default: device.completed(Int(operation >> 4), .done, context: &context)
    }
    guard context.attempts.record.failures >= attempts else { fatalError("an attempt was given back") }
    attempts = context.attempts.record.failures
    guard device.openSessions == 0 else { fatalError("a session without the code") }
    for action in device.dequeueActions() {
      switch action {
      case .respond: writes -= 1
      case .notify(let link, _, let value):
        guard value.count <= context.notificationLimit(of: link) else { fatalError("a value does not fit") }
      case .perform: fatalError("work without the code")
      case .report(.opened): fatalError("a session without the code")
      case .advertise, .report: break
      }
    }
    guard writes == 0 else { fatalError("a write has no answer, or two") }
  }
}

/// A device that has no code says what it likes.
private func checkApp(_ script: [UInt8]) {
  var reader = ByteReader(script)
  var app = makeApp()
  var context = AppContext(now: .zero, writeLimit: 100)
  app.begin(SecureService.definition, context: context)
  var isOver = false
  while let operation = try? reader.uint8("operation") {
    switch operation & 0x0F {
    case 0: app.handle(.read(SecureService.information, chunk(&reader)), context: context)
    case 1: app.handle(.read(SecureService.information, makeDevice().information.bytes), context: context)
    case 2, 3: app.handle(.subscribed(SecureService.receive), context: context)
    case 4...8: app.handle(.notified(SecureService.receive, chunk(&reader)), context: context)
    case 9:
      guard let kind = try? reader.uint8("kind") else { return }
      let kinds = SecureMessage.Kind.allCases
      let message = SecureMessage(kinds[Int(kind) % kinds.count], chunk(&reader))
      for value in SecureFragments.values(of: message.bytes, limit: 100) {
        app.handle(.notified(SecureService.receive, value), context: context)
      }
    case 10: app.handle(.writeFailed(SecureService.transmit, .attribute(operation)), context: context)
    case 11: app.perform(.scan, context: context)
    case 12: context.now += .milliseconds(Int(operation) * 40)
    default: app.handleTimeout(context: context)
    }
    for action in app.dequeueActions() {
      if case .report(.requestFailed) = action { continue }
      guard !isOver else { fatalError("an action follows the end") }
      if case .report(.opened) = action { fatalError("a session without the code") }
      if case .report(.failed) = action { isOver = true }
    }
    if isOver, app.nextDeadline != nil { fatalError("a deadline follows the end") }
  }
}

/// An app and a device that share the code, with a radio between them that does what the script says.
private func checkSession(_ script: [UInt8]) {
  var reader = ByteReader(script)
  var device = makeDevice()
  var app = makeApp()
  let link = ProvisioningLink(id: 1)
  var now = Duration.zero
  var deviceContext = DeviceContext(now: now, notificationLimits: [link: 60])
  app.begin(SecureService.definition, context: AppContext(now: now, writeLimit: 60))
  var steps = 0
  while steps < 400 {
    steps += 1
    let context = AppContext(now: now, writeLimit: 60)
    deviceContext.now = now
    let appActions = app.dequeueActions()
    for action in appActions {
      switch action {
      case .read(let uuid):
        guard let value = try? device.read(uuid, from: link, context: &deviceContext) else { fatalError("no INFO") }
        app.handle(.read(uuid, value), context: context)
      case .subscribe(let uuid):
        device.subscribed(true, to: uuid, from: link, context: &deviceContext)
        app.handle(.subscribed(uuid), context: context)
      case .write(let uuid, let value, _):
        for value in carried(value, &reader) { device.write(value, to: uuid, from: link, context: &deviceContext) }
      case .report(.response(let body)):
        guard body == [3, 2, 1] else { fatalError("a response that nobody sent") }
      case .report: break
      }
    }
    let deviceActions = device.dequeueActions()
    for action in deviceActions {
      switch action {
      case .notify(_, let uuid, let value):
        for value in carried(value, &reader) { app.handle(.notified(uuid, value), context: context) }
      case .perform(let number, let work):
        guard case .custom("echo", [1, 2, 3]) = work else { fatalError("work that nobody asked for") }
        device.completed(number, .response([3, 2, 1]), context: &deviceContext)
      case .respond, .advertise, .report: break
      }
    }
    guard appActions.isEmpty, deviceActions.isEmpty else { continue }
    guard let operation = try? reader.uint8("operation") else { return }
    if operation & 3 == 0 {
      now += .milliseconds(Int(operation) * 40)
      deviceContext.now = now
      device.handleTimeout(context: &deviceContext)
      app.handleTimeout(context: AppContext(now: now, writeLimit: 60))
    } else {
      app.perform(.custom(endpoint: "echo", body: [1, 2, 3]), context: context)
    }
  }
}

/// What a value becomes: mostly itself.
private func carried(_ value: [UInt8], _ reader: inout ByteReader) -> [[UInt8]] {
  guard let fate = try? reader.uint8("fate"), fate >= 0xE0, !value.isEmpty else { return [value] }
  switch fate & 3 {
  case 0: return []
  case 1: return [value, value]
  case 2: return [Array(value.dropLast())]
  default:
    var altered = value
    let place = (try? reader.uint8("place")) ?? 0
    altered[Int(place) % value.count] ^= 1 << (fate >> 2 & 7)
    return [altered]
  }
}

private func checkTexts(_ bytes: [UInt8]) {
  let text = String(decoding: bytes, as: UTF8.self)
  if let invitation = try? SecureInvitation(text: text), invitation.text != text {
    fatalError("an invitation's text has two forms")
  }
  guard let code = try? SecureCode(text: text) else { return }
  _ = code.isWeak
  guard let again = try? SecureCode(text: code.text), again.text == code.text else { fatalError("a code changed") }
}

private func makeDevice() -> SecureDeviceMachine {
  do {
    var configuration = SecureDeviceConfiguration(
      code: try SecureCode(pin: "31415926"), capabilities: [.scan, .custom],
      information: DeviceInformation(firmware: "f", version: "1", hardware: "h", name: "Lamp"), hostname: "lamp")
    configuration.suites = [.classical]
    configuration.maximumMessage = 256
    return try SecureDeviceMachine(configuration, storedState: nil, randomness: randomness)
  } catch {
    fatalError("\(error)")
  }
}

private func makeApp() -> SecureAppMachine {
  do {
    return SecureAppMachine(.init(code: try SecureCode(pin: "31415926")), randomness: randomness)
  } catch {
    fatalError("\(error)")
  }
}

/// The same in every run. Both sides draw alike, which nothing here depends on.
private let randomness = SecureRandomness(bytes: { count in (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7 + 9) } })

/// A length and so many bytes, or what is left of them.
private func chunk(_ reader: inout ByteReader) -> [UInt8] {
  guard let length = try? reader.uint8("length") else { return [] }
  return (try? reader.bytes(min(Int(length), reader.remaining), "chunk")) ?? []
}
