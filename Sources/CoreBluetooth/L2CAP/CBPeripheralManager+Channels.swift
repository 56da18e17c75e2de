extension CBPeripheralManager {
  /// Publishes a channel under a number that the host chooses; the delegate gets that number, or an error.
  ///
  /// The host has no channels: the delegate gets the number 0 and `CBError.operationNotSupported`.
  public func publishL2CAPChannel(withEncryption encryptionRequired: Bool) {
    guard isPoweredOnForCommand() else { return }
    engine.callbacks.append(.channelRefused(.publish), to: engine)
  }

  /// Ends the publication of a channel; open ones stay.
  ///
  /// No channel is published: the delegate gets `CBError.operationNotSupported`.
  public func unpublishL2CAPChannel(_ PSM: CBL2CAPPSM) {
    guard isPoweredOnForCommand() else { return }
    engine.callbacks.append(.channelRefused(.unpublish(PSM)), to: engine)
  }
}

/// A request about channels that is refused.
enum ChannelRequest {
  case publish
  case unpublish(CBL2CAPPSM)
}

extension PeripheralEngine {
  func refused(_ request: ChannelRequest) {
    let error = CBError.delivered(.operationNotSupported)
    switch request {
    case .publish: callDelegate { $0.peripheralManager($1, didPublishL2CAPChannel: 0, error: error) }
    case .unpublish(let psm): callDelegate { $0.peripheralManager($1, didUnpublishL2CAPChannel: psm, error: error) }
    }
  }
}
