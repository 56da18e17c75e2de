import LatchkeyBluetoothHost

extension CBPeripheral {
  /// Opens a channel to the peripheral; the delegate gets it, or an error.
  ///
  /// The host has no channels: the delegate gets `CBError.operationNotSupported`.
  public func openL2CAPChannel(_ PSM: CBL2CAPPSM) {
    guard connectedLink() != nil else { return }
    answerLocally(.failed(.invalidArgument)) { peripheral, _ in
      peripheral.delegate?.peripheral(peripheral, didOpen: nil, error: CBError.delivered(.operationNotSupported))
    }
  }
}
