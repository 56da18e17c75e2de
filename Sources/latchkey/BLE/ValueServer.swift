import CoreBluetooth
import Foundation
import LatchkeyByteCoding
import LatchkeyCommandLine
import LatchkeySystem

/// A peripheral manager with one value, for `ble serve`.
///
/// Unchecked: all of its state belongs to `queue`, which is also the manager's queue; calls hop to it.
final class ValueServer: NSObject, @unchecked Sendable {
  private let queue = DispatchQueue(label: "latchkey.ble.serve")
  private let name: String
  private let service: CBMutableService
  private let characteristic: CBMutableCharacteristic
  private let phy: AdvertisingPHYOption?
  private let asksToPair: Bool
  private let output: EventOptions
  private var value: [UInt8]
  private var dialog: PairingDialog
  private var manager: CBPeripheralManager?
  private var isPublished = false
  private var ending: CheckedContinuation<Void, any Error>?

  init(
    name: String, service: CBUUID, characteristic: CBUUID, value: [UInt8], phy: AdvertisingPHYOption?,
    isProtected: Bool, asksToPair: Bool, output: EventOptions
  ) {
    self.name = name
    self.value = value
    self.phy = phy
    self.asksToPair = asksToPair
    self.output = output
    dialog = PairingDialog(output)
    self.characteristic = CBMutableCharacteristic(
      type: characteristic, properties: [.read, .write, isProtected ? .notifyEncryptionRequired : .notify], value: nil,
      permissions: isProtected ? [.readEncryptionRequired, .writeEncryptionRequired] : [.readable, .writeable])
    self.service = CBMutableService(type: service, primary: true)
    self.service.characteristics = [self.characteristic]
  }

  /// Serves until the task is canceled.
  func run(options: [String: any Sendable]) async throws {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        queue.async { [self] in
          guard !Task.isCancelled else { return continuation.resume() }
          ending = continuation
          var options: [String: Any] = options
          if asksToPair { options[CBManagerOptionPairingAgentKey] = self }
          manager = CBPeripheralManager(delegate: self, queue: queue, options: options)
        }
      }
    } onCancel: {
      queue.async { [self] in end(nil) }
    }
  }

  /// Takes a line as the answer to a question about a pairing.
  func answer(_ line: String) {
    queue.async { [self] in _ = dialog.answer(line) }
  }

  private func end(_ failure: CommandFailure?) {
    manager?.delegate = nil
    manager = nil
    guard let ending else { return }
    self.ending = nil
    if let failure { ending.resume(throwing: failure) } else { ending.resume() }
  }
}

extension ValueServer: CBPeripheralManagerDelegate {
  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    switch peripheral.state {
    case .poweredOn:
      if !isPublished { peripheral.add(service) }
    case .resetting: isPublished = false
    case .unknown: break
    default:
      let state = peripheral.state == .poweredOff ? "powered off" : "not usable"
      end(
        CommandFailure(
          .unavailable, code: "radioUnavailable", cause: peripheral.reasonOfLoss,
          ControllerOptions.absence(state, cause: peripheral.reasonOfLoss)))
    }
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
    if let error { return end(CommandFailure(.unavailable, "the service was refused: \(error.localizedDescription)")) }
    isPublished = true
    var data: [String: Any] = [
      CBAdvertisementDataLocalNameKey: name, CBAdvertisementDataServiceUUIDsKey: [service.uuid],
    ]
    data[CBPeripheralManagerAdvertisingPHYKey] = phy?.rawValue
    peripheral.startAdvertising(data)
  }

  func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
    if let error { return end(CommandFailure(.unavailable, "it does not advertise: \(error.localizedDescription)")) }
    output.emit("advertising \(PrintableText.escaped(name))", "advertising", ["name": .text(name)])
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
    guard request.offset <= value.count else { return peripheral.respond(to: request, withResult: .invalidOffset) }
    request.value = Data(value.dropFirst(request.offset))
    peripheral.respond(to: request, withResult: .success)
    if request.offset == 0 { emit("read", request.central) }
  }

  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
    guard let first = requests.first else { return }
    var written = value
    for request in requests {
      let bytes = [UInt8](request.value ?? Data())
      guard request.offset <= written.count else { return peripheral.respond(to: first, withResult: .invalidOffset) }
      written = Array(written.prefix(request.offset)) + bytes
    }
    guard written.count <= 512 else {
      return peripheral.respond(to: first, withResult: .invalidAttributeValueLength)
    }
    value = written
    peripheral.respond(to: first, withResult: .success)
    let digits = Hexadecimal.encode(value)
    output.emit(
      "written: \(digits)", "written",
      ["central": .text(first.central.identifier.uuidString), "value": .text(digits)])
    peripheral.updateValue(Data(value), for: characteristic, onSubscribedCentrals: nil)
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
  ) {
    emit("subscribed", central)
  }

  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
  ) {
    emit("unsubscribed", central)
  }

  private func emit(_ event: String, _ central: CBCentral) {
    output.emit("\(event) by \(central.identifier)", event, ["central": .text(central.identifier.uuidString)])
  }
}

extension ValueServer: CBPairingAgent {
  var ability: CBPairingAbility { .keyboardAndDisplay }

  func manager(_ manager: CBManager, isAskedToPair request: CBPairingRequest) { dialog.ask(request) }

  func manager(_ manager: CBManager, didPairWith peerIdentifier: UUID, isStored: Bool) {
    dialog.paired(peerIdentifier, isStored: isStored)
  }

  func manager(_ manager: CBManager, didFailToPairWith peerIdentifier: UUID, error: any Error) {
    dialog.notPaired(peerIdentifier, error.localizedDescription)
  }
}
