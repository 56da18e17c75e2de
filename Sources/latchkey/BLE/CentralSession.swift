import CoreBluetooth
import Foundation
import LatchkeyCommandLine

/// A central manager for a command that does one thing after another: each call waits for the callback that answers it.
///
/// Unchecked: all of its state belongs to `queue`, which is also the manager's queue; calls hop to it.
final class CentralSession: NSObject, @unchecked Sendable {
  /// What happens unasked.
  enum Event: Sendable {
    case discovered(Advertisement)
    case updated(service: String, characteristic: String, [UInt8])
    case disconnected(String?)
    /// The user is asked about a pairing.
    case pairing(CBPairingRequest)
    /// A pairing succeeded; whether it is stored.
    case paired(UUID, isStored: Bool)
    case notPaired(UUID, String)
  }

  /// What happens unasked, in order; it ends with `end()`.
  let events: AsyncStream<Event>

  let queue = DispatchQueue(label: "latchkey.ble")
  private let continuation: AsyncStream<Event>.Continuation
  private let options: [String: any Sendable]
  /// Whether the user is asked when devices pair.
  private let asksToPair: Bool
  private var manager: CBCentralManager?
  private var found: [UUID: CBPeripheral] = [:]
  private var radioFailure: CommandFailure?
  /// The peripheral that is connected, or about to be.
  private(set) var peripheral: CBPeripheral?
  /// The one call that waits.
  private var waiting: (key: Expectation, continuation: CheckedContinuation<[UInt8], any Error>)?

  /// What a call waits for.
  enum Expectation: Equatable {
    case radio
    case connection
    case disconnection
    case services
    case characteristics(ObjectIdentifier)
    case descriptors(ObjectIdentifier)
    case value(ObjectIdentifier)
    case writing(ObjectIdentifier)
    case notification(ObjectIdentifier)
    case readiness
  }

  init(options: [String: any Sendable], asksToPair: Bool = false) {
    self.options = options
    self.asksToPair = asksToPair
    (events, continuation) = AsyncStream<Event>.makeStream()
  }

  /// Waits until the radio is on.
  func start() async throws {
    try await wait(for: .radio) { [self] in
      var options = options
      if asksToPair { options[CBManagerOptionPairingAgentKey] = self }
      manager = CBCentralManager(delegate: self, queue: queue, options: options)
    }
  }

  func scan(services: [CBUUID]) {
    queue.async { [self] in
      let options: [String: Any] = [CBCentralManagerScanOptionAllowDuplicatesKey: false]
      manager?.scanForPeripherals(withServices: services.isEmpty ? nil : services, options: options)
    }
  }

  func stopScan() {
    queue.async { [self] in manager?.stopScan() }
  }

  /// Ends scan, link and events.
  func end() {
    queue.async { [self] in
      manager?.stopScan()
      if let peripheral { manager?.cancelPeripheralConnection(peripheral) }
      manager?.delegate = nil
      manager = nil
      continuation.finish()
      fail(CancellationError())
    }
  }

  /// - Throws: if the radio was lost.
  func check() throws {
    if let radioFailure = queue.sync(execute: { radioFailure }) { throw radioFailure }
  }

  /// Connects to a device that was found.
  func connect(_ identifier: UUID) async throws {
    try await wait(for: .connection) { [self] in
      guard let peripheral = found[identifier] else { return fail(Failure("it was not found")) }
      self.peripheral = peripheral
      peripheral.delegate = self
      manager?.connect(peripheral, options: nil)
    }
  }

  /// Gives a connection up that has not come about.
  func abandonConnection() {
    queue.async { [self] in
      if let peripheral { manager?.cancelPeripheralConnection(peripheral) }
      peripheral = nil
    }
  }

  /// Ends a connection.
  func disconnect() async throws {
    try await wait(for: .disconnection) { [self] in
      guard let peripheral else { return fail(Failure("there is no connection")) }
      manager?.cancelPeripheralConnection(peripheral)
    }
  }

  /// Runs `body` on the queue and waits for what it expects. Canceling the task ends the wait.
  @discardableResult
  func wait(for key: Expectation, _ body: @escaping @Sendable () -> Void) async throws -> [UInt8] {
    let cancellation = Cancellation()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        queue.async { [self] in
          guard waiting == nil, !cancellation.hasCome else { return continuation.resume(throwing: CancellationError()) }
          waiting = (key, continuation)
          body()
        }
      }
    } onCancel: {
      queue.async { [self] in
        cancellation.hasCome = true
        if waiting?.key == key { fail(CancellationError()) }
      }
    }
  }

  /// Whether a call was canceled, perhaps before it began. Unchecked: it belongs to the queue.
  private final class Cancellation: @unchecked Sendable {
    var hasCome = false
  }

  // MARK: On the queue

  /// Ends the wait for `key`; false if no call waits for it.
  @discardableResult
  func fulfill(_ key: Expectation, _ error: (any Error)?, value: [UInt8] = []) -> Bool {
    guard let waiting, waiting.key == key else { return false }
    self.waiting = nil
    if let error { waiting.continuation.resume(throwing: error) } else { waiting.continuation.resume(returning: value) }
    return true
  }

  /// Ends the wait of the call in progress.
  func fail(_ error: any Error) {
    if let key = waiting?.key { fulfill(key, error) }
  }

  func report(_ event: Event) { continuation.yield(event) }

  /// What went wrong with one call, for the user.
  struct Failure: Error {
    let message: String
    init(_ message: String) { self.message = message }
  }
}

extension CentralSession: CBCentralManagerDelegate {
  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    switch central.state {
    case .poweredOn: fulfill(.radio, nil)
    case .unknown, .resetting: break
    default:
      let state = central.state == .poweredOff ? "powered off" : "not usable"
      let failure = CommandFailure(
        .unavailable, code: "radioUnavailable", cause: central.reasonOfLoss,
        ControllerOptions.absence(state, cause: central.reasonOfLoss))
      radioFailure = failure
      fail(failure)
      continuation.finish()
    }
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    found[peripheral.identifier] = peripheral
    report(.discovered(Advertisement(peripheral, advertisementData, rssi: RSSI)))
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    fulfill(.connection, nil)
  }

  func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
    self.peripheral = nil
    fulfill(.connection, error ?? Failure("the connection failed"))
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) {
    self.peripheral = nil
    if fulfill(.disconnection, nil) { return }
    fail(error ?? Failure("the link was lost"))
    report(.disconnected(error?.localizedDescription))
  }
}

extension CentralSession: CBPairingAgent {
  var ability: CBPairingAbility { .keyboardAndDisplay }

  func manager(_ manager: CBManager, isAskedToPair request: CBPairingRequest) { report(.pairing(request)) }

  func manager(_ manager: CBManager, didPairWith peerIdentifier: UUID, isStored: Bool) {
    report(.paired(peerIdentifier, isStored: isStored))
  }

  func manager(_ manager: CBManager, didFailToPairWith peerIdentifier: UUID, error: any Error) {
    report(.notPaired(peerIdentifier, error.localizedDescription))
  }
}
