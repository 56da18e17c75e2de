import LatchkeyBluetoothHost
import Testing

@testable import LatchkeyBluetoothEmulator

@Suite("Two hosts on a radio") struct SimulationTests {
  @Test("find each other, connect, write and read") func wholeStory() throws {
    let story = try Story()
    let value = try #require(try story.characteristics().first { $0.uuid == 0xFFF2 }).valueHandle
    guard case .written = try story.run(.write(value, [1, 2, 3])) else {
      Issue.record("not written")
      return
    }
    guard case .value(let bytes) = try story.run(.read(value)) else {
      Issue.record("not read")
      return
    }
    #expect(bytes == [1, 2, 3])
    // Nothing but the supervision of an answered request is left to wait for.
    #expect(story.simulation.withRadio { radio, _ in radio.nextDeadline } == nil)
  }

  @Test("get through any buffers, timing and loss", arguments: [0, 1, 2, 3]) func hardConditions(_ seed: UInt64) throws
  {
    let timing = AirTiming(latency: .milliseconds(3), pdusPerConnectionEvent: 2, hasAdvertisingDelay: true)
    let story = try Story(
      RadioConfiguration(seed: seed, timing: timing, loss: 0.2), controller: ControllerConfiguration(buffers: .smallest)
    )
    let value = try #require(try story.characteristics().first { $0.uuid == 0xFFF2 }).valueHandle
    let long = (0..<400).map { UInt8(truncatingIfNeeded: $0) }
    guard case .written = try story.run(.write(value, long)), case .value(let bytes) = try story.run(.read(value))
    else {
      Issue.record("not written, or not read")
      return
    }
    #expect(bytes == long)
  }

  @Test("lose their link when one walks away, and connect again when it is back") func walkingAway() throws {
    let story = try Story()
    story.simulation.withRadio { radio, now in
      radio.setDistance(5000, between: story.central, and: story.peripheral, now: now)
    }
    let isLost = story.simulation.run {
      story.simulation.dequeueEvents(of: story.central).contains {
        if case .disconnected(_, _, _, .reason(.connectionTimeout)) = $0.event { true } else { false }
      }
    }
    #expect(isLost)
    story.simulation.withRadio { radio, now in
      radio.setDistance(1, between: story.central, and: story.peripheral, now: now)
    }
    try story.connect()
  }

  @Test("lose their link when one is switched off, and connect again when it is back") func switchedOff() throws {
    let story = try Story()
    story.simulation.setPowered(false, story.peripheral)
    #expect(story.simulation.withHost(story.peripheral) { host, _ in host.state } == .poweredOff)
    let isLost = story.simulation.run {
      story.simulation.dequeueEvents(of: story.central).contains {
        if case .disconnected(_, _, _, .reason(.connectionTimeout)) = $0.event { true } else { false }
      }
    }
    #expect(isLost)
    story.simulation.setPowered(true, story.peripheral)
    try story.connect()
  }

  @Test("do the same again from the same seed") func deterministic() throws {
    func times() throws -> [Duration] {
      let story = try Story(RadioConfiguration(seed: 42, timing: .paced, loss: 0.3))
      let connected = story.simulation.now
      _ = try story.characteristics()
      return [connected, story.simulation.now]
    }
    #expect(try times() == times())
  }
}

/// A peripheral with one service of one value, and a central that is connected to it.
private final class Story {
  let simulation: Simulation
  let central: ControllerID
  let peripheral: ControllerID
  private let app: ClientID
  private let address = BluetoothAddress.staticRandom(2)
  private var link = LinkID(0)
  private var lastRequest: UInt64 = 0

  init(
    _ configuration: RadioConfiguration = RadioConfiguration(),
    controller: ControllerConfiguration = ControllerConfiguration()
  ) throws {
    simulation = Simulation(radio: configuration)
    central = simulation.addHost(HostConfiguration(ownAddress: .staticRandom(1)), controller: controller)
    peripheral = simulation.addHost(HostConfiguration(ownAddress: address), controller: controller)
    app = try #require(simulation.withHost(central) { host, _ in host.addClient() })
    let device = try #require(simulation.withHost(peripheral) { host, _ in host.addClient() })
    let characteristic = GATTCharacteristicDefinition(
      uuid: 0xFFF2, properties: [.read, .write], permissions: [.readable, .writeable])
    let service = GATTServiceDefinition(uuid: 0xFFF0, characteristics: [characteristic])
    _ = try simulation.withHost(peripheral) { host, now in
      _ = try host.addService(service, client: device, now: now)
      host.startAdvertising(device, AdvertisingParameters(localName: "Lamp", services: [0xFFF0]), now: now)
    }
    var value: [UInt8] = []
    simulation.handleEvents(of: peripheral) { host, event, _, now in
      switch event {
      case .readRequest(let request):
        host.respond(to: request.id, with: .value(Array(value.dropFirst(request.offset))), now: now)
      case .writeRequest(let request):
        value = request.parts.flatMap(\.value)
        if let id = request.id { host.respond(to: id, with: .written, now: now) }
      case .disconnected, .stateChanged(.poweredOn, _):
        host.startAdvertising(device, AdvertisingParameters(localName: "Lamp", services: [0xFFF0]), now: now)
      default: break
      }
    }
    try connect()
  }

  /// Connects, again if a link fails to be established: on a lossy radio the request itself may be lost.
  func connect() throws {
    for _ in 0..<8 {
      _ = simulation.withHost(central) { host, now in host.connect(app, to: address, now: now) }
      var connected: LinkID?
      let isConnected = simulation.run {
        for case (.connected(let link, _, _), _) in simulation.dequeueEvents(of: central) { connected = link }
        return connected != nil
      }
      try #require(isConnected)
      link = try #require(connected)
      simulation.advance(by: .seconds(1))
      let isLost = simulation.dequeueEvents(of: central).contains {
        if case .disconnected = $0.event { true } else { false }
      }
      if !isLost { return }
    }
    Issue.record("never connected")
  }

  func run(_ procedure: GATTProcedure) throws -> GATTOutcome? {
    lastRequest += 1
    let request = RequestID(lastRequest)
    _ = simulation.withHost(central) { host, now in
      host.submit(procedure, id: request, client: app, link: link, now: now)
    }
    var outcome: GATTOutcome?
    _ = simulation.run {
      outcome = outcome ?? simulation.dequeueOutcome(request, of: central)
      return outcome != nil
    }
    return outcome
  }

  func characteristics() throws -> [GATTCharacteristicRecord] {
    guard case .services(let services) = try run(.discoverServices(nil)),
      let service = services.first(where: { $0.uuid == 0xFFF0 }),
      case .characteristics(let found) = try run(.discoverCharacteristics(service.range))
    else { return [] }
    return found
  }
}
