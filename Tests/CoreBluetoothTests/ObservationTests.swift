import LatchkeyBluetoothTransports
import Testing

@testable import CoreBluetooth

/// Key-value observing and coding of managers and peripherals.
@Suite(.timeLimit(.minutes(5)))
struct ObservationTests {
  /// A manager of an app's own class.
  private final class OwnManager: CBCentralManager {}

  private struct Change<Value: Sendable>: Sendable {
    var new: Value?
    var old: Value?
    var isPrior = false

    init(_ change: NSKeyValueObservedChange<Value>) {
      (new, old, isPrior) = (change.newValue, change.oldValue, change.isPrior)
    }
  }

  private func next<Value>(_ log: EventLog<Change<Value>>) async throws -> Change<Value> {
    try await log.first { $0 }
  }

  @Test("A manager's state is reported on its queue, first the initial one") func stateIsReported() async throws {
    let lab = Lab()
    let log = EventLog<Change<CBManagerState>>()
    let isOnQueue = Locked<[Bool]>([])
    // The state changes only once it is observed.
    lab.central.queue.suspendWhenIdle()
    let manager = CBCentralManager(delegate: nil, queue: lab.central.queue, options: lab.options)
    let observation = manager.observe(\.state, options: [.initial, .new, .old]) { object, change in
      #expect(object === manager)
      isOnQueue.withLock { $0.append(DispatchQueue.getSpecific(key: CentralSide.queueKey) == true) }
      log.add(Change(change))
    }
    lab.central.queue.resume()
    let first = try await next(log)
    #expect(first.new == .unknown)
    #expect(first.old == nil)
    let second = try await next(log)
    #expect(second.new == .poweredOn)
    #expect(second.old == .unknown)
    #expect(isOnQueue.withLock { $0 } == [false, true])
    observation.invalidate()
  }

  @Test("Key paths of a class, its superclass and its subclass see the same change") func keyPathsOfSubclasses()
    async throws
  {
    let lab = Lab()
    let log = EventLog<String>()
    // The state changes only once it is observed.
    lab.central.queue.suspendWhenIdle()
    let manager = OwnManager(delegate: nil, queue: lab.central.queue, options: lab.options)
    let observations = [
      manager.observe(\.state) { _, _ in log.add("own") },
      (manager as CBCentralManager).observe(\.state) { _, _ in log.add("central") },
      (manager as CBManager).observe(\CBManager.state) { _, _ in log.add("base") },
    ]
    lab.central.queue.resume()
    for name in ["own", "central", "base"] { #expect(try await log.first { $0 } == name) }
    for observation in observations { observation.invalidate() }
  }

  @Test("Without options a change carries no values, and an equal value is no change") func plainChanges() async throws
  {
    let lab = Lab()
    try await lab.central.isPoweredOn()
    let log = EventLog<Change<Bool>>()
    let observation = lab.central.manager.observe(\.isScanning) { _, change in log.add(Change(change)) }
    lab.central.manager.stopScan()
    #expect(log.pending.isEmpty)
    lab.central.manager.scanForPeripherals(withServices: nil)
    lab.central.manager.scanForPeripherals(withServices: nil)
    #expect(log.pending.count == 1)
    lab.central.manager.stopScan()
    #expect(log.pending.count == 2)
    #expect(log.pending.allSatisfy { $0.new == nil && $0.old == nil && !$0.isPrior })
    observation.invalidate()
  }

  @Test("A prior change carries the old value alone") func priorChanges() async throws {
    let lab = Lab()
    try await lab.central.isPoweredOn()
    let log = EventLog<Change<Bool>>()
    let observation = lab.central.manager.observe(\.isScanning, options: [.prior, .old, .new]) { _, change in
      log.add(Change(change))
    }
    lab.central.manager.scanForPeripherals(withServices: nil)
    #expect(log.pending.map(\.isPrior) == [true, false])
    #expect(log.pending.map(\.old) == [false, false])
    #expect(log.pending.map(\.new) == [nil, true])
    observation.invalidate()
  }

  @Test("A handler may change what it observes") func handlerChangesTheValue() async throws {
    let lab = Lab()
    try await lab.central.isPoweredOn()
    let log = EventLog<Bool?>()
    let observation = lab.central.manager.observe(\.isScanning, options: .new) { manager, change in
      log.add(change.newValue)
      if manager.isScanning { manager.stopScan() }
    }
    lab.central.manager.scanForPeripherals(withServices: nil)
    #expect(log.pending == [true, false])
    observation.invalidate()
  }

  @Test("An observation ends when it is invalidated, and when it is released") func observationsEnd() async throws {
    let lab = Lab()
    try await lab.central.isPoweredOn()
    let log = EventLog<Bool>()
    let invalidated = lab.central.manager.observe(\.isScanning) { _, _ in log.add(true) }
    var released: NSKeyValueObservation? = lab.central.manager.observe(\.isScanning) { _, _ in log.add(true) }
    #expect(released != nil)
    invalidated.invalidate()
    invalidated.invalidate()
    released = nil
    _ = lab.central.manager.observe(\.isScanning) { _, _ in log.add(true) }
    lab.central.manager.scanForPeripherals(withServices: nil)
    #expect(log.pending.isEmpty)
  }

  @Test("An observation does not retain the object") func objectIsNotRetained() async throws {
    let lab = Lab()
    weak var observed: CBCentralManager?
    var observation: NSKeyValueObservation?
    do {
      let manager = CBCentralManager(delegate: nil, queue: lab.central.queue, options: lab.options)
      observed = manager
      observation = manager.observe(\.state) { _, _ in }
    }
    lab.central.queue.sync {}
    #expect(observed == nil)
    observation?.invalidate()
  }

  @Test("Values that cannot be compared, and those that never change, are not reported") func otherKeyPaths()
    async throws
  {
    let lab = Lab()
    try await lab.central.isPoweredOn()
    let log = EventLog<String>()
    let observations = [
      lab.central.manager.observe(\.delegate) { _, _ in log.add("delegate") },
      lab.central.manager.observe(\.hash) { _, _ in log.add("hash") },
    ]
    lab.central.manager.delegate = nil
    lab.central.manager.scanForPeripherals(withServices: nil)
    #expect(log.pending.isEmpty)
    for observation in observations { observation.invalidate() }
  }

  @Test("A peripheral's state, services and name are reported") func peripheralIsReported() async throws {
    let lab = Lab()
    try await lab.publish([Lab.characteristic("FFF1", [.read])])
    try await lab.central.isPoweredOn()
    let lamp = try await lab.central.find("Lamp")
    let states = EventLog<CBPeripheralState?>()
    let services = EventLog<Int?>()
    let names = EventLog<String?>()
    let observations = [
      lamp.observe(\.state, options: .new) { _, change in states.add(change.newValue) },
      lamp.observe(\.services, options: .new) { _, change in services.add(change.newValue??.count) },
      lamp.observe(\.name, options: .old) { _, change in names.add(change.oldValue ?? nil) },
    ]
    try await lab.central.connect(lamp)
    try await lab.central.discoverServices([CBUUID(string: Lab.service)], of: lamp)
    lab.central.manager.cancelPeripheralConnection(lamp)
    #expect(try await lab.central.disconnection() == nil)
    // On this radio a connection may be up, or have ended, before the call that requested it reports a change.
    let settled = states.pending.filter { $0 == .connected || $0 == .disconnected }
    #expect(settled == [.connected, .disconnected])
    #expect(services.pending == [1])
    #expect(names.pending.isEmpty, "the GAP name is the advertised one")
    _ = lamp.setName("Lantern")
    #expect(names.pending == ["Lamp"])
    for observation in observations { observation.invalidate() }
  }

  @Test("Advertising is reported when it begins and ends") func advertisingIsReported() async throws {
    let lab = Lab()
    let log = EventLog<Bool?>()
    try await lab.peripheral.isPoweredOn()
    let observation = lab.peripheral.manager.observe(\.isAdvertising, options: .new) { _, change in
      log.add(change.newValue)
    }
    try await lab.peripheral.advertise("Lamp")
    lab.peripheral.manager.stopAdvertising()
    #expect(log.pending == [true, false])
    observation.invalidate()
  }

  @Test("Threads that observe, change and end observations do not race") func threadsDoNotRace() async throws {
    let lab = Lab()
    try await lab.central.isPoweredOn()
    let manager = Unchecked(lab.central.manager)
    let running = Locked(0)
    let last = Locked<Bool?>(nil)
    let overlaps = Locked(0)
    let observation = lab.central.manager.observe(\.isScanning, options: .new) { _, change in
      running.withLock { $0 += 1 }
      if running.withLock({ $0 }) > 1 { overlaps.withLock { $0 += 1 } }
      last.withLock { $0 = change.newValue }
      running.withLock { $0 -= 1 }
    }
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<2 {
        group.addTask {
          for _ in 0..<200 {
            manager.value?.scanForPeripherals(withServices: nil)
            manager.value?.stopScan()
          }
        }
      }
      group.addTask {
        for _ in 0..<200 {
          let other = manager.value?.observe(\.isScanning, options: [.initial, .prior]) { _, _ in }
          other?.invalidate()
        }
      }
    }
    lab.central.manager.scanForPeripherals(withServices: nil)
    #expect(last.withLock { $0 } == true)
    lab.central.manager.stopScan()
    #expect(last.withLock { $0 } == false)
    #expect(overlaps.withLock { $0 } == 0)
    observation.invalidate()
  }

  @Test("Values are read by their keys, and other keys have none") func valuesByKey() async throws {
    let lab = Lab()
    let lamp = try await lab.connect([Lab.characteristic("FFF1", [.read])])
    #expect(lab.central.manager.value(forKey: "state") as? Int == 5)
    #expect(lab.central.manager.value(forKey: "isScanning") as? Bool == false)
    #expect(lab.peripheral.manager.value(forKey: "isAdvertising") as? Bool == lab.peripheral.manager.isAdvertising)
    #expect(lamp.value(forKey: "identifier") as? UUID == lamp.identifier)
    #expect(lamp.value(forKey: "name") as? String == "Lamp")
    #expect(lamp.value(forKey: "state") as? Int == CBPeripheralState.connected.rawValue)
    #expect(lamp.value(forKey: "services") == nil)
    #expect(lamp.value(forKey: "canSendWriteWithoutResponse") as? Bool == true)
    #expect(lamp.value(forKey: "isScanning") == nil)
    #expect(lab.central.manager.value(forKey: "isAdvertising") == nil)
    #expect(lab.peripheral.manager.value(forKey: "") == nil)
  }
}
