import LatchkeyBluetoothHost
import LatchkeyBluetoothTransports

extension CBPeripheral {
  /// Opens a channel to the peripheral; the delegate gets it, or an error.
  public func openL2CAPChannel(_ PSM: CBL2CAPPSM) {
    guard let link = connectedLink() else { return }
    engine.openChannel(PSM, on: link)
  }
}

extension CentralEngine {
  func openChannel(_ psm: CBL2CAPPSM, on link: LinkID) {
    guard let client else { return }
    driver.withHost { host, now in _ = host.openChannel(client, to: psm, on: link, now: now) }
  }

  /// Queues the result of a request; other events go to the channel's streams at once.
  func received(_ event: ChannelEvent) {
    switch event {
    case .opened(let description): callbacks.append(.channelOpened(channels.open(description)), to: self)
    case .failed(_, let link, let failure): callbacks.append(.channelFailed(link, failure), to: self)
    case .data, .writable, .closed: channels.deliver(event)
    }
  }

  /// Reports an open channel. If the app has released the peripheral, nothing retains the channel, and it is closed.
  func opened(_ connection: ChannelConnection) {
    guard let peripheral = peripheral(on: connection.description.link) else { return }
    let channel = CBL2CAPChannel(peer: peripheral, connection: connection)
    peripheral.delegate?.peripheral(peripheral, didOpen: channel, error: nil)
  }

  func channelFailed(_ link: LinkID, _ failure: ChannelFailure) {
    guard let peripheral = peripheral(on: link) else { return }
    peripheral.delegate?.peripheral(peripheral, didOpen: nil, error: Failures.channel(failure))
  }
}
