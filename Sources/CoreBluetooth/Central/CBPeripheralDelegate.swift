public import Foundation

/// Receives the callbacks of a peripheral, on its manager's queue.
///
/// All methods are optional: they have a default that does nothing. Calls are in the order of the requests.
public protocol CBPeripheralDelegate: NSObjectProtocol {
  /// The peripheral's name changed.
  func peripheralDidUpdateName(_ peripheral: CBPeripheral)

  /// Services of the peripheral changed. These objects are no longer valid; discover anew.
  func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService])

  /// The signal strength in dBm, after `readRSSI()`.
  func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?)

  /// Services were discovered, after `discoverServices(_:)`.
  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?)

  /// Included services were discovered, after `discoverIncludedServices(_:for:)`.
  func peripheral(_ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?)

  /// Characteristics were discovered, after `discoverCharacteristics(_:for:)`.
  func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?)

  /// A value arrived: after `readValue(for:)`, or unsolicited for a characteristic that is notified.
  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?)

  /// A value was written, after `writeValue(_:for:type:)` with a response.
  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?)

  /// Notifications were turned on or off, after `setNotifyValue(_:for:)`.
  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?)

  /// Descriptors were discovered, after `discoverDescriptors(for:)`.
  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?)

  /// A descriptor's value arrived, after `readValue(for:)`.
  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?)

  /// A descriptor was written, after `writeValue(_:for:)`.
  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?)

  /// Writes without response are accepted again, after `canSendWriteWithoutResponse` was false.
  func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral)

  /// A channel was opened, or not, after `openL2CAPChannel(_:)`.
  func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?)

  /// A measurement of a channel sounding session ended, with the distance or an error.
  func peripheral(
    _ peripheral: CBPeripheral, didReceive results: CBChannelSoundingProcedureResults?, error: (any Error)?)

  /// A channel sounding session ended; without an error if the app requested that.
  func peripheral(_ peripheral: CBPeripheral, didCompleteChannelSoundingSession error: (any Error)?)

  /// The signal strength was read. Deprecated: it is only called where `peripheral(_:didReadRSSI:error:)` is not
  /// implemented, and the value is in `rssi`.
  func peripheralDidUpdateRSSI(_ peripheral: CBPeripheral, error: (any Error)?)
}

extension CBPeripheralDelegate {
  /// Does nothing.
  public func peripheralDidUpdateName(_ peripheral: CBPeripheral) {}

  /// Does nothing.
  public func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {}

  /// Calls the older method, which finds the value in `rssi`.
  public func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
    peripheralDidUpdateRSSI(peripheral, error: error)
  }

  /// Does nothing.
  public func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {}

  /// Does nothing.
  public func peripheral(
    _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?
  ) {}

  /// Does nothing.
  public func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) {}

  /// Does nothing.
  public func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {}

  /// Does nothing.
  public func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {}

  /// Does nothing.
  public func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
  ) {}

  /// Does nothing.
  public func peripheral(
    _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
  ) {}

  /// Does nothing.
  public func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?
  ) {}

  /// Does nothing.
  public func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?
  ) {}

  /// Does nothing.
  public func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {}

  /// Does nothing.
  public func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {}

  /// Does nothing.
  public func peripheral(
    _ peripheral: CBPeripheral, didReceive results: CBChannelSoundingProcedureResults?, error: (any Error)?
  ) {}

  /// Does nothing.
  public func peripheral(_ peripheral: CBPeripheral, didCompleteChannelSoundingSession error: (any Error)?) {}

  /// Does nothing.
  public func peripheralDidUpdateRSSI(_ peripheral: CBPeripheral, error: (any Error)?) {}
}
