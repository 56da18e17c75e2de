import LatchkeyBluetoothHost
import LatchkeyBluetoothTransports
import Testing

@testable import CoreBluetooth

/// Distances by channel sounding on a virtual radio, latencies, and what Apple's systems add to advertisement data.
@Suite(.timeLimit(.minutes(5)))
struct ChannelSoundingTests {
  private final class Ranger: NSObject, CBPeripheralDelegate, @unchecked Sendable {
    enum Event {
      case distance(Double?, (any Error)?)
      case ended((any Error)?)
    }

    let log = EventLog<Event>()

    func peripheral(
      _ peripheral: CBPeripheral, didReceive results: CBChannelSoundingProcedureResults?, error: (any Error)?
    ) { log.add(.distance(results?.distance, error)) }

    func peripheral(_ peripheral: CBPeripheral, didCompleteChannelSoundingSession error: (any Error)?) {
      log.add(.ended(error))
    }

    func end() async throws -> (any Error)? {
      try await log.first { event -> (any Error)?? in
        if case .ended(let error) = event { return .some(error) }
        return nil
      }
    }
  }

  /// Keeps the packets that a host sends to its controller.
  private final class Recorder: ControllerTransport {
    private let way: any ControllerTransport
    let packets = EventLog<[UInt8]>()

    init(_ way: any ControllerTransport) { self.way = way }

    func open(_ receiver: any ControllerTransportReceiver) { way.open(receiver) }

    func send(_ packet: consuming [UInt8]) {
      let copy = packet
      packets.add(copy)
      way.send(copy)
    }

    func close() { way.close() }
  }

  private let configuration = CBChannelSoundingSessionConfiguration(role: .initiator)

  @Test("A virtual radio measures the distance that was set, until the session is canceled") func distanceIsMeasured()
    async throws
  {
    let lab = Lab()
    let lamp = try await lab.connect([Lab.characteristic("FFF1", [.read])])
    let ranger = Ranger()
    lamp.delegate = ranger
    lamp.startChannelSoundingSession(configuration)
    for expected in [0, 3.5, 0.25] {
      if expected > 0 { lab.radio.setDistance(expected, between: "peripheral", and: "central") }
      try await ranger.log.first { event in
        if case .distance(expected, nil) = event { return () }
        return nil
      }
    }
    lamp.cancelChannelSoundingSession()
    #expect(try await ranger.end() == nil)
    #expect(configuration.role == .initiator)
  }

  @Test("A session ends with its connection, with an error") func sessionEndsWithTheConnection() async throws {
    let lab = Lab()
    let lamp = try await lab.connect([Lab.characteristic("FFF1", [.read])])
    let ranger = Ranger()
    lamp.delegate = ranger
    lamp.startChannelSoundingSession(configuration)
    lab.radio.dropLinks(of: "peripheral")
    #expect((try await ranger.end() as? CBError)?.code == .peripheralDisconnected)
    _ = try await lab.central.disconnection()
    #expect(lamp.current.withLock { $0.sounding } == nil)
  }

  @Test("Misuse has no callback: no connection, a second session, no session") func misuseHasNoCallback() async throws {
    let lab = Lab()
    let lamp = try await lab.connect([Lab.characteristic("FFF1", [.read])])
    let ranger = Ranger()
    lamp.delegate = ranger
    lamp.cancelChannelSoundingSession()
    lamp.startChannelSoundingSession(configuration)
    lamp.startChannelSoundingSession(configuration)
    lamp.cancelChannelSoundingSession()
    #expect(try await ranger.end() == nil)
    lab.central.manager.cancelPeripheralConnection(lamp)
    _ = try await lab.central.disconnection()
    lamp.startChannelSoundingSession(configuration)
    lab.central.queue.sync {}
    #expect(ranger.log.pending.isEmpty)
  }

  @Test("Only a virtual radio measures distances") func onlyVirtualRadios() throws {
    let path = "unix-client:/nonexistent/\(UUID().uuidString)"
    let real = Controller.forManager(.central, options: [CBManagerOptionControllerKey: path])
    #expect(real.measureDistance == nil)
    RadioRegistry.shared.remove(try ControllerSpecification(path))
    let wrong = Controller.forManager(.central, options: [CBManagerOptionControllerKey: "no controller"])
    #expect(wrong.measureDistance == nil)
  }

  @Test("A device that is not connected has no distance") func noDistanceWithoutALink() async throws {
    let lab = Lab()
    try await lab.publish([Lab.characteristic("FFF1", [.read])])
    try await lab.central.isPoweredOn()
    let lamp = try await lab.central.find("Lamp")
    #expect(lab.radio.distance(from: "central", to: lamp.address) == nil)
    #expect(lab.radio.distance(from: "nobody", to: lamp.address) == nil)
    try await lab.central.connect(lamp)
    #expect(lab.radio.distance(from: "central", to: lamp.address) == 0)
  }

  @Test(
    "A desired latency is requested from the central, which updates the connection",
    arguments: [
      (CBPeripheralManagerConnectionLatency.low, 12, 24), (.medium, 60, 84), (.high, 240, 320),
    ]) func latencyIsRequested(_ latency: CBPeripheralManagerConnectionLatency, _ least: UInt8, _ most: Int)
    async throws
  {
    var recorder: Recorder?
    let lab = Lab(centrals: { way in
      let made = Recorder(way)
      recorder = made
      return made
    })
    let recorded = try #require(recorder)
    let ticks = Lab.characteristic("FFF1", [.notify])
    let lamp = try await lab.connect([ticks])
    let found = try #require(try await lab.central.discover(Lab.service, of: lamp)["FFF1"])
    try await lab.central.setNotify(true, found, of: lamp)
    let central = try await lab.peripheral.subscription(to: ticks)
    lab.peripheral.manager.setDesiredConnectionLatency(latency, for: central)
    // HCI LE Connection Update, its parameters after the handle.
    let parameters = try await recorded.packets.first { $0.starts(with: [0x01, 0x13, 0x20]) ? $0.dropFirst(6) : nil }
    #expect(parameters.starts(with: [least, 0, UInt8(truncatingIfNeeded: most), UInt8(most >> 8), 0, 0]))
  }

  @Test(
    "The latencies are within the limits that centrals accept",
    arguments: [
      CBPeripheralManagerConnectionLatency.low, .medium, .high,
    ]) func latenciesAreAcceptable(_ latency: CBPeripheralManagerConnectionLatency)
  {
    #expect(latency.parameters.isAcceptable)
  }

  @Test("Advertisement data has the time of its reception and its PHYs") func advertisementHasTimeAndPHYs() async throws
  {
    let lab = Lab()
    try await lab.publish([Lab.characteristic("FFF1", [.read])])
    try await lab.central.isPoweredOn()
    let before = CFAbsoluteTimeGetCurrent()
    lab.central.manager.scanForPeripherals(withServices: nil)
    let data = try await lab.central.log.first { event -> [String: Any]? in
      if case .discovered(_, let data, _) = event { return data }
      return nil
    }
    let time = try #require(data["kCBAdvDataTimestamp"] as? Double)
    #expect((before...CFAbsoluteTimeGetCurrent()).contains(time))
    #expect(data["kCBAdvDataRxPrimaryPHY"] as? Int == 1)
    #expect(data["kCBAdvDataRxSecondaryPHY"] as? Int == 0)
  }
}
