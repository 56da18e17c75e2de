import CoreBluetooth
import Dispatch
import Foundation
import LatchkeyBluetoothTesting
import Testing

/// Apps of all styles: on the main actor, with tasks, with actors, with operation queues.
@Suite(.timeLimit(.minutes(5)))
struct AppStyleTests {
  @Test("An app on the main actor is tested from the main actor without waiting")
  @MainActor func mainActor() throws {
    let radio = TestRadio()
    try radio.add(.battery(level: 9))
    let app = MainActorApp()
    radio.use { app.start() }
    radio.advance(by: .seconds(1))
    #expect(app.level == 9, "\(radio)")
  }

  @Test("Tasks of an app on the main actor are done when an asynchronous test waits for them")
  @MainActor func mainActorTasks() async throws {
    let radio = TestRadio()
    try radio.add(.battery(level: 9))
    let app = MainActorApp()
    radio.use { app.start() }
    await radio.advanced(by: .seconds(1))
    await radio.settled { app.history == [9] }
    #expect(app.history == [9], "\(radio)")
  }

  @Test("An app with continuations is done at rest, if its task runs on the radio's executor")
  func continuations() async throws {
    let radio = TestRadio()
    try radio.add(.battery(level: 5))
    let app = AsyncApp()
    radio.use { app.start() }
    let reading = Task(executorPreference: radio.taskExecutor) { await app.readLevel() }
    radio.advance(by: .seconds(1))
    #expect(app.last == 5, "\(radio)")
    #expect(await reading.value == 5)
  }

  @Test("An app with tasks that the radio does not see is waited for by a condition, and no time passes")
  func unseenTasks() async throws {
    let radio = TestRadio()
    try radio.add(.battery(level: 5))
    let app = AsyncApp()
    radio.use { app.start() }
    radio.advance(by: .seconds(1))
    let now = radio.now
    let reading = Task { await app.readLevel() }
    #expect(await radio.settled { app.last == 5 }, "\(radio)")
    #expect(radio.now == now)
    #expect(await reading.value == 5)
  }

  @Test("A condition that does not become true ends the wait, and says so")
  func vainCondition() async throws {
    let radio = TestRadio()
    #expect(await !radio.settled(within: .milliseconds(20)) { false })
    #expect(radio.now == .zero)
  }

  @Test("An app whose delegate tells an actor is waited for by a condition of the actor")
  func actors() async throws {
    let radio = TestRadio()
    try radio.add(.battery(level: 7))
    let model = LevelModel()
    let app = AsyncApp { level in Task { await model.set(level) } }
    radio.use { app.start() }
    radio.advance(by: .seconds(1))
    let reading = Task { await app.readLevel() }
    #expect(await radio.settled { await model.level == 7 }, "\(radio)")
    _ = await reading.value
  }

  @Test("An operation queue on a queue that the test watches is waited for")
  func operations() throws {
    let started = try Started(.battery(level: 3))
    let app = started.app
    let operations = OperationQueue()
    let queue = DispatchQueue(label: "operations")
    operations.underlyingQueue = queue
    started.radio.watch(queue)
    app.onValue = { app, _ in
      app.onValue = nil
      operations.addOperation { app.read("2A19") }
    }
    app.read("2A19")
    started.radio.settle()
    #expect(app.values(of: "2A19").count == 2)
  }
}

/// An app whose whole state is on the main actor.
@MainActor
private final class MainActorApp: NSObject, @preconcurrency CBCentralManagerDelegate,
  @preconcurrency CBPeripheralDelegate
{
  private(set) var level: UInt8?
  /// What a task added.
  private(set) var history: [UInt8] = []
  private var manager: CBCentralManager?
  private var device: CBPeripheral?

  func start() { manager = CBCentralManager(delegate: self, queue: nil) }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    if central.state == .poweredOn { central.scanForPeripherals(withServices: nil) }
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    guard device == nil else { return }
    device = peripheral
    peripheral.delegate = self
    central.stopScan()
    central.connect(peripheral)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    peripheral.discoverServices([CBUUID(string: "180F")])
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
  }

  func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
    for characteristic in service.characteristics ?? [] { peripheral.readValue(for: characteristic) }
  }

  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?) {
    level = characteristic.value?.first
    Task { if let level { history.append(level) } }
  }
}

/// An app that makes asynchronous functions of Core Bluetooth.
private final class AsyncApp: @unchecked Sendable {
  private let app = App()
  private let lock = NSLock()
  private var waiting: [CheckedContinuation<UInt8?, Never>] = []
  private var level: UInt8?
  private let tell: @Sendable (UInt8) -> Void

  init(_ tell: @escaping @Sendable (UInt8) -> Void = { _ in }) { self.tell = tell }

  var last: UInt8? { lock.withLock { level } }

  func start() {
    app.onValue = { [self] _, characteristic in
      let value = characteristic.value?.first
      let continuations = lock.withLock {
        defer { waiting = [] }
        return waiting
      }
      for continuation in continuations { continuation.resume(returning: value) }
      if let value { tell(value) }
    }
    app.start(service: "180F")
  }

  /// Reads as soon as the device is there, by a task that asks again in the app's own time.
  func readLevel() async -> UInt8? {
    let value = await withCheckedContinuation { continuation in
      lock.withLock { waiting.append(continuation) }
      app.whenReady { $0.read("2A19") }
    }
    lock.withLock { level = value }
    return value
  }
}

private actor LevelModel {
  private(set) var level: UInt8?
  func set(_ new: UInt8) { level = new }
}
