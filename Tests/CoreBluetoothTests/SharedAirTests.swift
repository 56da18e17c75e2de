import Foundation
import LatchkeyBluetoothTransports
import Testing

@testable import CoreBluetooth
@testable import LatchkeyBluetoothHost

/// Several devices and managers on one radio, and what peers cause that the app did not ask for.
@Suite(.timeLimit(.minutes(5)))
struct SharedAirTests {
  private func device(_ name: String, on radio: String, service: String) async throws -> PeripheralSide {
    let side = PeripheralSide([CBManagerOptionControllerKey: radio])
    try await side.isPoweredOn()
    let service = CBMutableService(type: CBUUID(string: service), primary: true)
    try await side.add(service)
    try await side.advertise(name, services: [service.uuid])
    return side
  }

  @Test("Each simulated device has a controller") func simulatedDevicesHaveAControllerEach() async throws {
    let lab = Lab()
    let radio = try #require(lab.options[CBManagerOptionControllerKey])
    let lamp = try await device("Alpha", on: "\(radio)/lamp", service: "AAA0")
    let lantern = try await device("Beta", on: "\(radio)/lantern", service: "BBB0")
    try await lab.central.isPoweredOn()
    var kept: [CBPeripheral] = []
    for (name, service) in [("Alpha", "AAA0"), ("Beta", "BBB0")] {
      let found = try await lab.central.find(name)
      kept.append(found)
      try await lab.central.connect(found)
      try await lab.central.discoverServices(nil, of: found)
      let own = found.services?.map(\.uuid.uuidString).filter { !$0.hasPrefix("18") }
      #expect(own == [service])
    }
    #expect(lab.connectedPeers.count == 2)
    withExtendedLifetime((lamp, lantern, kept)) {}
  }

  @Test("Two managers on one controller are both on the air") func managersOnOneControllerAreBothOnTheAir() async throws
  {
    let lab = Lab()
    let radio = try #require(lab.options[CBManagerOptionControllerKey])
    let alpha = try await device("Alpha", on: radio, service: "AAA0")
    let beta = try await device("Beta", on: radio, service: "BBB0")
    #expect(alpha.manager.isAdvertising && beta.manager.isAdvertising)
    try await lab.central.isPoweredOn()
    lab.central.manager.scanForPeripherals(
      withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
    var names: Set<String> = []
    while names != ["Alpha", "Beta"] {
      let name: String = try await lab.central.log.first { event in
        guard case .discovered(_, let data, _) = event else { return nil }
        return data[CBAdvertisementDataLocalNameKey] as? String
      }
      names.insert(name)
    }
  }

  @Test("A device without further scan response data is discovered once")
  func aDeviceThatSaysAllInItsAdvertisementIsDiscoveredOnce() async throws {
    let lab = Lab()
    try await lab.publish([Lab.characteristic("FFF1", [.read])])
    try await lab.central.isPoweredOn()
    let found = try await lab.central.find("Lamp")
    lab.central.manager.scanForPeripherals(withServices: nil)
    for _ in 0..<3 {
      try await lab.central.connect(found)
      lab.central.manager.cancelPeripheralConnection(found)
      #expect(try await lab.central.disconnection() == nil)
    }
    let again = lab.central.log.pending.count { event in
      if case .discovered = event { return true }
      return false
    }
    #expect(again <= 1)
  }

  @Test("Service Changed is not reported as a value") func serviceChangedIsNoValueForAnAppThatDidNotAskForIt()
    async throws
  {
    let lab = Lab()
    let found = try await lab.connect([Lab.characteristic("FFF1", [.read])])
    let changed = try #require(try await lab.central.discover("1801", of: found)["2A05"])
    try await lab.peripheral.add(CBMutableService(type: CBUUID(string: "AAA0"), primary: true))
    try await lab.central.log.first { event in
      if case .modified = event { return () }
      if case .value = event { Issue.record("a value that nobody asked for") }
      return nil
    }
    #expect(changed.value == nil)
    // A client that asks for it gets it.
    try await lab.central.setNotify(true, changed, of: found)
    try await lab.peripheral.add(CBMutableService(type: CBUUID(string: "BBB0"), primary: true))
    #expect(try await lab.central.value(changed)?.count == 4)
  }

  @Test("A read of the signal strength is answered although the link has ended")
  func signalStrengthIsAnsweredThoughTheLinkIsGone() async throws {
    let lab = Lab()
    let found = try await lab.connect([Lab.characteristic("FFF1", [.read])])
    lab.central.queue.suspendWhenIdle()
    lab.radio.dropLinks(of: "central")
    found.readRSSI()
    found.readRSSI()
    lab.central.queue.resume()
    for _ in 0..<2 {
      let error: (any Error)? = try await lab.central.log.first { event in
        if case .disconnected = event { Issue.record("the end came before the answer") }
        if case .rssi(_, let error) = event { return .some(error) }
        return nil
      }
      #expect((error as? CBError)?.code == .notConnected)
    }
    _ = try await lab.central.disconnection()
  }

  @Test("A link that this host ended without an answer has timed out")
  func aLinkThatThisHostEndedForWantOfAnAnswerTimedOut() {
    #expect(Failures.disconnection(.localHostTerminated).code == .connectionTimeout)
  }

  @Test("A central that subscribes and unsubscribes without end fills no queue")
  func aCentralThatChangesItsMindWithoutEndFillsNothing() async throws {
    let lab = Lab()
    let notified = Lab.characteristic("FFF1", [.notify])
    let found = try await lab.connect([notified])
    let remote = try #require(try await lab.central.discover(Lab.service, of: found)["FFF1"])
    lab.peripheral.queue.suspendWhenIdle()
    for number in 0..<41 { try await lab.central.setNotify(number.isMultiple(of: 2), remote, of: found) }
    lab.peripheral.queue.resume()
    let central = try await lab.peripheral.subscription(to: notified)
    try await lab.central.setNotify(false, remote, of: found)
    #expect(try await lab.peripheral.unsubscription(from: notified) === central)
    #expect(lab.peripheral.log.pending.isEmpty)
  }

  @Test("Centrals that connect and disconnect without end fill no queue")
  func centralsThatComeAndGoWithoutEndFillNothing() async throws {
    let lab = Lab()
    let notified = Lab.characteristic("FFF1", [.notify, .writeWithoutResponse])
    let found = try await lab.connect([notified])
    let remote = try #require(try await lab.central.discover(Lab.service, of: found)["FFF1"])
    try await lab.central.setNotify(true, remote, of: found)
    let central = try await lab.peripheral.subscription(to: notified)
    let publication = try #require(notified.local.withLock { $0.publication })
    let engine = try #require(publication.engine)
    lab.peripheral.queue.suspendWhenIdle()
    for number in UInt32(1)...400 {
      let (link, peer) = (LinkID(10_000 + number), BluetoothAddress.staticRandom(UInt64(10_000 + number)))
      engine.hostDidSend(.subscriptionChanged(link, peer, publication.handle, .notifications, additions: .max))
      let part = GATTWriteRequest.Part(handle: publication.handle, offset: 0, value: [1])
      engine.hostDidSend(
        .writeRequest(GATTWriteRequest(id: nil, link: link, peer: peer, parts: [part], additions: .max)))
      engine.hostDidSend(.disconnected(link, peer, .peripheral, .reason(.remoteUserTerminated)))
    }
    // A peripheral that the app knows leaves last.
    lab.central.manager.cancelPeripheralConnection(found)
    #expect(try await lab.central.disconnection() == nil)
    lab.peripheral.queue.resume()
    var (subscriptions, writes, ends) = (0, 0, 0)
    try await lab.peripheral.log.first { event in
      switch event {
      case .subscribed: subscriptions += 1
      case .write: writes += 1
      case .unsubscribed(central, _): return ()
      case .unsubscribed: ends += 1
      default: break
      }
      return nil
    }
    let whole = CallbackQueue<PeripheralEngine>.endedCapacity / 3
    #expect(subscriptions == whole && writes == whole && ends == whole, "\(subscriptions) \(writes) \(ends)")
    #expect(notified.subscribedCentrals == [])
  }
}
