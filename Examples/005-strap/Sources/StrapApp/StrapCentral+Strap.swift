import CoreBluetooth
import Foundation

/// What the strap has and says.
extension StrapCentral: CBPeripheralDelegate {
  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
    guard peripheral == strap, status == .preparing, error == nil else { return }
    let services = peripheral.services ?? []
    guard services.contains(where: { $0.uuid == Self.heartRate }) else { return fail(.noHeartRate) }
    for service in services { peripheral.discoverCharacteristics(nil, for: service) }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) {
    guard peripheral == strap, status == .preparing || status == .measuring, error == nil else { return }
    let characteristics = service.characteristics ?? []
    if service.uuid == Self.heartRate, !characteristics.contains(where: { $0.uuid == Self.measurement }) {
      return fail(.noHeartRate)
    }
    for characteristic in characteristics {
      switch characteristic.uuid {
      case Self.measurement: peripheral.setNotifyValue(true, for: characteristic)
      case Self.controlPoint: control = characteristic
      case Self.batteryLevel:
        peripheral.readValue(for: characteristic)
        if characteristic.properties.contains(.notify) { peripheral.setNotifyValue(true, for: characteristic) }
      default: break
      }
    }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    guard peripheral == strap, status == .preparing, characteristic.uuid == Self.measurement else { return }
    guard let error else {
      subscriptions.reset()
      set(.measuring)
      return succeeded()
    }
    if Self.isLackOfPairing(error) { return fail(.pairingNeeded) }
    guard let pause = subscriptions.next() else { return fail(.subscriptionRefused) }
    setTimer(pause) { _ in peripheral.setNotifyValue(true, for: characteristic) }
  }

  /// Whether the system tried to pair, and the strap refused.
  private static func isLackOfPairing(_ error: any Error) -> Bool {
    switch error {
    case let error as CBATTError:
      [.insufficientAuthentication, .insufficientEncryption, .insufficientAuthorization].contains(error.code)
    case let error as CBError: [.peerRemovedPairingInformation, .encryptionTimedOut].contains(error.code)
    default: false
    }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    guard peripheral == strap, error == nil, let value = characteristic.value else { return }
    switch characteristic.uuid {
    case Self.measurement where status == .measuring:
      guard let measurement = HeartRateMeasurement(value) else { return }
      succeeded()
      send(.measurement(measurement))
    case Self.batteryLevel: if let level = value.first { send(.battery(min(Int(level), 100))) }
    default: break
    }
  }

  func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {
    if characteristic.uuid == Self.controlPoint { send(.energyReset(isDone: error == nil)) }
  }

  func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
    guard peripheral == strap, status == .measuring else { return }
    guard invalidatedServices.contains(where: { $0.uuid == Self.heartRate }) else { return }
    control = nil
    set(.preparing)
    setTimer(Self.prepareTime) { $0.attemptFailed() }
    peripheral.discoverServices([Self.heartRate, Self.battery])
  }
}
