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
    case updated(FoundAttribute, [UInt8])
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
  let pairing: Pairing
  /// How long an answer is waited for; nil: as long as the host does.
  private let answerLimit: Duration?
  /// Takes the values that are notified, on the queue, in place of the event: a device is held back while it works.
  private let onUpdate: (@Sendable (FoundAttribute, [UInt8]) -> Void)?
  private var manager: CBCentralManager?
  private var found: [UUID: CBPeripheral] = [:]
  private var radioFailure: CommandFailure?
  /// The peripheral that is connected, or about to be.
  private(set) var peripheral: CBPeripheral?
  /// The one call that waits.
  private var waiting: (key: Expectation, continuation: CheckedContinuation<[UInt8], any Error>)?

  /// How the pairing of this connection ended; nil if there was none.
  var pairingEnd: PairingEnd?

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

  init(
    options: [String: any Sendable], pairing: Pairing = .silent, answerLimit: Duration? = nil,
    onUpdate: (@Sendable (FoundAttribute, [UInt8]) -> Void)? = nil
  ) {
    self.options = options
    self.pairing = pairing
    self.answerLimit = answerLimit
    self.onUpdate = onUpdate
    (events, continuation) = AsyncStream<Event>.makeStream()
  }

  /// Waits until the radio is on.
  func start() async throws {
    try await wait(for: .radio) { [self] in
      var options = options
      if pairing != .silent { options[CBManagerOptionPairingAgentKey] = self }
      manager = CBCentralManager(delegate: self, queue: queue, options: options)
    }
  }

  /// Looks for devices; with `isRepeating` each advertisement is an event, for its signal strength.
  func scan(services: [CBUUID], isRepeating: Bool = false) {
    queue.async { [self] in
      let options: [String: Any] = [CBCentralManagerScanOptionAllowDuplicatesKey: isRepeating]
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

  /// Ends the link, or the attempt to make one, whatever has become of it.
  func leave() async {
    let isConnected = queue.sync { peripheral.map { $0.state == .connected } }
    switch isConnected {
    case true?: try? await disconnect()
    case false?: abandonConnection()
    case nil: break
    }
  }

  /// Runs `body` on the queue and waits for what it expects, within the limit of an answer. Canceling the task ends the wait.
  @discardableResult
  func wait(for key: Expectation, _ body: @escaping @Sendable () -> Void) async throws -> [UInt8] {
    guard let answerLimit else { return try await waitForEver(for: key, body) }
    let seconds = answerLimit / .seconds(1)
    let text = seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)"
    let failure = Failure("no answer came within \(text) seconds", code: "timedOut")
    return try await Deadline.run(answerLimit, orThrow: failure) { try await self.waitForEver(for: key, body) }
  }

  private func waitForEver(for key: Expectation, _ body: @escaping @Sendable () -> Void) async throws -> [UInt8] {
    let cancellation = Cancellation()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        queue.async { [self] in
          guard waiting == nil, !cancellation.hasCome else { return continuation.resume(throwing: CancellationError()) }
          // The radio may have been lost between two calls: no callback would answer this one.
          if let radioFailure { return continuation.resume(throwing: radioFailure) }
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

  /// Hands a value on that was notified.
  func update(_ attribute: FoundAttribute, _ value: [UInt8]) {
    if let onUpdate { onUpdate(attribute, value) } else { report(.updated(attribute, value)) }
  }

  /// What went wrong with one call, for the user.
  struct Failure: Error {
    let message: String
    /// Its name in JSON, where it ends a command.
    let code: String?

    init(_ message: String, code: String? = nil) {
      self.message = message
      self.code = code
    }
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
