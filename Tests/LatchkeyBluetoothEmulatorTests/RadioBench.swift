import LatchkeyBluetoothHost
import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothEmulator

/// A radio with access to each controller's HCI: bytes in, bytes out, and a manual clock.
final class RadioBench {
  var radio: Radio
  var now = Duration.zero
  private var inboxes: [ControllerID: [[UInt8]]] = [:]

  init(_ configuration: RadioConfiguration = RadioConfiguration()) { radio = Radio(configuration: configuration) }

  func add(_ address: UInt64, _ configuration: ControllerConfiguration = ControllerConfiguration()) -> ControllerID {
    var configuration = configuration
    configuration.address = BluetoothAddress(address, kind: .public)
    return radio.addController(configuration)
  }

  /// Adds a controller whose host lets all events through.
  func addReady(
    _ address: UInt64, _ configuration: ControllerConfiguration = ControllerConfiguration()
  ) -> ControllerID {
    let id = add(address, configuration)
    unmask(id)
    return id
  }

  func unmask(_ id: ControllerID) {
    send(HCISetEventMask(mask: .max), id)
    send(HCILESetEventMask(mask: .max), id)
    _ = dequeue(id)
  }

  // MARK: In

  func send(_ packet: [UInt8], _ id: ControllerID) {
    radio.receive(packet, from: id, now: now)
    collect()
  }

  func send(_ hex: String, _ id: ControllerID) throws { send(try Hexadecimal.decode(hex), id) }

  func send(_ command: some HCICommand, _ id: ControllerID) { send(command.packet, id) }

  /// Sends data of this size; the first byte distinguishes packets.
  func sendData(_ first: UInt8, count: Int = 8, handle: ConnectionHandle, _ id: ControllerID) {
    var data = [UInt8](repeating: 0, count: count)
    data[0] = first
    send(ACLPacket.encode(handle, .firstNonFlushable, data: ByteReader(data)), id)
  }

  // MARK: Out

  func collect() {
    for case .packet(let packet, let id) in radio.dequeueOutputs() { inboxes[id, default: []].append(packet) }
  }

  /// Removes and returns the packets for a host.
  func dequeue(_ id: ControllerID) -> [[UInt8]] {
    collect()
    return inboxes.removeValue(forKey: id) ?? []
  }

  func dequeueHex(_ id: ControllerID) -> [String] { dequeue(id).map { Hexadecimal.encode($0) } }

  func dequeueEvents(_ id: ControllerID) throws -> [HCIEvent] {
    try dequeue(id).filter { $0.first == 0x04 }.map { try HCIEvent(decoding: $0) }
  }

  func dequeueData(_ id: ControllerID) throws -> [ACLPacket] {
    try dequeue(id).filter { $0.first == 0x02 }.map { try ACLPacket(decoding: $0) }
  }

  /// The first bytes of the data packets, which `sendData` numbers.
  func dequeueNumbers(_ id: ControllerID) throws -> [UInt8] { try dequeueData(id).compactMap { $0.payload.peek() } }

  /// The return parameters of a command; its Command Complete must be the first event.
  func run<Command: HCISynchronousCommand>(
    _ command: Command, _ id: ControllerID, location: SourceLocation = #_sourceLocation
  ) throws -> Command.ReturnParameters {
    send(command, id)
    guard case .commandComplete(_, Command.opcode, var parameters) = try dequeueEvents(id).first else {
      Issue.record("no Command Complete of \(Command.opcode)", sourceLocation: location)
      throw ByteCodingError.invalidValue(field: "event")
    }
    return try Command.ReturnParameters(from: &parameters)
  }

  // MARK: Time

  /// Goes from deadline to deadline until the time is reached.
  func advance(by duration: Duration) {
    let target = now + duration
    while let deadline = radio.nextDeadline, deadline <= target {
      now = max(now, deadline)
      radio.handleTimeout(now: now)
      collect()
    }
    now = target
  }

  // MARK: Links

  struct LinkPair {
    var central: ConnectionHandle
    var peripheral: ConnectionHandle
  }

  /// Connects the two public addresses and dequeues the events.
  func connect(
    _ central: ControllerID, _ peripheral: ControllerID, parameters: ConnectionParameters = ConnectionParameters()
  ) throws -> LinkPair {
    let known = radio.address(of: peripheral)
    let address = try #require(known)
    send(HCILESetAdvertisingParameters(ownAddressKind: .public), peripheral)
    send(HCILESetAdvertisingEnable(isEnabled: true), peripheral)
    send(HCILECreateConnection(peer: address, ownAddressKind: .public, parameters: parameters), central)
    let (a, b) = (connections(try dequeueEvents(central)), connections(try dequeueEvents(peripheral)))
    return LinkPair(
      central: try #require(a.first?.connectionHandle), peripheral: try #require(b.first?.connectionHandle))
  }

  func connections(_ events: [HCIEvent]) -> [LEConnectionComplete] {
    events.compactMap { if case .le(.connectionComplete(let complete)) = $0 { complete } else { nil } }
  }

  func reports(_ events: [HCIEvent]) -> [LEAdvertisingReport] {
    events.flatMap { if case .le(.advertisingReports(let reports)) = $0 { reports } else { [LEAdvertisingReport]() } }
  }

  func disconnections(_ events: [HCIEvent]) -> [HCIDisconnectionComplete] {
    events.compactMap { if case .disconnectionComplete(let complete) = $0 { complete } else { nil } }
  }
}

let alice: UInt64 = 0x0000_0000_0A0A
let bob: UInt64 = 0x0000_0000_0B0B
let carol: UInt64 = 0x0000_0000_0C0C
