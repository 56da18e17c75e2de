// modules: LatchkeyByteCoding LatchkeyProvisioningProtocol
import LatchkeyByteCoding
import LatchkeyProvisioningProtocol

/// Reads the input as a frame and its strings, as a script for a device of Improv, and as one for an app.
///
/// Invariants: what was read encodes to the same bytes; each write has one answer; results and errors come only for links that are
/// there, and fit; at most one work of each kind is under way; each request of an app ends once; nothing follows the end.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzImprovMachines(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  guard let choice = input.first else { return 0 }
  let rest = Array(input.dropFirst())
  switch choice % 3 {
  case 0: checkFrames(rest)
  case 1: checkDevice(rest)
  default: checkApp(rest)
  }
  return 0
}

private func checkFrames(_ bytes: [UInt8]) {
  if let frame = try? ImprovFrame(whole: bytes), frame.encoded != bytes { fatalError("a frame encodes to other bytes") }
  if let strings = try? ImprovStrings.decode(bytes), ImprovStrings.encode(strings) != bytes {
    fatalError("strings encode to other bytes")
  }
  if let networks = try? ImprovNetworks.decode(bytes) {
    let limit = ImprovFrame.greatestLength
    let frame = ImprovNetworks.result(networks, limit: limit)
    guard frame.encoded.count <= limit, (try? ImprovNetworks.decode(frame.data)) != nil else {
      fatalError("networks do not survive")
    }
  }
  if let name = ImprovName.requested(bytes) {
    if let host = ImprovName.hostname(name), Array(host.utf8) != name { fatalError("a host name changed") }
    if let text = ImprovName.name(name), Array(text.utf8) != name { fatalError("a name changed") }
  }
}

private func checkDevice(_ script: [UInt8]) {
  var context = DeviceContext(now: .zero)
  var machine = ImprovDeviceMachine(
    .init(
      information: DeviceInformation(firmware: "f", version: "1", hardware: "h", name: "Läufer"), hostname: "lamp",
      page: "http://lamp.local/"), context: context)
  var links: Set<ProvisioningLink> = []
  var works: [Int: DeviceWork] = [:]
  var reader = ByteReader(script)
  while let operation = try? reader.uint8("operation") {
    let link = ProvisioningLink(id: UInt64(operation >> 5))
    context.notificationLimits[link] = 20 + Int(operation) * 2
    var writes = 0
    switch operation & 0x1F {
    case 0...7, 16...23:
      var value = chunk(&reader)
      // Half of the writes are whole frames, which damage alone would hardly make.
      if operation & 0x10 == 0 {
        let frame = [operation & 0x07, UInt8(truncatingIfNeeded: value.count)] + value
        value = frame + [frame.reduce(0, &+)]
      }
      writes = 1
      machine.write(value, to: ImprovService.command, from: link, context: &context)
      links.insert(link)
    case 8:
      machine.disconnected(link, context: &context)
      links.remove(link)
    case 9:
      context.isAuthorized.toggle()
      machine.changed(context: &context)
    case 10, 11:
      guard let (number, work) = works.min(by: { $0.key < $1.key }) else { continue }
      works[number] = nil
      machine.completed(number, result(of: work, isGood: operation & 1 == 0), context: &context)
    case 12:
      context.network = .failed(.other)
      machine.changed(context: &context)
    case 13:
      context.network = .connected(JoinedNetwork(ssid: chunk(&reader)))
      machine.changed(context: &context)
    case 14:
      context.network = .connecting
      machine.changed(context: &context)
    case 15:
      context.now = machine.nextDeadline ?? context.now + .seconds(1)
      machine.handleTimeout(context: &context)
      if let deadline = machine.nextDeadline, deadline <= context.now { fatalError("an expired deadline stays") }
    default:
      machine.subscribed(operation & 1 == 0, to: ImprovService.state, from: link, context: &context)
      links.insert(link)
    }
    var answers = 0
    for action in machine.dequeueActions() {
      switch action {
      case .respond: answers += 1
      case .notify(let link, let characteristic, let value):
        guard links.contains(link) else { fatalError("a notification of a link that has ended") }
        guard value.count <= context.notificationLimit(of: link) else { fatalError("a notification is too long") }
        if characteristic == ImprovService.result, (try? ImprovFrame(whole: value)) == nil {
          fatalError("a result is no frame")
        }
        if characteristic == ImprovService.state, value == [0] { fatalError("state 00 is shown") }
      case .perform(let number, let work): works[number] = work
      case .advertise: break
      case .report: break
      }
    }
    guard answers == writes else { fatalError("\(answers) answers to \(writes) writes") }
    guard works.count <= 4 else { fatalError("\(works.count) works") }
    guard machine.isAdvertised == (machine.serviceData != nil) else { fatalError("no service data") }
  }
}

private func result(of work: DeviceWork, isGood: Bool) -> DeviceWorkResult {
  guard isGood else { return .failed(.invalid) }
  if case .scan = work {
    return .networks([ScannedNetwork(ssid: [65], rssi: -1, security: .open)])
  }
  return .done
}

private func checkApp(_ script: [UInt8]) {
  var machine = ImprovAppMachine()
  var context = AppContext(now: .zero)
  var reader = ByteReader(script)
  machine.begin(ImprovService.service, context: context)
  var (isOpen, isOver, waits, joins) = (false, false, false, false)
  let notified = [ImprovService.state, ImprovService.error, ImprovService.result]
  while let operation = try? reader.uint8("operation") {
    let characteristic = notified[Int(operation >> 4) % 3]
    switch operation & 0x0F {
    case 0, 1: machine.handle(.subscribed(characteristic), context: context)
    case 2: machine.handle(.subscriptionFailed(characteristic, .attribute(operation)), context: context)
    case 3: machine.handle(.read(ImprovService.capabilities, chunk(&reader)), context: context)
    case 4: machine.handle(.read(ImprovService.state, [operation >> 4 & 0x07]), context: context)
    case 5: machine.handle(.wrote(ImprovService.command), context: context)
    case 6: machine.handle(.writeFailed(ImprovService.command, .other("w")), context: context)
    case 7: machine.handle(.notified(characteristic, chunk(&reader)), context: context)
    case 8:
      let frame = improvFrame(operation >> 4 & 0x07, chunk(&reader))
      machine.handle(.notified(ImprovService.result, frame), context: context)
    case 9: machine.handle(.notified(ImprovService.state, [operation >> 4 & 0x07]), context: context)
    case 10: machine.handle(.notified(ImprovService.error, [operation >> 4]), context: context)
    case 11:
      context.now = machine.nextDeadline ?? context.now + .seconds(1)
      machine.handleTimeout(context: context)
      if let deadline = machine.nextDeadline, deadline <= context.now { fatalError("an expired deadline stays") }
    case 12, 13:
      guard isOpen, !isOver, !waits else { continue }
      waits = true
      let request = request(operation >> 4, chunk(&reader))
      if case .join = request { joins = true } else { joins = false }
      machine.perform(request, context: context)
    case 14: machine.handle(.readFailed(characteristic, .other("r")), context: context)
    default:
      machine.disconnected(context: context)
    }
    for action in machine.dequeueActions() {
      guard case .report(let event) = action else {
        guard !isOver else { fatalError("an action after the end") }
        continue
      }
      guard !isOver else { fatalError("an event after the end") }
      switch event {
      case .opened: isOpen = true
      case .failed: isOver = true
      case .needsAuthorization where waits: break
      // Of a join it is a step, of a question about the state an answer.
      case .network(.connecting) where waits && joins: break
      default:
        guard waits else { fatalError("an event that nobody waits for: \(event)") }
        waits = false
        if case .network(.connected(let network)) = event, let page = network.page, !page.lowercased().hasPrefix("http")
        {
          fatalError("a page of another kind")
        }
      }
    }
    if operation & 0x0F == 15 { isOver = true }
    if waits, !isOver, machine.nextDeadline == nil { fatalError("a request without a deadline") }
  }
}

private func request(_ number: UInt8, _ bytes: [UInt8]) -> AppRequest {
  let text = String(decoding: bytes, as: UTF8.self)
  switch number & 0x07 {
  case 0: return .scan
  case 1: return .identify
  case 2: return .information
  case 3: return .hostname(bytes.isEmpty ? nil : text)
  case 4: return .name(bytes.isEmpty ? nil : text)
  case 5: return .status
  case 6: return .custom(endpoint: text, body: bytes)
  default:
    guard let credentials = try? NetworkCredentials(ssid: Array((bytes + [65]).prefix(32)), passphrase: bytes) else {
      return .forget
    }
    return .join(credentials)
  }
}

private func improvFrame(_ command: UInt8, _ data: [UInt8]) -> [UInt8] {
  let frame = [command, UInt8(truncatingIfNeeded: data.count)] + data
  return frame + [frame.reduce(0, &+)]
}

/// A length and so many bytes, or what is left of them.
private func chunk(_ reader: inout ByteReader) -> [UInt8] {
  guard let length = try? reader.uint8("length") else { return [] }
  return (try? reader.bytes(min(Int(length), reader.remaining), "chunk")) ?? []
}
