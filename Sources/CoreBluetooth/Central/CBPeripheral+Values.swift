public import Foundation
import LatchkeyBluetoothHost

extension CBPeripheral {
  /// Reads a characteristic's whole value, however long.
  public func readValue(for characteristic: CBCharacteristic) {
    guard let link = connectedLink() else { return }
    func answer(_ peripheral: CBPeripheral, _ outcome: GATTOutcome) {
      if case .value(let bytes) = outcome { characteristic.state.withLock { $0.value = Data(bytes) } }
      peripheral.delegate?.peripheral(peripheral, didUpdateValueFor: characteristic, error: outcome.error)
    }
    guard let record = record(characteristic.remote, on: link, else: answer) else { return }
    submit(.read(record.valueHandle), on: link, answer: answer)
  }

  /// Writes a characteristic's value: with a response up to 512 bytes, without one up to
  /// `maximumWriteValueLength(for:)`.
  ///
  /// A write without response that cannot be accepted is dropped; see `canSendWriteWithoutResponse`.
  public func writeValue(_ data: Data, for characteristic: CBCharacteristic, type: CBCharacteristicWriteType) {
    guard let link = connectedLink() else { return }
    guard type == .withResponse else { return writeWithoutResponse(data, for: characteristic, on: link) }
    func answer(_ peripheral: CBPeripheral, _ outcome: GATTOutcome) {
      peripheral.delegate?.peripheral(peripheral, didWriteValueFor: characteristic, error: outcome.error)
    }
    guard let record = record(characteristic.remote, on: link, else: answer) else { return }
    guard let bytes = writable(data, else: answer) else { return }
    submit(.write(record.valueHandle, bytes), on: link, answer: answer)
  }

  private func writeWithoutResponse(_ data: Data, for characteristic: CBCharacteristic, on link: LinkID) {
    guard let remote = characteristic.remote, remote.origin.link == link, remote.origin.isValid else {
      return Diagnostics.misuse("\(characteristic) is not valid on \(self)")
    }
    guard remote.record.properties.contains(.writeWithoutResponse) else {
      return Diagnostics.notice(
        """
        WARNING: Characteristic \(characteristic) does not specify the "Write Without Response" property - \
        ignoring response-less write
        """)
    }
    engine.writeCommand(data, to: remote.record.valueHandle, on: link)
    valuesChanged()
  }

  /// Turns notifications on or off; indications where only those are offered.
  public func setNotifyValue(_ enabled: Bool, for characteristic: CBCharacteristic) {
    guard let link = connectedLink() else { return }
    func answer(_ peripheral: CBPeripheral, _ outcome: GATTOutcome) {
      characteristic.state.withLock { state in
        if case .written = outcome { state.isNotifying = enabled }
        state.wantsValues = state.isNotifying
      }
      peripheral.delegate?.peripheral(
        peripheral, didUpdateNotificationStateFor: characteristic, error: outcome.error)
    }
    guard let record = record(characteristic.remote, on: link, else: answer) else { return }
    guard !record.properties.isDisjoint(with: [.notify, .indicate]) else {
      let handle = record.valueHandle
      return answerLocally(.failed(.refused(.requestNotSupported, handle: handle)), answer: answer)
    }
    if enabled { characteristic.state.withLock { $0.wantsValues = true } }
    submit(.configureNotifications(record, enabled: enabled), on: link, answer: answer)
  }

  /// Reads a descriptor's value.
  public func readValue(for descriptor: CBDescriptor) {
    guard let link = connectedLink() else { return }
    func answer(_ peripheral: CBPeripheral, _ outcome: GATTOutcome) {
      if case .value(let bytes) = outcome {
        let value = DescriptorValue.value(of: descriptor.uuid.bluetoothUUID, bytes: bytes)
        descriptor.state.withLock { $0.value = value }
      }
      peripheral.delegate?.peripheral(peripheral, didUpdateValueFor: descriptor, error: outcome.error)
    }
    guard let record = record(descriptor.remote, on: link, else: answer) else { return }
    submit(.read(record.handle), on: link, answer: answer)
  }

  /// Writes a descriptor's value. The client characteristic configuration is only written by `setNotifyValue(_:for:)`.
  public func writeValue(_ data: Data, for descriptor: CBDescriptor) {
    guard let link = connectedLink() else { return }
    guard descriptor.uuid.bluetoothUUID != DescriptorValue.clientCharacteristicConfiguration else {
      return Diagnostics.misuse(
        "Client Characteristic Configuration descriptors must be configured using setNotifyValue(_:for:)")
    }
    func answer(_ peripheral: CBPeripheral, _ outcome: GATTOutcome) {
      peripheral.delegate?.peripheral(peripheral, didWriteValueFor: descriptor, error: outcome.error)
    }
    guard let record = record(descriptor.remote, on: link, else: answer) else { return }
    guard let bytes = writable(data, else: answer) else { return }
    submit(.write(record.handle, bytes), on: link, answer: answer)
  }

  /// The bytes to write; nil if they are too many for an attribute, with an answer in order.
  private func writable(
    _ data: Data, else answer: @escaping (CBPeripheral, GATTOutcome) -> Void
  ) -> [UInt8]? {
    if data.count <= ATTLimits.longestValue { return [UInt8](data) }
    answerLocally(.failed(.refused(.invalidAttributeValueLength, handle: 0)), answer: answer)
    return nil
  }
}
