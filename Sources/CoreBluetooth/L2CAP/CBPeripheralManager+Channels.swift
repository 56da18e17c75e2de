import LatchkeyBluetoothHost
import LatchkeyBluetoothTransports

extension CBPeripheralManager {
  /// Publishes a channel under a number that the host chooses; the delegate gets that number, or an error. Each central
  /// that opens it gives the delegate a channel of its own.
  ///
  /// - Parameter encryptionRequired: whether only centrals with an encrypted connection may open it.
  public func publishL2CAPChannel(withEncryption encryptionRequired: Bool) {
    guard isPoweredOnForCommand() else { return }
    engine.publishChannel(ChannelSecurity(needsEncryption: encryptionRequired))
  }

  /// Ends the publication of a channel; open ones stay. The delegate gets `CBError.invalidParameters` if this manager has
  /// published none of that number.
  public func unpublishL2CAPChannel(_ PSM: CBL2CAPPSM) {
    guard isPoweredOnForCommand() else { return }
    engine.unpublishChannel(PSM)
  }
}

extension PeripheralEngine {
  /// A result about channels that is reported to the delegate.
  enum ChannelReport {
    /// A channel was published, or not, after `clearings` removals of everything.
    case published(CBL2CAPPSM, CBError?, clearings: Int)
    case unpublished(CBL2CAPPSM, CBError?)
    case opened(ChannelConnection)
  }

  func publishChannel(_ security: ChannelSecurity) {
    guard let client else { return }
    driver.withHost { host, _ in
      let psm = host.publishChannel(client, security)
      let clearings = state.withLock { state in
        if let psm { state.psms.insert(psm) }
        return state.clearings
      }
      let report = ChannelReport.published(psm ?? 0, psm == nil ? .delivered(.outOfSpace) : nil, clearings: clearings)
      callbacks.append(.channel(report), to: self)
    }
  }

  func unpublishChannel(_ psm: CBL2CAPPSM) {
    guard let client else { return }
    driver.withHost { host, _ in
      let wasPublished = host.unpublishChannel(psm, client: client)
      state.withLock { _ = $0.psms.remove(psm) }
      callbacks.append(.channel(.unpublished(psm, wasPublished ? nil : .delivered(.invalidParameters))), to: self)
    }
  }

  /// Handles an event of a channel.
  func received(_ event: ChannelEvent) {
    switch event {
    case .opened(let description):
      note(description.link)
      callbacks.append(.channel(.opened(channels.open(description))), to: self)
    case .failed, .data, .writable, .closed: channels.deliver(event)
    }
  }

  func deliver(_ report: ChannelReport) {
    switch report {
    case .published(let psm, let error, let clearings):
      // A reset of the radio that was reported to the app since then removed it; the app knows of that.
      guard state.withLock({ $0.clearings == clearings }) else { return }
      callDelegate { $0.peripheralManager($1, didPublishL2CAPChannel: psm, error: error) }
    case .unpublished(let psm, let error):
      callDelegate { $0.peripheralManager($1, didUnpublishL2CAPChannel: psm, error: error) }
    case .opened(let connection):
      let description = connection.description
      let channel = CBL2CAPChannel(peer: central(on: description.link, description.peer), connection: connection)
      callDelegate { $0.peripheralManager($1, didOpen: channel, error: nil) }
    }
  }
}
