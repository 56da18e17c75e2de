import CoreBluetooth
import Dispatch
import Foundation
import LatchkeyBluetoothEmulator
import LatchkeyBluetoothTransports
import Testing

/// The first update of the state comes when the app has its manager.
@Suite(.timeLimit(.minutes(5)))
struct ManagerStartTests {
  /// The state that an app's object has when its delegate is called first.
  private struct First: Equatable {
    var stateAfterInit: CBManagerState
    var hadManager: Bool
    var state: CBManagerState?
  }

  /// An app's object that makes its manager in its own initializer and uses it in the first update.
  private final class Owner: NSObject, CBCentralManagerDelegate, CBPeripheralManagerDelegate, @unchecked Sendable {
    private let lock = NSLock()
    private var manager: CBManager?
    private var stateAfterInit = CBManagerState.unknown
    private let report: (First) -> Void

    init(_ role: ControllerRole, _ options: [String: Any], report: @escaping (First) -> Void) {
      self.report = report
      super.init()
      let queue = DispatchQueue(label: "own")
      let manager: CBManager =
        switch role {
        case .central: CBCentralManager(delegate: self, queue: queue, options: options)
        case .peripheral: CBPeripheralManager(delegate: self, queue: queue, options: options)
        }
      let state = manager.state
      lock.withLock {
        self.manager = manager
        stateAfterInit = state
      }
    }

    private func updated() {
      report(
        lock.withLock {
          First(stateAfterInit: stateAfterInit, hadManager: manager != nil, state: manager?.state)
        })
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) { updated() }
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) { updated() }
  }

  @Test(
    "A thousand managers on one controller are assigned before their delegates are called",
    arguments: [ControllerRole.central, .peripheral])
  func aThousandManagersOnOneControllerAreThereWhenTheirDelegatesAreCalled(_ role: ControllerRole) async throws {
    let lab = Lab()
    // The controller is on when the others come: that is when an update could be early.
    try await lab.central.isPoweredOn()
    try await lab.peripheral.isPoweredOn()
    let log = EventLog<First>()
    var owners: [Owner] = []
    for _ in 0..<1000 { owners.append(Owner(role, lab.options) { log.add($0) }) }
    for _ in owners {
      let first = try await log.first { $0 }
      #expect(first == First(stateAfterInit: .unknown, hadManager: true, state: .poweredOn))
    }
  }

  @Test("A delegate that is set right after the initializer misses nothing")
  func aDelegateThatIsSetRightAfterInitMissesNothing() async throws {
    let lab = Lab()
    try await lab.central.isPoweredOn()
    var managers: [CBCentralManager] = []
    for _ in 0..<50 {
      let manager = CBCentralManager(delegate: nil, queue: DispatchQueue(label: "own"), options: lab.options)
      manager.delegate = lab.central
      managers.append(manager)
    }
    for _ in managers { try await lab.central.isPoweredOn() }
  }

  /// A delegate that records the states that it is told.
  private final class Late: NSObject, CBCentralManagerDelegate, CBPeripheralManagerDelegate, Sendable {
    let states = EventLog<CBManagerState>()

    func centralManagerDidUpdateState(_ central: CBCentralManager) { states.add(central.state) }
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) { states.add(peripheral.state) }
  }

  /// An app that sets its delegate, and reads the state of before, would wait for the change in vain.
  @Test(
    "A delegate that is set while the state changes hears of the change",
    arguments: [ControllerRole.central, .peripheral])
  func aDelegateThatIsSetWhileTheStateChangesHearsOfIt(_ role: ControllerRole) async throws {
    let lab = Lab()
    let (queue, late, changes) = (DispatchQueue(label: "own"), Late(), EventLog<CBManagerState>())
    // The state changes only once it is observed.
    queue.suspend()
    let manager: CBManager
    let observation: NSKeyValueObservation
    switch role {
    case .central:
      let central = CBCentralManager(delegate: nil, queue: queue, options: lab.options)
      observation = central.observe(\.state) { central, _ in
        central.delegate = late
        changes.add(central.state)
      }
      manager = central
    case .peripheral:
      let peripheral = CBPeripheralManager(delegate: nil, queue: queue, options: lab.options)
      observation = peripheral.observe(\.state) { peripheral, _ in
        peripheral.delegate = late
        changes.add(peripheral.state)
      }
      manager = peripheral
    }
    queue.resume()
    let state = try await changes.first { $0 }
    #expect(state == .poweredOn)
    // Behind the block that reports the change.
    queue.sync {}
    #expect(late.states.pending == [.poweredOn])
    observation.invalidate()
    withExtendedLifetime(manager) {}
  }

  @Test("The first update has a deadline on the radio's clock", arguments: [ControllerRole.central, .peripheral])
  func theFirstUpdateHasADeadlineOnTheRadiosClock(_ role: ControllerRole) async throws {
    let clock = VirtualClock()
    let name = UUID().uuidString
    VirtualRadio(scheduler: clock).use(as: name)
    defer { RadioRegistry.shared.remove(.virtual(name: name)) }
    let log = EventLog<First>()
    let owner = Owner(role, [CBManagerOptionControllerKey: "virtual:\(name)"]) { log.add($0) }
    // Virtual milliseconds: however long the machine takes, nothing comes before them.
    clock.advance(by: .milliseconds(2))
    #expect(log.pending.isEmpty)
    clock.advance(by: .milliseconds(100))
    let first = try await log.first { $0 }
    #expect(first == First(stateAfterInit: .unknown, hadManager: true, state: .poweredOn))
    _ = owner
  }

  @Test("A manager that is released before its first update makes no callback")
  func aManagerThatGoesBeforeItsFirstUpdateHearsNothing() async throws {
    let clock = VirtualClock()
    let name = UUID().uuidString
    VirtualRadio(scheduler: clock).use(as: name)
    defer { RadioRegistry.shared.remove(.virtual(name: name)) }
    let side = CentralSide([CBManagerOptionControllerKey: "virtual:\(name)"])
    weak let manager = side.manager
    side.dropManager()
    #expect(manager == nil)
    clock.advance(by: .seconds(1))
    side.queue.sync {}
    #expect(side.log.pending.isEmpty)
  }
}
