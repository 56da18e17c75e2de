import Dispatch
import Foundation
import LatchkeyBluetoothHost
import LatchkeyBluetoothTransports
import Testing

@testable import CoreBluetooth

/// Several threads at one manager, and a manager whose app is busy while the world goes on.
@Suite(.timeLimit(.minutes(10)))
struct ThreadBehaviorTests {
  /// A few rounds, or with `LATCHKEY_SOAK` thousands.
  private static let rounds = ProcessInfo.processInfo.environment["LATCHKEY_SOAK"] == nil ? 40 : 4000

  private func states(_ side: CentralSide, until last: CBManagerState) async throws -> [CBManagerState] {
    var states: [CBManagerState] = []
    while states.last != last {
      states.append(
        try await side.log.first { event in
          if case .state(let state) = event { return state }
          return nil
        })
    }
    return states
  }

  /// Waits for callbacks until a peripheral is not connected, nor about to be.
  private func isDisconnected(_ peripheral: CBPeripheral, _ side: CentralSide) async throws {
    while peripheral.state != .disconnected { try await side.log.first { _ in () } }
  }

  @Test("Connecting and canceling from two threads leaves nothing stuck")
  func connectAgainstCancelFromTwoThreadsLeavesNothingStuck() async throws {
    let lab = Lab()
    try await lab.publish([Lab.characteristic("FFF1", [.read])])
    try await lab.central.isPoweredOn()
    let found = try await lab.central.find("Lamp")
    let manager = try #require(lab.central.manager)
    // From any thread: that is what is tried here.
    let shared = Unchecked((manager: manager, peripheral: found))
    for round in 0..<Self.rounds {
      DispatchQueue.concurrentPerform(iterations: 2) { thread in
        let (manager, peripheral) = shared.value
        for _ in 0..<(round % 3 + 1) {
          if thread == 0 { manager.connect(peripheral) } else { manager.cancelPeripheralConnection(peripheral) }
        }
      }
      // Whichever call was last, this is the app's last call, and no connection is up after it.
      manager.cancelPeripheralConnection(found)
      try await isDisconnected(found, lab.central)
      #expect(lab.connectedPeers.isEmpty)
    }
    try await lab.central.connect(found)
    #expect(lab.connectedPeers.count == 1)
  }

  @Test("A service added by two threads exists once") func aServiceThatTwoThreadsAddIsThereOnce() async throws {
    let lab = Lab()
    try await lab.peripheral.isPoweredOn()
    let service = MeetingService(type: CBUUID(string: "FFF0"), primary: true)
    let shared = Unchecked((manager: try #require(lab.peripheral.manager), service: service))
    DispatchQueue.concurrentPerform(iterations: 2) { _ in shared.value.manager.add(shared.value.service) }
    var errors: [CBError.Code?] = []
    for _ in 0..<2 {
      let error = try await lab.peripheral.log.first { event -> (any Error)?? in
        if case .added(service, let error) = event { return .some(error) }
        return nil
      }
      errors.append((error as? CBError)?.code)
    }
    #expect(errors.contains(nil))
    #expect(errors.contains(.invalidParameters))
  }

  private func isPublished(_ characteristic: CBMutableCharacteristic) -> Bool { characteristic.valueHandle != 0 }

  @Test("A service is published with its validated characteristics") func validatedCharacteristics() async throws {
    let lab = Lab()
    try await lab.peripheral.isPoweredOn()
    let manager = Unchecked(try #require(lab.peripheral.manager))
    let tested = Lab.characteristic("FFF1", [.read, .notify])
    let service = AskedService(type: CBUUID(string: "FFF0"), primary: true)
    // Its answer changes, and it asks the manager, which no lock may prevent.
    service.answer = { number in
      _ = manager.value.isAdvertising
      return number == 1 ? [tested] : []
    }
    try await lab.peripheral.add(service)
    #expect(service.questions == 1)
    #expect(isPublished(tested))
    #expect(lab.peripheral.manager.updateValue(Data([1]), for: tested, onSubscribedCentrals: nil))
  }

  @Test("A reset removes a service that is being added") func resetWhileAdding() async throws {
    let lab = Lab()
    let there = Lab.characteristic("AAA1", [.read])
    try await lab.publish([there])
    let engine = Unchecked(try #require(there.local.withLock { $0.publication?.engine }))
    let tested = Lab.characteristic("FFF1", [.read])
    let service = AskedService(type: CBUUID(string: "FFF9"), primary: true)
    // Between the first look and the last one a reset is reported to the app.
    service.answer = { number in
      if number == 1 { engine.value.clearServices() }
      return [tested]
    }
    lab.peripheral.manager.add(service)
    #expect(service.questions == 1)
    #expect(!isPublished(tested))
    #expect(!isPublished(there))
    // It may be added again, and that is the first report to the app.
    try await lab.peripheral.add(service)
    #expect(service.questions == 2)
    #expect(lab.peripheral.log.pending.isEmpty)
    try await lab.central.isPoweredOn()
    let found = try await lab.central.find("Lamp")
    try await lab.central.connect(found)
    try await lab.central.discoverServices(nil, of: found)
    #expect(found.services?.count { $0.uuid == CBUUID(string: "FFF9") } == 1)
  }

  @Test("Scanning and stopping from two threads ends in the manager's state")
  func scanAgainstStopFromTwoThreadsEndsAsTheManagerSays() async throws {
    let lab = Lab()
    try await lab.central.isPoweredOn()
    let manager = try #require(lab.central.manager)
    let shared = Unchecked(manager)
    for _ in 0..<Self.rounds {
      DispatchQueue.concurrentPerform(iterations: 2) { thread in
        let manager = shared.value
        if thread == 0 { manager.scanForPeripherals(withServices: nil) } else { manager.stopScan() }
      }
      #expect(lab.centralDriver.withHost { host, _ in host.isAnyScanning } == manager.isScanning)
    }
  }

  @Test("A connection requested before a reset is reported is dropped everywhere")
  func aConnectionAskedForBeforeTheNewsOfAResetIsForgottenByAll() async throws {
    let lab = Lab()
    try await lab.publish([Lab.characteristic("FFF1", [.read])])
    try await lab.central.isPoweredOn()
    let found = try await lab.central.find("Lamp")
    lab.central.queue.suspendWhenIdle()
    lab.radio.raiseHardwareError(on: "central")
    // The host is on again, and the manager has not heard that it was off.
    #expect(lab.central.manager.state == .poweredOn)
    lab.central.manager.connect(found)
    lab.central.manager.scanForPeripherals(withServices: nil)
    lab.central.queue.resume()
    #expect(try await states(lab.central, until: .poweredOn) == [.resetting, .poweredOn])
    #expect(found.state == .disconnected)
    #expect(!lab.central.manager.isScanning)
    #expect(lab.connectedPeers.isEmpty)
    #expect(!lab.centralDriver.withHost { host, _ in host.isAnyScanning })
    try await lab.central.connect(found)
    #expect(found.state == .connected)
  }

  @Test("A power cycle under a busy queue loses no connection for good")
  func aPowerCycleUnderABusyQueueLosesNoConnectionForGood() async throws {
    let lab = Lab()
    let found = try await lab.connect([Lab.characteristic("FFF1", [.read])])
    lab.central.queue.suspendWhenIdle()
    lab.radio.setPowered(false, "central")
    lab.radio.setPowered(true, "central")
    // It shows as connected still, and the cancel finds nothing to end.
    lab.central.manager.cancelPeripheralConnection(found)
    lab.central.manager.connect(found)
    lab.central.queue.resume()
    #expect(try await states(lab.central, until: .poweredOn) == [.poweredOff, .poweredOn])
    #expect(found.state == .disconnected)
    try await lab.central.connect(found)
  }

  @Test("Advertising requested before a reset is reported is dropped everywhere")
  func advertisingAskedForBeforeTheNewsOfAResetIsForgottenByAll() async throws {
    let lab = Lab()
    try await lab.peripheral.isPoweredOn()
    lab.peripheral.queue.suspendWhenIdle()
    lab.radio.raiseHardwareError(on: "peripheral")
    lab.peripheral.manager.startAdvertising([CBAdvertisementDataLocalNameKey: "Lamp"])
    let early = CBMutableService(type: CBUUID(string: "FFF0"), primary: true)
    lab.peripheral.manager.add(early)
    lab.peripheral.queue.resume()
    try await lab.peripheral.isPoweredOn()
    #expect(!lab.peripheral.manager.isAdvertising)
    // Both begin anew, and nothing of what was asked too early is answered later.
    let service = CBMutableService(type: CBUUID(string: "FFF0"), primary: true)
    try await lab.peripheral.add(service)
    try await lab.peripheral.advertise("Lamp", services: [service.uuid])
    #expect(lab.peripheral.log.pending.isEmpty)
    try await lab.central.isPoweredOn()
    let found = try await lab.central.find("Lamp")
    try await lab.central.connect(found)
    try await lab.central.discoverServices(nil, of: found)
    #expect(found.services?.count { $0.uuid == CBUUID(string: "FFF0") } == 1)
  }

  @Test("An event of a removed service does not reach another service")
  func anEventForAServiceThatIsGoneIsNotAnothersEvent() async throws {
    let lab = Lab()
    let permissions: CBAttributePermissions = [.readable, .writeable]
    let old = Lab.characteristic("FFF1", [.writeWithoutResponse, .notify], permissions: permissions)
    let found = try await lab.connect([old])
    let service = try #require(old.service as? CBMutableService)
    let remote = try #require(try await lab.central.discover(Lab.service, of: found)["FFF1"])
    lab.peripheral.queue.suspendWhenIdle()
    found.writeValue(Data([1]), for: remote, type: .withoutResponse)
    // Answered by the host itself, behind the write.
    try await lab.central.setNotify(true, remote, of: found)
    let new = Lab.characteristic("AAA1", [.writeWithoutResponse, .notify], permissions: permissions)
    let successor = CBMutableService(type: CBUUID(string: "AAA0"), primary: true)
    successor.characteristics = [new]
    lab.peripheral.manager.remove(service)
    lab.peripheral.manager.add(successor)
    lab.peripheral.queue.resume()
    try await lab.peripheral.log.first { event in
      if case .added(successor, nil) = event { return () }
      if case .write = event { Issue.record("a write for the service that is gone") }
      if case .subscribed = event { Issue.record("a subscription to the service that is gone") }
      return nil
    }
    #expect(new.subscribedCentrals == [])
    #expect(new.value == nil)
    // The successor works.
    let fresh = try #require(try await lab.central.discover("AAA0", of: found)["AAA1"])
    found.writeValue(Data([2]), for: fresh, type: .withoutResponse)
    #expect(try await lab.peripheral.write().map(\.characteristic) == [new])
  }
}

/// A service that answers as a test wants when its characteristics are asked for.
private final class AskedService: CBMutableService, @unchecked Sendable {
  private(set) var questions = 0
  var answer: (Int) -> [CBCharacteristic] = { _ in [] }

  override var characteristics: [CBCharacteristic]? {
    get {
      questions += 1
      return answer(questions)
    }
    set {}
  }
}

/// A service of which two threads ask for its characteristics at the same time: the first waits for the second.
private final class MeetingService: CBMutableService, @unchecked Sendable {
  private let arrivals = Locked(0)
  private let both = DispatchSemaphore(value: 0)

  override var characteristics: [CBCharacteristic]? {
    get {
      let number = arrivals.withLock { arrivals in
        arrivals += 1
        return arrivals
      }
      if number == 1 { both.wait() }
      if number == 2 { both.signal() }
      return super.characteristics
    }
    set { super.characteristics = newValue }
  }
}
