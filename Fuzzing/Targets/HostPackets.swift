// modules: LatchkeyByteCoding LatchkeyBluetoothHost LatchkeyBluetoothEmulator
import LatchkeyBluetoothEmulator
import LatchkeyBluetoothHost
import LatchkeyByteCoding

/// Plays the input to a powered host with two links: packets of its controller, PDUs of its peers, requests of its
/// clients, and time.
///
/// Invariants: nothing traps, the outputs of one input are bounded, every procedure ends exactly once, and a stopped host has
/// no deadline.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHostPackets(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var script = ByteReader(Array(UnsafeBufferPointer(start: start, count: count)))
  guard let settings = try? script.uint8("settings") else { return 0 }
  var host = FuzzedHost(settings)
  while let kind = try? script.uint8("kind"), let length = try? script.uint8("length") {
    guard let parameters = try? script.bytes(min(Int(length), script.remaining), "parameters") else { break }
    host.play(kind, parameters)
  }
  host.end()
  return 0
}

private struct FuzzedHost: ~Copyable {
  /// More outputs than any one input can cause: a thousand procedures may end at once, with more values.
  private static let mostOutputs = 20_000

  private var host: Host
  private var radio = Radio()
  private let controller: ControllerID
  /// Whether the controller answers commands.
  private var answers = true
  private var now: Duration = .zero
  private var clients: [ClientID] = []
  private var links: [LinkID] = []
  private var handles: [AttributeHandle] = [3]
  private var asked: [ServerRequestID] = []
  private var submitted: UInt64 = 0
  private var open: Set<UInt64> = []

  init(_ settings: UInt8) {
    let buffers: ACLBuffers = settings & 1 == 0 ? .standard : .smallest
    var configuration = HostConfiguration(ownAddress: .staticRandom(1))
    if settings & 4 != 0 { configuration.pairing = PairingPolicy() }
    // Not random, and enough for keys.
    host = Host(configuration: configuration) { count in (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 1) } }
    controller = radio.addController(ControllerConfiguration(buffers: buffers))
    clients = [host.addClient(), host.addClient()]
    host.start(now: now)
    settle()
    guard host.state == .poweredOn else { fatalError("the host is not powered on") }
    publish(clients[0])
    if settings & 8 != 0 { agree() }
    // One link as peripheral, one as central.
    for role in [LinkRole.peripheral, .central] {
      let peer = BluetoothAddress.staticRandom(UInt64(role.rawValue) + 2)
      if role == .central { host.connect(clients[1], to: peer, now: now) }
      let event = LEConnectionComplete(
        connectionHandle: role == .central ? 2 : 1, role: role, peer: peer)
      receive(HCIEvent.le(.connectionComplete(event)).encode())
    }
    answers = settings & 2 == 0
  }

  private mutating func publish(_ client: ClientID) {
    let value = GATTCharacteristicDefinition(
      uuid: 0xFFF1, properties: [.read, .write, .writeWithoutResponse, .notify, .indicate],
      permissions: [.readable, .writeable])
    let service = GATTServiceDefinition(uuid: 0xFFF0, characteristics: [value, value])
    if let placement = try? host.addService(service, client: client, now: now) { handles += placement.valueHandles }
  }

  /// Bonds with the peers, and a user who can be asked.
  private mutating func agree() {
    guard let key = SecurityKey(Array(1...16)) else { return }
    for number in 2...3 as ClosedRange<UInt64> {
      var bond = Bond(identity: .staticRandom(number), isPersistent: true)
      bond.keyAsCentral = LongTermKey(key: key, size: 16, isAuthenticated: false, isSecureConnections: true)
      bond.keyAsPeripheral = bond.keyAsCentral
      host.addBond(bond)
    }
    for client in clients {
      var terms = PairingTerms()
      terms.agent = .keyboardDisplay
      host.setPairingTerms(terms, of: client)
    }
  }

  private mutating func receive(_ packet: [UInt8]) {
    host.receive(packet, now: now)
    settle()
  }

  mutating func play(_ kind: UInt8, _ parameters: [UInt8]) {
    let handle: [UInt8] = [1 + (kind >> 4) % 2, 0x20]
    let count = parameters.count
    switch kind % 8 {
    case 0: receive(parameters)
    case 1: receive([0x04] + parameters)
    case 2: receive([0x04, 0x3E, UInt8(count)] + parameters)
    case 3: receive([0x02] + handle + [UInt8(count & 0xFF), UInt8(count >> 8)] + parameters)
    case 4, 5:
      // Attribute, signalling or Security Manager channel.
      let channel: UInt8 = kind % 8 == 4 ? 4 : kind & 8 == 0 ? 5 : 6
      let pdu = [UInt8(count), 0, channel, 0] + parameters
      receive([0x02] + handle + [UInt8(pdu.count & 0xFF), UInt8(pdu.count >> 8)] + pdu)
    case 6:
      now += .milliseconds(Int(parameters.first ?? 1) * Int(parameters.dropFirst().first ?? 1))
      host.handleTimeout(now: now)
      settle()
    default:
      request(parameters)
      settle()
    }
  }

  private mutating func request(_ parameters: [UInt8]) {
    var reader = ByteReader(parameters)
    guard let kind = try? reader.uint8("kind"), let number = try? reader.uint8("number") else { return }
    let client = clients[Int(number) % clients.count]
    let link = links.isEmpty ? LinkID(0) : links[Int(number) % links.count]
    let peer = BluetoothAddress.staticRandom(UInt64(number % 4) + 2)
    let handle = handles[Int(number) % handles.count]
    let value = reader.remainingBytes()
    switch kind % 16 {
    case 0: host.connect(client, to: peer, now: now)
    case 1: host.disconnect(client, from: peer, now: now)
    case 2:
      host.startScan(client, services: number & 1 == 0 ? nil : [0xFFF0], allowDuplicates: number & 2 == 0, now: now)
    case 3: host.stopScan(client, now: now)
    case 4: host.startAdvertising(client, AdvertisingParameters(localName: "Lamp", interval: UInt16(number)), now: now)
    case 5: host.stopAdvertising(client, now: now)
    case 6: submit(.read(UInt16(number)), client, link)
    case 7: submit(.write(UInt16(number), value), client, link)
    case 8: submit(number & 1 == 0 ? .discoverServices(nil) : .discoverCharacteristics(.all), client, link)
    case 9:
      let record = GATTCharacteristicRecord(
        uuid: 0xFFF1, declaration: 2, valueHandle: UInt16(number | 1), end: UInt16(number | 1) + 1, properties: .notify)
      submit(.configureNotifications(record, enabled: !value.isEmpty), client, link)
    case 10: _ = host.writeCommand(value, to: UInt16(number), client: client, link: link, now: now)
    case 11: _ = host.updateValue(value, of: handle, links: nil, client: client, now: now)
    case 12: host.consumed(Int(number), on: link, client: client, now: now)
    case 13:
      guard let request = asked.popLast() else { return host.readRSSI(client, link: link, now: now) }
      host.respond(to: request, with: number & 1 == 0 ? .value(value) : .written, now: now)
    case 14 where clients.count > 1:
      clients.removeAll { $0 == client }
      host.removeClient(client, now: now)
      clients.append(host.addClient())
    case 15 where number & 0x80 != 0:
      let answers: [PairingAnswer] = [.accept, .reject, PairingPasskey(7).map { .passkey($0) } ?? .reject]
      host.answerPairing(answers[value.count % 3], on: link, client: client, now: now)
      if value.count > 3 { host.removeBond(with: peer, now: now) }
    default: if handles.count < 100 { publish(client) }
    }
  }

  private mutating func submit(_ procedure: GATTProcedure, _ client: ClientID, _ link: LinkID) {
    submitted += 1
    open.insert(submitted)
    host.submit(procedure, id: RequestID(submitted), client: client, link: link, now: now)
  }

  /// Performs the host's outputs; the controller answers its commands.
  private mutating func settle() {
    var count = 0
    while true {
      let outputs = host.dequeueOutputs()
      if outputs.isEmpty { return }
      count += outputs.count
      guard count < Self.mostOutputs else { fatalError("\(count) outputs of one input") }
      for output in outputs {
        switch output {
        case .packet(let packet):
          // Only commands: the links are not the controller's.
          if answers, packet.first == 0x01 { radio.receive(packet, from: controller, now: now) }
        case .event(.connected(let link, _, _), _): if links.count < 64 { links.append(link) }
        case .event(.readRequest(let request), _): asked.append(request.id)
        case .event(.writeRequest(let request), _): if let id = request.id { asked.append(id) }
        case .event, .bondChanged, .notice: break
        case .completion(let request, _):
          guard open.remove(request.value) != nil else { fatalError("\(request) ended twice") }
        }
      }
      for case .packet(let packet, _) in radio.dequeueOutputs() { host.receive(packet, now: now) }
    }
  }

  mutating func end() {
    // Whatever waits has its time: nothing may spin.
    var rounds = 0
    while let deadline = host.nextDeadline, rounds < 10_000 {
      guard deadline >= .zero else { fatalError("a deadline before the start") }
      now = max(now, deadline)
      host.handleTimeout(now: now)
      settle()
      rounds += 1
    }
    host.stop(now: now)
    settle()
    guard open.isEmpty else { fatalError("\(open) never ended") }
    guard host.nextDeadline == nil else { fatalError("a stopped host has a deadline") }
  }
}
