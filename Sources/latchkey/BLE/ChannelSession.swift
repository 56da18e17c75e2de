import CoreBluetooth
import Foundation
import LatchkeyCommandLine

/// One L2CAP channel of a command: opened to a device, or published for one to open.
///
/// Unchecked: all state belongs to `queue`, which is also the managers' queue.
final class ChannelSession: NSObject, @unchecked Sendable {
  enum Role: Sendable {
    /// Opens the channel of this number of the device that advertises the name.
    case opener(name: String, psm: CBL2CAPPSM)
    /// Publishes a channel and advertises the name.
    case publisher(name: String)
  }

  /// A channel for another thread, which is then the only one that uses it.
  struct Opened: @unchecked Sendable {
    let channel: CBL2CAPChannel
  }

  private let role: Role
  private let options: [String: any Sendable]
  private let onPublished: @Sendable (CBL2CAPPSM) -> Void
  private let queue = DispatchQueue(label: "latchkey.channel")
  private var central: CBCentralManager?
  private var publisher: CBPeripheralManager?
  private var device: CBPeripheral?
  private var waiter: CheckedContinuation<Opened, any Error>?
  private var isOver = false

  /// - Parameter onPublished: called with the number of a published channel.
  init(_ role: Role, options: [String: any Sendable], onPublished: @escaping @Sendable (CBL2CAPPSM) -> Void) {
    self.role = role
    self.options = options
    self.onPublished = onPublished
  }

  /// The channel, once it is open.
  func open() async throws -> Opened {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        queue.async { [self] in
          guard !isOver else { return continuation.resume(throwing: CancellationError()) }
          waiter = continuation
          switch role {
          case .opener: central = CBCentralManager(delegate: self, queue: queue, options: options)
          case .publisher: publisher = CBPeripheralManager(delegate: self, queue: queue, options: options)
          }
        }
      }
    } onCancel: {
      queue.async { [self] in finish(.failure(CancellationError())) }
    }
  }

  /// Gives the search up after a time, with a message.
  func giveUp(_ message: String) {
    queue.async { [self] in finish(.failure(failure(message))) }
  }

  /// Ends connection, advertising and publication.
  func end() {
    queue.async { [self] in
      finish(.failure(CancellationError()))
      if let device { central?.cancelPeripheralConnection(device) }
      (central, publisher) = (nil, nil)
    }
  }

  private func finish(_ result: Result<Opened, any Error>) {
    isOver = true
    waiter?.resume(with: result)
    waiter = nil
  }

  private func failure(_ message: String) -> CommandFailure {
    CommandFailure(.unavailable, code: "channelNotOpened", message)
  }

  private func stateChanged(_ manager: CBManager, reasonOfLoss: String?, _ body: () -> Void) {
    switch manager.state {
    case .poweredOn: body()
    case .unknown, .resetting: break
    default:
      finish(
        .failure(
          CommandFailure(
            .unavailable, code: "radioUnavailable", cause: reasonOfLoss,
            ControllerOptions.absence("not usable", cause: reasonOfLoss))))
    }
  }
}

extension ChannelSession: CBCentralManagerDelegate, CBPeripheralDelegate {
  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    stateChanged(central, reasonOfLoss: central.reasonOfLoss) { central.scanForPeripherals(withServices: nil) }
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    guard case .opener(let name, _) = role, device == nil,
      advertisementData[CBAdvertisementDataLocalNameKey] as? String ?? peripheral.name == name
    else { return }
    device = peripheral
    peripheral.delegate = self
    central.stopScan()
    central.connect(peripheral)
  }

  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
    guard case .opener(_, let psm) = role else { return }
    peripheral.openL2CAPChannel(psm)
  }

  func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
    finish(.failure(failure("the connection failed")))
  }

  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) { finish(.failure(failure("the link was lost"))) }

  func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
    guard let channel else {
      return finish(.failure(failure("the device does not open that channel: \(error?.localizedDescription ?? "")")))
    }
    finish(.success(Opened(channel: channel)))
  }
}

extension ChannelSession: CBPeripheralManagerDelegate {
  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    stateChanged(peripheral, reasonOfLoss: peripheral.reasonOfLoss) {
      peripheral.publishL2CAPChannel(withEncryption: false)
    }
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
  ) {
    guard case .publisher(let name) = role else { return }
    guard error == nil else { return finish(.failure(failure("the channel was not published"))) }
    onPublished(PSM)
    peripheral.startAdvertising([CBAdvertisementDataLocalNameKey: name])
  }

  func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
    if error != nil { finish(.failure(failure("advertising did not start"))) }
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
    // Others are closed, since nothing retains them.
    if let channel, !isOver { finish(.success(Opened(channel: channel))) }
  }
}
