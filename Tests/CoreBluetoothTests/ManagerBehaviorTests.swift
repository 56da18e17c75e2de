import LatchkeyBluetoothHost
import LatchkeyBluetoothTransports
import Testing

@testable import CoreBluetooth

/// The semantics of managers, scans and connections that apps rely on. Both ends are real.
@Suite(.timeLimit(.minutes(5)))
struct ManagerBehaviorTests {
  @Test("Callbacks arrive on the queue and never inside a call") func callbacksComeOnTheQueueAndNeverInsideTheCall()
    async throws
  {
    let lab = Lab()
    let isInside = Locked(false)
    let offences = Locked<[String]>([])
    lab.central.reaction = { event in
      if DispatchQueue.getSpecific(key: CentralSide.queueKey) != true { offences.withLock { $0.append("\(event)") } }
      if isInside.withLock({ $0 }) { offences.withLock { $0.append("inside: \(event)") } }
    }
    try await lab.publish([Lab.characteristic("FFF1", [.read])])
    try await lab.central.isPoweredOn()
    let found = try await lab.central.find("Lamp")
    // From the queue itself, a callback inside the call would come with the flag set.
    lab.central.queue.sync {
      isInside.withLock { $0 = true }
      lab.central.manager.connect(found)
      isInside.withLock { $0 = false }
    }
    try await lab.central.log.first { event in
      if case .connected = event { return () }
      return nil
    }
    lab.central.queue.sync {
      isInside.withLock { $0 = true }
      found.discoverServices(nil)
      found.readRSSI()
      lab.central.manager.cancelPeripheralConnection(found)
      isInside.withLock { $0 = false }
    }
    _ = try await lab.central.disconnection()
    #expect(offences.withLock { $0 } == [])
  }

  @Test("One callback leads from unknown to powered on") func stateIsUnknownThenPoweredOnWithOneCallback() async throws
  {
    let lab = Lab()
    let queue = DispatchQueue(label: "held back")
    queue.suspend()
    let manager = CBCentralManager(delegate: nil, queue: queue, options: lab.options)
    #expect(manager.state == .unknown)
    queue.resume()
    let state = try await lab.central.log.first { event in
      if case .state(let state) = event { return state }
      return nil
    }
    #expect(state == .poweredOn)
  }

  @Test("A radio loss ends everything") func radioLossEndsEverything() async throws {
    let lab = Lab()
    let found = try await lab.connect([Lab.characteristic("FFF1", [.read])])
    lab.central.manager.scanForPeripherals(withServices: nil)
    #expect(lab.central.manager.isScanning)
    lab.radio.setPowered(false, "central")
    try await lab.central.log.first { event in
      if case .state(.poweredOff) = event { return () }
      return nil
    }
    #expect(!lab.central.manager.isScanning)
    #expect(found.state == .disconnected)
    lab.radio.setPowered(true, "central")
    try await lab.central.isPoweredOn()
    lab.radio.setPowered(false, "peripheral")
    try await lab.peripheral.log.first { event in
      if case .state(.poweredOff) = event { return () }
      return nil
    }
    #expect(!lab.peripheral.manager.isAdvertising)
  }

  @Test("Everything works again after a radio loss") func afterRadioLossAllCanBeginAnew() async throws {
    let lab = Lab()
    let found = try await lab.connect([Lab.characteristic("FFF1", [.read])])
    lab.radio.setPowered(false, "central")
    try await lab.central.log.first { event in
      if case .state(.poweredOff) = event { return () }
      return nil
    }
    lab.radio.setPowered(true, "central")
    try await lab.central.isPoweredOn()
    try await lab.central.connect(found)
    #expect(found.state == .connected)
  }

  @Test("Services and advertising survive a radio that is switched off")
  func servicesOutliveASwitchedOffRadioAndAdvertisingGoesOnWithIt() async throws {
    let lab = Lab()
    try await lab.publish([Lab.characteristic("FFF1", [.read])])
    lab.radio.setPowered(false, "peripheral")
    lab.radio.setPowered(true, "peripheral")
    var states: [CBManagerState] = []
    while states.last != .poweredOn {
      let state = try await lab.peripheral.log.first { event in
        if case .state(let state) = event { return state }
        return nil
      }
      states.append(state)
    }
    #expect(states == [.poweredOff, .poweredOn])
    #expect(lab.peripheral.manager.isAdvertising)
    try await lab.central.isPoweredOn()
    let found = try await lab.central.find("Lamp")
    try await lab.central.connect(found)
    #expect(try await lab.central.discover(Lab.service, of: found).count == 1)
  }

  @Test("Advertising can be started again after an interruption")
  func advertisingMayBeAskedForAgainAfterAnInterruption() async throws {
    let lab = Lab()
    try await lab.publish([Lab.characteristic("FFF1", [.read])])
    lab.radio.setPowered(false, "peripheral")
    lab.radio.setPowered(true, "peripheral")
    try await lab.peripheral.isPoweredOn()
    try await lab.peripheral.advertise("Lantern")
    let second = await #expect(throws: CBError.self) { try await lab.peripheral.advertise("Lantern") }
    #expect(second?.code == .alreadyAdvertising)
    try await lab.central.isPoweredOn()
    _ = try await lab.central.find("Lantern")
  }

  @Test("Stopped advertising is not resumed") func advertisingThatWasStoppedIsNotResumed() async throws {
    let lab = Lab()
    try await lab.publish([Lab.characteristic("FFF1", [.read])])
    lab.peripheral.manager.stopAdvertising()
    lab.radio.setPowered(false, "peripheral")
    lab.radio.setPowered(true, "peripheral")
    try await lab.peripheral.isPoweredOn()
    #expect(!lab.peripheral.manager.isAdvertising)
    lab.radio.raiseHardwareError(on: "peripheral")
    try await lab.peripheral.isPoweredOn()
    #expect(!lab.peripheral.manager.isAdvertising)
  }

  @Test("A hardware error removes the services") func hardwareErrorRemovesServices() async throws {
    let lab = Lab()
    let service = try await lab.publish([Lab.characteristic("FFF1", [.read])])
    lab.radio.raiseHardwareError(on: "peripheral")
    let state = try await lab.peripheral.log.first { event in
      if case .state(let state) = event { return state }
      return nil
    }
    #expect(state == .resetting)
    try await lab.peripheral.isPoweredOn()
    try await lab.peripheral.add(service)
  }

  @Test("Commands in a wrong state do nothing") func commandsInAWrongStateDoNothing() async throws {
    let lab = Lab()
    let queue = DispatchQueue(label: "held back")
    queue.suspend()
    let manager = CBCentralManager(delegate: lab.central, queue: queue, options: lab.options)
    manager.scanForPeripherals(withServices: nil)
    #expect(!manager.isScanning)
    #expect(manager.retrievePeripherals(withIdentifiers: [UUID()]).isEmpty)
    queue.resume()
    try await lab.publish([Lab.characteristic("FFF1", [.read])])
    try await lab.central.isPoweredOn()
    let found = try await lab.central.find("Lamp")
    found.discoverServices(nil)
    found.readRSSI()
    #expect(!found.canSendWriteWithoutResponse)
    lab.central.manager.cancelPeripheralConnection(found)
    #expect(found.state == .disconnected)
    // Whatever those had caused would come before this.
    try await lab.central.connect(found)
    #expect(found.services == nil)
  }

  @Test("A scan reports once unless duplicates are allowed") func aScanReportsOnceUnlessDuplicatesAreAllowed()
    async throws
  {
    let lab = Lab()
    try await lab.publish([Lab.characteristic("FFF1", [.read])])
    try await lab.central.isPoweredOn()
    let first = try await lab.central.find("Lamp")
    lab.central.manager.scanForPeripherals(
      withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
    for _ in 0..<3 {
      let again: CBPeripheral = try await lab.central.log.first { event in
        guard case .discovered(let peripheral, let data, let rssi) = event,
          data[CBAdvertisementDataLocalNameKey] as? String == "Lamp"
        else { return nil }
        #expect(data[CBAdvertisementDataIsConnectable] as? Bool == true)
        #expect(data[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] == [CBUUID(string: Lab.service)])
        #expect(rssi.intValue < 0)
        return peripheral
      }
      #expect(again === first)
    }
  }

  @Test("A scan filters by service") func aScanFiltersByService() async throws {
    let lab = Lab()
    try await lab.publish([Lab.characteristic("FFF1", [.read])])
    let other = PeripheralSide(lab.options)
    try await other.isPoweredOn()
    try await lab.central.isPoweredOn()
    let found = try await lab.central.find("Lamp", services: [CBUUID(string: "ABCD"), CBUUID(string: Lab.service)])
    #expect(found.identifier.uuidString.count == 36)
    lab.central.manager.scanForPeripherals(withServices: [CBUUID(string: "ABCD")])
    #expect(lab.central.manager.isScanning)
    // The answer to a connection comes after whatever the scan had found before.
    try await lab.central.connect(found)
    let stray = lab.central.log.pending.contains { event in
      if case .discovered = event { return true }
      return false
    }
    #expect(!stray)
  }

  @Test("The name is the advertised one until the device's own is read")
  func theNameIsTheAdvertisedOneUntilTheDeviceStatesItsOwn() async throws {
    let lab = Lab()
    try await lab.publish([Lab.characteristic("FFF1", [.read])])
    try await lab.central.isPoweredOn()
    let found = try await lab.central.find("Lamp")
    #expect(found.name == "Lamp")
    // Its GAP name is the one that it advertised last, and the scan has not heard that.
    lab.central.manager.stopScan()
    lab.peripheral.manager.stopAdvertising()
    try await lab.peripheral.advertise("Lantern")
    #expect(found.name == "Lamp")
    try await lab.central.connect(found)
    let name: String? = try await lab.central.log.first { event in
      if case .name(let name) = event { return .some(name) }
      return nil
    }
    #expect(name == "Lantern")
    #expect(found.name == "Lantern")
  }

  @Test("A pending connection waits for the device") func aPendingConnectionWaitsForTheDevice() async throws {
    let lab = Lab()
    try await lab.publish([Lab.characteristic("FFF1", [.read])])
    try await lab.central.isPoweredOn()
    let found = try await lab.central.find("Lamp")
    lab.peripheral.manager.stopAdvertising()
    lab.central.manager.connect(found)
    #expect(found.state == .connecting)
    try await lab.peripheral.advertise("Lamp")
    try await lab.central.log.first { event in
      if case .connected(found) = event { return () }
      return nil
    }
    #expect(found.state == .connected)
  }

  @Test("Canceling a pending connection gives no error") func cancellingAPendingConnectionGivesNoError() async throws {
    let lab = Lab()
    try await lab.publish([Lab.characteristic("FFF1", [.read])])
    try await lab.central.isPoweredOn()
    let found = try await lab.central.find("Lamp")
    lab.peripheral.manager.stopAdvertising()
    // On the queue, so that no callback runs meanwhile.
    lab.central.queue.sync {
      lab.central.manager.connect(found)
      lab.central.manager.cancelPeripheralConnection(found)
      #expect(found.state == .disconnecting)
    }
    #expect(try await lab.central.disconnection() == nil)
    #expect(found.state == .disconnected)
    try await lab.peripheral.advertise("Lamp")
    try await lab.central.connect(found)
  }

  @Test("A released peripheral is disconnected") func aDroppedPeripheralIsDisconnected() async throws {
    let lab = Lab()
    let notified = Lab.characteristic("FFF1", [.notify])
    var found: CBPeripheral? = try await lab.connect([notified])
    if let found {
      let characteristics = try await lab.central.discover(Lab.service, of: found)
      try await lab.central.setNotify(true, try #require(characteristics["FFF1"]), of: found)
    }
    _ = try await lab.peripheral.subscription(to: notified)
    weak let kept = found
    found = nil
    _ = try await lab.peripheral.unsubscription(from: notified)
    #expect(kept == nil)
  }

  @Test("Identifiers are stable and are not addresses") func identifiersAreStableAndNoAddresses() async throws {
    let lab = Lab()
    try await lab.publish([Lab.characteristic("FFF1", [.read])])
    try await lab.central.isPoweredOn()
    let identifier = try await lab.central.find("Lamp").identifier
    let second = CentralSide(lab.options)
    try await second.isPoweredOn()
    let retrieved = try #require(second.manager.retrievePeripherals(withIdentifiers: [identifier, UUID()]).first)
    #expect(retrieved.identifier == identifier)
    try await second.connect(retrieved)
    let connected = lab.central.manager.retrieveConnectedPeripherals(withServices: [CBUUID(string: Lab.service)])
    #expect(connected.map(\.identifier) == [identifier])
    #expect(lab.central.manager.retrieveConnectedPeripherals(withServices: [CBUUID(string: "ABCD")]).isEmpty)
    #expect(lab.central.manager.retrieveConnectedPeripherals(withServices: []).isEmpty)
  }

  @Test("A requested disconnection has no error") func anAskedForDisconnectionHasNoError() async throws {
    let lab = Lab()
    let found = try await lab.connect([Lab.characteristic("FFF1", [.read])])
    lab.central.queue.sync {
      lab.central.manager.cancelPeripheralConnection(found)
      #expect(found.state == .disconnecting)
    }
    #expect(try await lab.central.disconnection() == nil)
    #expect(found.state == .disconnected)
  }

  @Test(
    "A lost connection has an error",
    arguments: [(0x08, CBError.Code.connectionTimeout), (0x13, .peripheralDisconnected)])
  func aLostConnectionHasAnError(reason: Int, code: CBError.Code) async throws {
    let lab = Lab()
    let found = try await lab.connect([Lab.characteristic("FFF1", [.read])])
    lab.radio.dropLinks(of: "central", reason: .init(rawValue: UInt8(reason)))
    let error = try await lab.central.disconnection()
    #expect((error as? CBError)?.code == code)
    #expect(found.state == .disconnected)
  }

  @Test("Pending requests fail before the disconnection, and services are gone after the next")
  func outstandingRequestsFailBeforeTheDisconnectionAndServicesGoWithTheNext() async throws {
    let lab = Lab()
    lab.peripheral.onRead = { _ in }
    let found = try await lab.connect([Lab.characteristic("FFF1", [.read])])
    let characteristic = try #require(try await lab.central.discover(Lab.service, of: found)["FFF1"])
    found.readValue(for: characteristic)
    found.readValue(for: characteristic)
    _ = try await lab.peripheral.read()
    lab.radio.dropLinks(of: "central")
    for _ in 0..<2 {
      await #expect(throws: CBError.self) { try await lab.central.value(characteristic) }
    }
    #expect(try await lab.central.disconnection() != nil)
    #expect(found.services != nil)
    try await lab.central.connect(found)
    #expect(found.services == nil)
    // Of the earlier connection, so not valid on this one.
    await #expect(throws: CBATTError.self) { try await lab.central.read(characteristic, of: found) }
  }

  @Test("There is one object for each identifier and manager") func oneObjectForEachIdentifierAndManager() async throws
  {
    let lab = Lab()
    try await lab.publish([Lab.characteristic("FFF1", [.read])])
    try await lab.central.isPoweredOn()
    let found = try await lab.central.find("Lamp")
    #expect(try await lab.central.find("Lamp") === found)
    #expect(lab.central.manager.retrievePeripherals(withIdentifiers: [found.identifier]).first === found)
    let second = CentralSide(lab.options)
    try await second.isPoweredOn()
    let other = try await second.find("Lamp")
    #expect(other !== found)
    #expect(other == found)
    #expect(Set([other, found]).count == 1)
  }

  @Test("A released manager ends its scans, connections and services") func managersEndWhatTheyBegan() async throws {
    let lab = Lab()
    let notified = Lab.characteristic("FFF1", [.notify])
    let found = try await lab.connect([notified])
    let characteristics = try await lab.central.discover(Lab.service, of: found)
    try await lab.central.setNotify(true, try #require(characteristics["FFF1"]), of: found)
    _ = try await lab.peripheral.subscription(to: notified)
    weak let kept = lab.central.manager
    lab.central.dropManager()
    #expect(kept == nil)
    #expect(found.state == .disconnected)
    _ = try await lab.peripheral.unsubscription(from: notified)
  }

  @Test("An invalid controller is powered off") func anUnknownControllerIsPoweredOff() async throws {
    let side = CentralSide([CBManagerOptionControllerKey: "carrier-pigeon:1"])
    let state = try await side.log.first { event in
      if case .state(let state) = event { return state }
      return nil
    }
    #expect(state == .poweredOff)
  }
}
