import CoreBluetooth
import Foundation

/// Finds the strap, connects to it, and stays with it. Everything happens on one queue.
final class StrapCentral: NSObject {
  enum Event {
    case status(StrapStatus)
    case measurement(HeartRateMeasurement)
    case battery(Int)
    case energyReset(isDone: Bool)
  }

  static let heartRate = CBUUID(string: "180D")
  static let battery = CBUUID(string: "180F")
  static let measurement = CBUUID(string: "2A37")
  static let controlPoint = CBUUID(string: "2A39")
  static let batteryLevel = CBUUID(string: "2A19")
  /// The weakest signal of a strap on the user's own body, in dBm. 127 stands for an unknown one.
  static let signals = -80...20
  static let searchTime: TimeInterval = 60
  static let connectTime: TimeInterval = 10
  static let prepareTime: TimeInterval = 15
  /// A strap that says nothing for so long is gone, whatever the connection says.
  static let silenceTime: TimeInterval = 20

  private let queue: DispatchQueue
  private let clock: AppClock
  private let memory: StrapMemory
  private let report: (Event) -> Void
  private var manager: CBCentralManager?
  var strap: CBPeripheral?
  var control: CBCharacteristic?
  private var attempts = Backoff([1, 2, 4, 8])
  var subscriptions = Backoff([1, 2, 4])
  /// The number of the timer that counts; all older ones do nothing.
  private var timer = 0
  private(set) var status = StrapStatus.stopped

  init(queue: DispatchQueue, clock: AppClock, memory: StrapMemory, report: @escaping (Event) -> Void) {
    self.queue = queue
    self.clock = clock
    self.memory = memory
    self.report = report
  }

  func start() {
    guard manager == nil else { return }
    set(.searching)
    manager = CBCentralManager(delegate: self, queue: queue)
  }

  func stop() {
    leave(.stopped)
    manager = nil
  }

  /// Begins anew after a failure.
  func retry() {
    guard case .failed = status, manager?.state == .poweredOn else { return }
    begin()
  }

  func resetEnergy() {
    guard let strap, let control, status == .measuring else { return send(.energyReset(isDone: false)) }
    strap.writeValue(Data([0x01]), for: control, type: .withResponse)
  }

  // MARK: Steps

  func set(_ new: StrapStatus) {
    guard new != status else { return }
    status = new
    report(.status(new))
  }

  func send(_ event: Event) { report(event) }

  /// Calls a closure later, unless another timer is set or canceled meanwhile.
  func setTimer(_ seconds: TimeInterval, _ body: @escaping (StrapCentral) -> Void) {
    timer += 1
    let number = timer
    let call = UncheckedCall { [weak self] in
      guard let self, timer == number else { return }
      body(self)
    }
    clock.after(seconds) { [queue] in queue.async { call.body() } }
  }

  private func cancelTimer() { timer += 1 }

  private func begin() {
    attempts.reset()
    subscriptions.reset()
    if strap == nil, let known = memory.load() {
      strap = manager?.retrievePeripherals(withIdentifiers: [known]).first
      strap?.delegate = self
    }
    if strap == nil { search() } else { connect() }
  }

  private func search() {
    set(.searching)
    // With duplicates: a strap that was too far away may come nearer.
    manager?.scanForPeripherals(
      withServices: [Self.heartRate], options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
    setTimer(Self.searchTime) { $0.fail(.notFound) }
  }

  private func connect() {
    guard let manager, let strap else { return }
    set(.connecting)
    manager.connect(strap)
    setTimer(Self.connectTime) { $0.attemptFailed() }
  }

  /// Tries again later, or gives up.
  func attemptFailed() {
    control = nil
    if let strap { manager?.cancelPeripheralConnection(strap) }
    guard let pause = attempts.next() else { return fail(.notReached) }
    set(.waiting(pause))
    setTimer(pause) { $0.connect() }
  }

  /// The strap measures: it is the user's.
  func succeeded() {
    attempts.reset()
    if let strap, memory.load() != strap.identifier { memory.save(strap.identifier) }
    setTimer(Self.silenceTime) { $0.attemptFailed() }
  }

  func fail(_ problem: StrapProblem) { leave(.failed(problem)) }

  private func leave(_ status: StrapStatus) {
    cancelTimer()
    if manager?.state == .poweredOn { manager?.stopScan() }
    if let strap { manager?.cancelPeripheralConnection(strap) }
    (strap, control) = (nil, nil)
    set(status)
  }
}

/// A closure of the app's queue on its way through the clock.
private struct UncheckedCall: @unchecked Sendable {
  let body: () -> Void
}

extension StrapCentral: CBCentralManagerDelegate {
  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    switch central.state {
    case .poweredOn: begin()
    case .poweredOff:
      // The connection is gone with all that was discovered; the strap is still the user's.
      cancelTimer()
      control = nil
      set(.bluetoothOff)
    case .unauthorized: fail(.bluetoothNotAllowed)
    case .unsupported: fail(.bluetoothMissing)
    default: break
    }
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    guard status == .searching, Self.signals.contains(RSSI.intValue) else { return }
    central.stopScan()
    strap = peripheral
    peripheral.delegate = self
    connect()
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    guard peripheral == strap, status == .connecting else { return }
    set(.preparing)
    setTimer(Self.prepareTime) { $0.attemptFailed() }
    peripheral.discoverServices([Self.heartRate, Self.battery])
  }

  func centralManager(
    _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
  ) {
    if peripheral == strap, status == .connecting { attemptFailed() }
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) {
    guard peripheral == strap else { return }
    switch status {
    case .connecting, .preparing, .measuring: attemptFailed()
    case .stopped, .bluetoothOff, .searching, .waiting, .failed: break
    }
  }
}
