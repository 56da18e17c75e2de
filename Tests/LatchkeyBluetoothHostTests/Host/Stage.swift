import Glibc
import LatchkeyBluetoothEmulator
import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

/// Whole hosts on one virtual radio under a virtual clock, with a record of all their events.
final class Stage {
  let simulation: Simulation
  private(set) var actors: [Actor] = []

  init(_ configuration: RadioConfiguration = RadioConfiguration()) {
    simulation = Simulation(radio: configuration)
  }

  /// A host with the static random address of this number, or with another random address.
  func addActor(
    _ number: UInt64, address: BluetoothAddress? = nil, mtu: Int = 517, leastKeySize: Int = 7,
    pairing: PairingPolicy? = nil, identity: PairingIdentity? = nil, isPrivate: Bool = false,
    controller: ControllerConfiguration = ControllerConfiguration(),
    faults: ControllerFaults? = nil
  ) -> Actor {
    let address = address ?? .staticRandom(number)
    var configuration = HostConfiguration(ownAddress: address, preferredMTU: mtu, leastKeySize: leastKeySize)
    configuration.pairing = pairing
    configuration.identity = identity
    configuration.usesPrivateAddresses = isPrivate
    let node = simulation.addHost(
      configuration, controller: controller, random: RepeatableBytes(number &+ 1000 * UInt64(actors.count)).source)
    let actor = Actor(simulation, node, address)
    if let faults { actor.setFaults(faults) }
    actors.append(actor)
    return actor
  }

  func advance(_ duration: Duration) { simulation.advance(by: duration) }

  /// Lets time pass until something holds.
  func wait(
    _ limit: Duration = .seconds(60), sourceLocation: SourceLocation = #_sourceLocation, until isDone: () -> Bool
  ) {
    let isDone = simulation.run(limit: limit, until: isDone)
    #expect(isDone, "in vain", sourceLocation: sourceLocation)
  }

  /// How often a long loop runs: a sample, or all of it where LATCHKEY_SOAK is set.
  static func count(sample: Int, soak: Int) -> Int {
    getenv("LATCHKEY_SOAK") == nil ? sample : soak
  }
}

/// One host of a stage, and the application behind it.
final class Actor {
  let simulation: Simulation
  let node: Simulation.Node
  let address: BluetoothAddress
  /// All events, in order.
  private(set) var log: [(client: ClientID, event: HostEvent)] = []
  /// The application's values, by handle.
  var values: [AttributeHandle: [UInt8]] = [:]
  /// Whether the application answers reads and writes; else they wait in `requests`.
  var isAnswering = true
  /// Whether the application deals with values that come by themselves.
  var isConsuming = true
  private(set) var requests: [ServerRequestID] = []
  /// What arrived over channels.
  private(set) var received: [ChannelID: [UInt8]] = [:]
  /// What the users were asked about pairings, in order.
  private(set) var questions: [(client: ClientID, link: LinkID, question: PairingQuestion)] = []
  private var lastRequest: UInt64 = 0
  /// The requests of `submit`, to be compared with their outcomes.
  private(set) var submitted: [RequestID] = []

  init(_ simulation: Simulation, _ node: Simulation.Node, _ address: BluetoothAddress) {
    self.simulation = simulation
    self.node = node
    self.address = address
    simulation.handleEvents(of: node) { [unowned self] host, event, client, now in
      receive(&host, event, client, now)
    }
  }

  /// Handles an event of the host.
  func receive(_ host: inout Host, _ event: HostEvent, _ client: ClientID, _ now: Duration) {
    log.append((client, event))
    answer(&host, event, client, now)
  }

  private func answer(_ host: inout Host, _ event: HostEvent, _ client: ClientID, _ now: Duration) {
    switch event {
    case .readRequest(let request):
      guard isAnswering else { return requests.append(request.id) }
      let value = values[request.handle] ?? []
      host.respond(to: request.id, with: .value(Array(value.dropFirst(request.offset))), now: now)
    case .writeRequest(let request):
      for part in request.parts {
        let old = values[part.handle] ?? []
        values[part.handle] = part.offset == 0 ? part.value : Array(old.prefix(part.offset)) + part.value
      }
      guard let id = request.id else {
        if isConsuming { host.consumed(1, on: request.link, client: client, now: now) }
        return
      }
      guard isAnswering else { return requests.append(id) }
      host.respond(to: id, with: .written, now: now)
    case .pairingQuestion(let link, _, let prompt): questions.append((client, link, prompt.question))
    case .notification(let link, _, _):
      if isConsuming { host.consumed(1, on: link, client: client, now: now) }
    case .channel(.data(let channel, let bytes)):
      received[channel, default: []] += bytes
      if isConsuming { host.consumeChannel(channel, count: 1, now: now) }
    default: break
    }
  }

  /// Gives the host inputs, or reads its state.
  @discardableResult
  func with<Value>(_ body: (inout Host, Duration) throws -> Value) rethrows -> Value {
    guard let value = try simulation.withHost(node, body) else { preconditionFailure("an actor of another stage") }
    return value
  }

  func setFaults(_ faults: ControllerFaults) {
    simulation.withRadio { radio, now in radio.setFaults(faults, on: node, now: now) }
  }

  func addClient() -> ClientID { with { host, _ in host.addClient() } }

  /// The requests that wait for an answer; they are the caller's then.
  func dequeueRequests() -> [ServerRequestID] {
    defer { requests = [] }
    return requests
  }

  // MARK: Reported events

  /// The events of a client, as text; without `mtu`, which every client hears of every link.
  func heard(_ client: ClientID) -> [String] {
    log.filter { $0.client == client }.map { Self.words($0.event) }.filter { !$0.hasPrefix("mtu") }
  }

  func clearLog() { log = [] }

  func count(_ client: ClientID, _ words: String) -> Int { heard(client).filter { $0 == words }.count }

  /// The link that was last reported to a client.
  func link(_ client: ClientID) -> LinkID? {
    log.compactMap { entry -> LinkID? in
      if entry.client == client, case .connected(let link, _, _) = entry.event { link } else { nil }
    }.last
  }

  func notifications(_ client: ClientID) -> [[UInt8]] {
    log.compactMap { entry -> [UInt8]? in
      if entry.client == client, case .notification(_, _, let value) = entry.event { value } else { nil }
    }
  }

  /// Values of Write Commands.
  func commands(_ client: ClientID) -> [[UInt8]] {
    log.flatMap { entry -> [[UInt8]] in
      guard entry.client == client, case .writeRequest(let request) = entry.event, request.id == nil else { return [] }
      return request.parts.map(\.value)
    }
  }

  static func words(_ event: HostEvent) -> String {
    switch event {
    case .stateChanged(let state, _): "\(state)"
    case .discovered(let discovery): "found \(name(discovery.address)) \(discovery.data.localName ?? "-")"
    case .connected(_, let peer, let role): "connected \(name(peer)) as \(role)"
    case .connectionFailed(let peer, let status): "failed \(name(peer)) \(code(status))"
    case .disconnected(let link, let peer, _, let cause):
      "disconnected \(name(peer)) \(code(cause))" + (link == LinkID(0) ? " before" : "")
    case .mtuChanged(_, let mtu): "mtu \(mtu)"
    case .notification(_, _, let value): "value \(value)"
    case .servicesChanged(_, let range): "changed \(range.start)-\(range.end)"
    case .readyToSendWriteWithoutResponse: "ready to write"
    case .rssi(_, let rssi): "rssi \(rssi.map(String.init) ?? "none")"
    case .advertisingStarted(let status): "advertising \(code(status))"
    case .readRequest: "read"
    case .writeRequest(let request): request.id == nil ? "command" : "write"
    case .subscriptionChanged(_, let peer, _, let subscription, _): "\(name(peer)) wants \(subscription)"
    case .readyToUpdateSubscribers: "ready to update"
    case .pairingQuestion(_, let peer, let prompt): "asked of \(name(peer)): \(words(prompt.question))"
    case .pairingEnded(_, let peer, let end): "pairing with \(name(peer)): \(words(end))"
    case .channel(let event): words(event)
    }
  }

  /// An event of a channel, as text; channels are named by their service.
  static func words(_ event: ChannelEvent) -> String {
    switch event {
    case .opened(let channel): "opened \(Hexadecimal.encode([UInt8(truncatingIfNeeded: channel.psm)]))"
    case .failed(_, _, .refused(let result)): "refused \(result.rawValue)"
    case .failed(_, _, let failure): "not opened: \(failure)"
    case .data(_, let bytes): "data \(bytes.count)"
    case .writable: "writable"
    case .closed(_, .violated(let violation)): "closed: \(violation)"
    case .closed(_, let end): "closed: \(end)"
    }
  }

  private static func words(_ question: PairingQuestion) -> String {
    switch question {
    case .confirm: "confirm"
    case .compare: "compare"
    case .show: "show"
    case .enter: "enter"
    case .outOfBandData: "out of band"
    }
  }

  private static func words(_ end: PairingEnd) -> String {
    if let failure = end.failure {
      switch failure {
      case .refused(let reason): return "refused \(Hexadecimal.encode([reason.rawValue]))"
      case .refusedByPeer(let reason): return "peer refused \(Hexadecimal.encode([reason.rawValue]))"
      default: return "\(failure)"
      }
    }
    return end.isStored ? "stored" : "not stored"
  }

  private static func name(_ address: BluetoothAddress) -> UInt64 { address.value & 0xFF_FFFF_FFFF }

  private static func code(_ status: HCIStatus) -> String { Hexadecimal.encode([status.rawValue]) }

  private static func code(_ cause: DisconnectionCause) -> String {
    switch cause {
    case .requested: "requested"
    case .reason(let status): code(status)
    }
  }

  // MARK: Channels

  /// The channels that were opened for a client, in order.
  func channels(_ client: ClientID) -> [ChannelID] {
    log.compactMap { entry -> ChannelID? in
      if entry.client == client, case .channel(.opened(let channel)) = entry.event { channel.id } else { nil }
    }
  }

  /// The events of a client's channels, as text, but for data.
  func heardOfChannels(_ client: ClientID) -> [String] {
    log.compactMap { entry -> String? in
      guard entry.client == client, case .channel(let event) = entry.event else { return nil }
      if case .data = event { return nil }
      return Self.words(event)
    }
  }

  // MARK: Peripheral

  /// The characteristics that `publish` makes, in order.
  enum Value: Int, CaseIterable {
    case plain
    case command
    case notifying
    case indicating
    case other
  }

  /// Adds one service with a characteristic of each kind of `Value`.
  func publish(_ client: ClientID, uuid: BluetoothUUID = 0xFFF0) throws -> GATTServicePlacement {
    let properties: [GATTProperties] = [
      [.read, .write], [.read, .writeWithoutResponse], [.read, .notify], [.read, .indicate], [.read, .notify],
    ]
    let characteristics = properties.enumerated().map { index, properties in
      GATTCharacteristicDefinition(
        uuid: BluetoothUUID(UInt16(0xFFF1 + index)), properties: properties, permissions: [.readable, .writeable])
    }
    return try with { host, now in
      try host.addService(
        GATTServiceDefinition(uuid: uuid, characteristics: characteristics), client: client, now: now)
    }
  }

  func advertise(_ client: ClientID, name: String? = "Lamp", services: [BluetoothUUID] = [0xFFF0]) {
    with { host, now in
      host.startAdvertising(client, AdvertisingParameters(localName: name, services: services), now: now)
    }
  }

  // MARK: Central

  func connect(_ client: ClientID, to peer: Actor) {
    with { host, now in host.connect(client, to: peer.address, now: now) }
  }

  func disconnect(_ client: ClientID, from peer: Actor) {
    with { host, now in host.disconnect(client, from: peer.address, now: now) }
  }

  @discardableResult
  func submit(_ procedure: GATTProcedure, _ client: ClientID, _ link: LinkID) -> RequestID {
    lastRequest += 1
    let request = RequestID(lastRequest)
    submitted.append(request)
    with { host, now in host.submit(procedure, id: request, client: client, link: link, now: now) }
    return request
  }

  /// Has a procedure carried out to its end.
  func run(_ procedure: GATTProcedure, _ client: ClientID, _ link: LinkID) -> GATTOutcome? {
    let request = submit(procedure, client, link)
    var outcome: GATTOutcome?
    _ = simulation.run {
      outcome = outcome ?? simulation.dequeueOutcome(request, of: node)
      return outcome != nil
    }
    submitted.removeAll { $0 == request }
    return outcome
  }

  /// Turns notifications or indications of a published characteristic on or off.
  func configure(
    _ value: Value, of placement: GATTServicePlacement, enabled: Bool, _ client: ClientID, _ link: LinkID
  ) -> GATTOutcome? {
    run(.configureNotifications(placement.record(value), enabled: enabled), client, link)
  }
}

extension GATTServicePlacement {
  subscript(value: Actor.Value) -> AttributeHandle { valueHandles[value.rawValue] }

  /// The record of a client that discovered the characteristic.
  func record(_ value: Actor.Value) -> GATTCharacteristicRecord {
    let handle = self[value]
    let next = valueHandles.first { $0 > handle }
    return GATTCharacteristicRecord(
      uuid: BluetoothUUID(UInt16(0xFFF1 + value.rawValue)), declaration: handle - 1, valueHandle: handle,
      end: next.map { $0 - 2 } ?? range.end, properties: value == .indicating ? .indicate : .notify)
  }
}

/// Most tests' beginning: a published and advertised service, and a central that is connected to it.
struct Couple {
  let stage: Stage
  let central: Actor
  let peripheral: Actor
  let app: ClientID
  let device: ClientID
  let placement: GATTServicePlacement
  let link: LinkID
  /// The same link as the peripheral knows it.
  let peripheralLink: LinkID

  init(
    _ configuration: RadioConfiguration = RadioConfiguration(), mtu: Int = 517, leastKeySize: Int = 7,
    controller: ControllerConfiguration = ControllerConfiguration(),
    faults: ControllerFaults = ControllerFaults()
  ) throws {
    stage = Stage(configuration)
    central = stage.addActor(1, mtu: mtu, leastKeySize: leastKeySize, controller: controller, faults: faults)
    peripheral = stage.addActor(2, mtu: mtu, leastKeySize: leastKeySize, controller: controller, faults: faults)
    app = central.addClient()
    device = peripheral.addClient()
    placement = try peripheral.publish(device)
    peripheral.advertise(device)
    central.connect(app, to: peripheral)
    let (central, peripheral, app, device) = (central, peripheral, app, device)
    stage.wait { central.link(app) != nil && peripheral.link(device) != nil }
    link = try #require(central.link(app))
    peripheralLink = try #require(peripheral.link(device))
  }
}

extension GATTOutcome {
  var isWritten: Bool { if case .written = self { true } else { false } }
  var value: [UInt8]? { if case .value(let value) = self { value } else { nil } }
  var failure: GATTFailure? { if case .failed(let failure) = self { failure } else { nil } }
}
