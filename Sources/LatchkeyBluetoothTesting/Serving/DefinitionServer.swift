package import CoreBluetooth
package import Dispatch
package import Foundation
import LatchkeyBluetoothTransports

/// Serves a definition with a peripheral manager, on any controller.
///
/// Unchecked: all of its state belongs to `queue`, which is also the manager's queue; calls from outside hop to it.
package final class DefinitionServer: NSObject, @unchecked Sendable {
  /// What happens to the device, for those who watch it.
  package enum Event: Sendable {
    /// It advertises, or does so again.
    case advertising
    /// A value was read from its beginning.
    case read(CBUUID, by: UUID)
    /// A value was written.
    case written(CBUUID, Data, by: UUID)
    /// A central subscribed.
    case subscribed(CBUUID, by: UUID)
    /// A central's subscription ended.
    case unsubscribed(CBUUID, by: UUID)
    /// A request was refused, as in the recording of the device.
    case refusedRequest(CBUUID, CBATTError.Code, by: UUID)
    /// A request differed from that of a recording.
    case differed(CassetteDifference)
    /// The controller is gone or cannot be used: how, and why, if that is known.
    case lost(String, cause: String?)
    /// The manager refused what the definition asks for.
    case refused(String)
  }

  package let definition: DeviceDefinition
  let queue: DispatchQueue
  private let options: [String: Any]
  private let report: @Sendable (Event) -> Void
  private(set) var manager: CBPeripheralManager?
  var characteristics: [ServedCharacteristic] = []
  private var services: [CBMutableService] = []
  /// How many services the manager has not added yet.
  private var servicesToAdd = 0
  /// Whether it is to advertise.
  private(set) var advertises = true
  /// Who answers in place of the behaviors; nil for the behaviors.
  var answerer: (any RequestAnswerer)?
  /// The timer of the answerer's next value.
  var answerTimer: (any ScheduledTimer)?
  var answerTimerNumber = 0
  /// What is advertised in turns; empty for the definition's advertisement.
  let turns: [AdvertisingTurn]
  var turnIndex = 0
  var turnTimer: (any ScheduledTimer)?
  var turnNumber = 0
  /// Whether it was reported that it advertises: further turns are not.
  private var isAnnounced = false
  var faults = RequestFaults()
  var updates = PendingUpdates()
  /// The writes that arrived, oldest first.
  var writes = WriteLog()
  /// Loses the link to all centrals, on a radio of tests.
  var loseLinks: (@Sendable () -> Void)?
  /// Timers of delays and waits.
  private var timers: [UInt64: any ScheduledTimer] = [:]
  private var lastTimer: UInt64 = 0

  /// The most delays and waits at once: a central that writes faster than a program waits must not fill the memory.
  private static let timerCapacity = 1024

  /// A server that does nothing until `start()`.
  ///
  /// - Parameters:
  ///   - definition: valid, as `DeviceDefinition.validate()` has it.
  ///   - options: those of the peripheral manager.
  ///   - answerer: answers in place of the behaviors.
  ///   - turns: what is advertised in place of the definition's advertisement.
  ///   - report: called on `queue`.
  package init(
    _ definition: DeviceDefinition, queue: DispatchQueue, options: [String: Any],
    answerer: (any RequestAnswerer)? = nil, turns: [AdvertisingTurn] = [],
    report: @escaping @Sendable (Event) -> Void = { _ in }
  ) {
    self.definition = definition
    self.queue = queue
    self.options = options
    self.answerer = answerer
    self.turns = turns
    self.report = report
    super.init()
    for service in definition.services {
      let object = CBMutableService(type: service.uuid, primary: service.isPrimary)
      let served = service.characteristics.map { ServedCharacteristic($0, in: service.uuid) }
      object.characteristics = served.map(\.object)
      characteristics += served
      services.append(object)
    }
  }

  /// Makes the manager. Called once.
  package func start() {
    queue.sync {
      var options = self.options
      // Without an agent the manager refuses apps that pair of their own accord.
      options[CBManagerOptionPairingAgentKey] = PairingUser(definition.pairing)
      manager = CBPeripheralManager(delegate: self, queue: queue, options: options)
    }
  }

  /// Ends the device: its services, its advertising and its timers.
  package func end() {
    queue.sync {
      manager?.delegate = nil
      manager = nil
      timers = [:]
      (answerTimer, turnTimer) = (nil, nil)
      for index in characteristics.indices { characteristics[index].timer = nil }
    }
  }

  /// Reads or changes the state, in turn with the manager's callbacks. Must not be called from one.
  func sync<Result>(_ body: (DefinitionServer) throws -> Result) rethrows -> Result {
    try queue.sync { try body(self) }
  }

  /// Calls `body` on the queue after a time on the controller's clock.
  func after(_ delay: Duration, _ body: @escaping @Sendable (DefinitionServer) -> Void) {
    guard timers.count < Self.timerCapacity else { return }
    lastTimer += 1
    let number = lastTimer
    timers[number] = makeTimer(delay) { server in
      guard server.timers.removeValue(forKey: number) != nil else { return }
      body(server)
    }
  }

  /// A timer that calls `body` on the queue. The caller retains it.
  func makeTimer(_ delay: Duration, _ body: @escaping @Sendable (DefinitionServer) -> Void) -> (any ScheduledTimer)? {
    let activity = manager?.activity
    return manager?.makeTimer(after: delay) { [weak self] in
      guard let self else { return }
      activity?.begin()
      queue.async {
        body(self)
        activity?.end()
      }
    }
  }

  /// Starts or stops advertising; without a call the device advertises.
  func setAdvertising(_ advertises: Bool) {
    self.advertises = advertises
    guard let manager, manager.state == .poweredOn, servicesToAdd == 0 else { return }
    if !advertises { return manager.stopAdvertising() }
    if !manager.isAdvertising { advertise(manager) }
  }

  var isAdvertising: Bool { manager?.isAdvertising ?? false }

  func emit(_ event: Event) { report(event) }

  private func publish(_ manager: CBPeripheralManager) {
    servicesToAdd = services.count
    for service in services { manager.add(service) }
    if services.isEmpty, advertises { advertise(manager) }
  }

  /// Whether the services have been published since the controller was reset last.
  private var isPublished = false
}

extension DefinitionServer: CBSubscriptionDelegate {
  package func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    switch peripheral.state {
    case .poweredOn:
      // Switched off and on, the manager has its services still, and advertises again.
      guard !isPublished else { return }
      isPublished = true
      publish(peripheral)
    case .resetting:
      (isPublished, isAnnounced) = (false, false)
      stopTimers()
    case .unknown: break
    default:
      stopTimers()
      let state = peripheral.state == .poweredOff ? "powered off" : "not usable"
      report(.lost(state, cause: peripheral.reasonOfLoss))
    }
  }

  /// No central is subscribed any more.
  private func stopTimers() {
    updates.removeAll()
    for index in characteristics.indices { characteristics[index].timer = nil }
  }

  package func peripheralManager(
    _ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?
  ) {
    if let error {
      let uuid = service.uuid.uuidString
      return report(.refused("the service \(uuid) was refused: \(error.localizedDescription)"))
    }
    servicesToAdd -= 1
    if servicesToAdd == 0, advertises { advertise(peripheral) }
  }

  package func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
    if let error { return report(.refused("it does not advertise: \(error.localizedDescription)")) }
    if turns.count < 2 || !isAnnounced { report(.advertising) }
    isAnnounced = true
  }
}

/// The user of a device that pairs.
private final class PairingUser: CBFixedPasskeyAgent {
  private let pairing: DeviceDefinition.Pairing

  init(_ pairing: DeviceDefinition.Pairing) { self.pairing = pairing }

  var ability: CBPairingAbility {
    switch pairing {
    case .automatic, .refuse: .confirm
    case .displays: .display
    case .enters, .wrongPasskey: .keyboard
    }
  }

  var fixedPasskey: UInt32? {
    guard case .displays(let passkey) = pairing else { return nil }
    return UInt32(passkey)
  }

  func manager(_ manager: CBManager, isAskedToPair request: CBPairingRequest) {
    switch (pairing, request.question) {
    case (.refuse, _): request.reject()
    // One app in a million shows these.
    case (.wrongPasskey, .enter): request.enter("000000")
    case (.enters(let passkey), .enter): request.enter(passkey)
    // The app's side has them from the test, as a user has them from the device's display.
    case (.displays, .show): break
    default: request.accept()
    }
  }
}
