// modules: LatchkeyByteCoding LatchkeyBluetoothHost
import LatchkeyBluetoothHost
import LatchkeyByteCoding

/// Plays the input to a server as PDUs, responses of the owners, values to send, services that are added and removed, and time.
///
/// Invariants: no PDU is longer than ATT_MTU, every request has exactly one response once its owner has responded, and
/// nothing is sent after the bearer failed.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzATTServer(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var script = ByteReader(Array(UnsafeBufferPointer(start: start, count: count)))
  guard let size = try? script.uint16("ATT_MTU"), let settings = try? script.uint8("settings") else { return 0 }
  var server = FuzzedServer(mtu: 23 + Int(size) % 495, settings: settings)
  while let kind = try? script.uint8("kind"), let length = try? script.uint8("length") {
    guard let parameters = try? script.bytes(min(Int(length), script.remaining), "parameters") else { break }
    server.play(kind, parameters)
  }
  server.end()
  return 0
}

private struct FuzzedServer {
  private var database = GATTDatabase(deviceName: "Lamp", appearance: 0)
  private var server: ATTServer
  private var ids: UInt64 = 0
  private var now: Duration = .zero
  private var asked: [ServerRequestID] = []
  private var owned: [AttributeHandleRange] = []
  private var requests = 0
  private var answers = 0
  private var isDead = false

  init(mtu: Int, settings: UInt8) {
    server = ATTServer(link: LinkID(1), peer: .staticRandom(1), preferredMTU: 517)
    server.mtu = mtu
    server.security.isEncrypted = settings & 1 != 0
    server.security.keySize = settings >> 3
    server.hasKey = settings & 2 != 0
    for owner in 1...3 { add(UInt32(owner)) }
  }

  private mutating func add(_ owner: UInt32) {
    var value = GATTCharacteristicDefinition(
      uuid: 0xFFF1, properties: [.read, .write, .notify, .indicate], permissions: [.readable, .writeable])
    value.asksToSubscribe = owner == 2
    let fixed = GATTCharacteristicDefinition(
      uuid: BluetoothUUID(high: 1, low: 2), properties: .read, permissions: .readable,
      staticValue: [UInt8](repeating: 7, count: 60), descriptors: [GATTDescriptorDefinition(uuid: 0x2901, value: [1])])
    let secret = GATTCharacteristicDefinition(
      uuid: 0xFFF2, properties: [.read, .write], permissions: [.readEncryptionRequired, .writeEncryptionRequired])
    let definition = GATTServiceDefinition(
      uuid: owner == 2 ? BluetoothUUID(high: 1, low: 2) : 0x180F, isPrimary: owner != 3,
      includedServices: owned.last.map { [$0.start] } ?? [], characteristics: [value, fixed, secret])
    guard let placement = try? database.add(definition, owner: ClientID(owner)) else { return }
    owned.append(placement.range)
    server.databaseChanged(database)
  }

  mutating func play(_ kind: UInt8, _ parameters: [UInt8]) {
    var outputs: [ATTServerOutput] = []
    var reader = ByteReader(parameters)
    switch kind % 8 {
    case 0, 1, 2:
      if !isDead, let opcode = parameters.first, opcode & 0x40 == 0, opcode != 0x1E { requests += 1 }
      server.receive(reader, database: database, now: now, ids: &ids, into: &outputs)
    case 3:
      guard let id = asked.popLast() else { return }
      let response: GATTServerResponse =
        parameters.first.map { $0 & 1 == 0 ? .value(parameters) : .error(ATTErrorCode(rawValue: $0)) } ?? .written
      _ = server.respond(to: id, with: response, database: database, ids: &ids, into: &outputs)
    case 4:
      guard let handle = try? reader.uint16("handle") else { return }
      if case .send(let frame) = server.update(parameters, of: handle, now: now) { check(frame) }
    case 5:
      now += .seconds(Int(parameters.first ?? 1))
      server.handleTimeout(now: now, into: &outputs)
    case 6:
      guard !owned.isEmpty else { return add(1) }
      let range = owned.removeFirst()
      for owner in 1...3 { _ = database.remove(range, owner: ClientID(UInt32(owner))) }
      server.attributesRemoved(in: range, database: database, ids: &ids, into: &outputs)
      server.databaseChanged(database)
    default: add(1 + UInt32(parameters.first ?? 0) % 3)
    }
    perform(outputs)
  }

  private mutating func perform(_ outputs: [ATTServerOutput]) {
    for output in outputs {
      guard !isDead else { fatalError("a PDU follows the failure of the bearer") }
      switch output {
      case .send(let frame):
        check(frame)
        let opcode = frame[OutgoingFrame.headroom]
        if opcode != 0x1B && opcode != 0x1D { answers += 1 }
      case .readRequest(_, let request): asked.append(request.id)
      case .writeRequest(_, let request): if let id = request.id { asked.append(id) }
      case .bearerDead: isDead = true
      case .mtu(let mtu): guard (23...517).contains(mtu) else { fatalError("ATT_MTU \(mtu)") }
      case .subscriptionChanged, .indicationConfirmed: break
      }
    }
  }

  /// ATT_MTU may have changed within one input, but only before its response, which is 3 bytes long.
  private func check(_ frame: [UInt8]) {
    let count = frame.count - OutgoingFrame.headroom
    guard count > 0, count <= max(server.mtu, 23) else { fatalError("\(count) bytes in ATT_MTU \(server.mtu)") }
  }

  /// The owner responds to the remaining requests.
  mutating func end() {
    while !asked.isEmpty { play(3, []) }
    guard isDead || requests == answers else { fatalError("\(requests) requests, \(answers) answers") }
    var outputs: [ATTServerOutput] = []
    server.disconnect(into: &outputs)
    for case .send in outputs { fatalError("a PDU follows the end of the link") }
  }
}
