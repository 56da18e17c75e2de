// modules: LatchkeyByteCoding LatchkeyBluetoothHost
import LatchkeyBluetoothHost
import LatchkeyByteCoding

/// Plays the input to a client as procedures, PDUs, responses to the pending request, clients that leave, and time.
///
/// Invariants: no PDU is longer than ATT_MTU, at most one request is pending, every procedure ends exactly once, and discovered
/// attributes are in order and within the requested range.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzATTClient(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var script = ByteReader(Array(UnsafeBufferPointer(start: start, count: count)))
  guard let size = try? script.uint16("ATT_MTU") else { return 0 }
  var client = FuzzedClient(preferredMTU: 23 + Int(size) % 495, exchanges: size & 1 != 0)
  while let kind = try? script.uint8("kind"), let length = try? script.uint8("length") {
    guard let parameters = try? script.bytes(min(Int(length), script.remaining), "parameters") else { break }
    client.play(kind, parameters)
  }
  client.end()
  return 0
}

private struct FuzzedClient {
  private var client: GATTClient
  private var now: Duration = .zero
  private var latest: UInt64 = 0
  /// The ranges of the procedures that have not ended.
  private var open: [RequestID: AttributeHandleRange] = [:]
  /// The opcode of the pending request.
  private var out: UInt8?
  /// How often a link's security was decided on.
  private var decisions = 0

  init(preferredMTU: Int, exchanges: Bool) {
    client = GATTClient(preferredMTU: preferredMTU, exchangesMTU: exchanges)
  }

  mutating func play(_ kind: UInt8, _ parameters: [UInt8]) {
    var outputs: [GATTClientOutput] = []
    var reader = ByteReader(parameters)
    // Most of what follows would wait for a link that was barred or held.
    if kind & 0x80 != 0 { client.resume() }
    if kind & 0x40 != 0 { client.hold() }
    // As of a bonded peer, whose database may be known.
    if kind & 0x20 != 0 { client.useDatabase(client.knownDatabase) }
    switch kind % 8 {
    case 0, 1: submit(&reader, &outputs)
    case 2, 3, 4:
      // A response to the pending request: otherwise few inputs get past the first step of a procedure.
      guard let request = out else { return }
      out = nil
      client.receive(ByteReader([request + 1] + parameters), into: &outputs)
    case 5:
      guard let code = parameters.first, let request = out else { return }
      out = nil
      client.receive(ByteReader([0x01, request, 0x01, 0x00, code]), into: &outputs)
    case 6:
      if let opcode = parameters.first, ![0x1B, 0x1D, 0x23].contains(opcode) { out = nil }
      client.receive(reader, into: &outputs)
    default:
      switch parameters.first ?? 0 {
      case 0: client.removeClient(ClientID(UInt32(parameters.count) % 3), into: &outputs)
      case 1: client.disconnect(into: &outputs)
      default:
        now += .seconds(parameters.count)
        client.handleTimeout(now: now, into: &outputs)
      }
    }
    pump(&outputs)
  }

  private mutating func submit(_ reader: inout ByteReader, _ outputs: inout [GATTClientOutput]) {
    guard let what = try? reader.uint8("what"), let start = try? reader.uint16("start"),
      let end = try? reader.uint16("end")
    else { return }
    let range = AttributeHandleRange(start, end)
    let rest = reader.remainingBytes()
    let characteristic = GATTCharacteristicRecord(
      uuid: 0x2A19, declaration: 0, valueHandle: start % 8, end: end, properties: GATTProperties(rawValue: what))
    let (procedure, asked): (GATTProcedure, AttributeHandleRange) =
      switch what % 12 {
      case 0: (.discoverServices(nil), .all)
      case 1: (.discoverServices([0x1800, 0x180F]), .all)
      case 2: (.discoverIncludedServices(range), range)
      case 3: (.discoverCharacteristics(range), range)
      case 4: (.discoverDescriptors(range), range)
      case 5: (.read(start), range)
      case 6: (.readByUUID(0x2A00, range), range)
      case 7: (.write(start, Array(repeatElement(rest, count: 4).joined())), range)
      case 8: (.configureNotifications(characteristic, enabled: true), range)
      case 9: (.configureNotifications(characteristic, enabled: false), range)
      case 10: (.readFirst(0x2A00, range), range)
      default: (.listenForServiceChanges, .all)
      }
    latest += 1
    open[RequestID(latest)] = asked
    client.submit(procedure, id: RequestID(latest), client: ClientID(UInt32(what) % 3), into: &outputs)
  }

  /// Sends the pending PDUs, and checks every output.
  private mutating func pump(_ outputs: inout [GATTClientOutput]) {
    while let frame = client.nextFrame(now: now, into: &outputs) {
      guard out == nil else { fatalError("two requests are pending") }
      check(frame)
      out = frame[OutgoingFrame.headroom]
    }
    for output in outputs {
      switch output {
      case .completion(let id, let outcome):
        guard let range = open.removeValue(forKey: id) else { fatalError("a procedure ended twice") }
        check(outcome, range)
      case .notification(_, let value, let clients):
        guard value.count <= 512, !clients.isEmpty else { fatalError("a notification without a subscriber") }
      case .send(let frame): check(frame)
      case .mtu(let mtu): guard (23...517).contains(mtu) else { fatalError("ATT_MTU \(mtu)") }
      case .servicesChanged(let range): guard range.start <= range.end else { fatalError("an empty range") }
      case .needsSecurity(let code, _):
        guard client.isHeld, [0x05, 0x0C, 0x0F].contains(code.rawValue) else { fatalError("held for \(code)") }
        decisions += 1
        var more: [GATTClientOutput] = []
        switch decisions % 4 {
        case 0: client.bar(.keyMissing, into: &more)
        case 1: client.resume()
        case 2: client.giveUp(nil, into: &more)
        default: client.giveUp(.encryptionFailed, into: &more)
        }
        pump(&more)
      case .bearerDead: out = nil
      }
    }
    outputs = []
    if client.isDead { out = nil }
  }

  private func check(_ frame: [UInt8]) {
    let count = frame.count - OutgoingFrame.headroom
    guard count > 0, count <= client.mtu else { fatalError("\(count) bytes in ATT_MTU \(client.mtu)") }
  }

  private func check(_ outcome: GATTOutcome, _ range: AttributeHandleRange) {
    let handles: [AttributeHandle]
    switch outcome {
    case .services(let services): handles = services.map(\.range.start)
    case .characteristics(let characteristics):
      handles = characteristics.flatMap { [$0.declaration, $0.valueHandle] }
      guard characteristics.allSatisfy({ $0.valueHandle <= $0.end && $0.end <= range.end }) else {
        fatalError("a characteristic ends outside of its service")
      }
    case .descriptors(let descriptors): handles = descriptors.map(\.handle)
    case .values(let values): handles = values.map(\.handle)
    case .value(let value):
      guard value.count <= 512 else { fatalError("a value of \(value.count) bytes") }
      return
    case .includedServices, .written, .failed: return
    }
    // Services of several UUIDs are found one UUID after another: a peer may return the same service twice.
    guard zip(handles, handles.dropFirst()).allSatisfy({ $0 <= $1 }), handles.allSatisfy(range.contains) else {
      fatalError("the handles are out of order")
    }
  }

  mutating func end() {
    play(7, [1])
    guard open.isEmpty, client.nextDeadline == nil else { fatalError("a procedure is left pending") }
  }
}
