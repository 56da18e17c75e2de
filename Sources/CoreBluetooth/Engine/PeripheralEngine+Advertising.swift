import LatchkeyBluetoothHost
import LatchkeyBluetoothTransports

extension PeripheralEngine {
  func startAdvertising(_ parameters: AdvertisingParameters, client: ClientID) {
    command {
      if state.withLock({ $0.advertising.start(parameters) }) { return true }
      callbacks.append(.advertisingRefused(.delivered(.alreadyAdvertising)), to: self)
      return false
    } _: { host, now in
      host.startAdvertising(client, parameters, now: now)
    }
    saveState()
  }

  func stopAdvertising(client: ClientID) {
    command {
      state.withLock { $0.advertising.stop() }
      return true
    } _: { host, now in
      host.stopAdvertising(client, now: now)
    }
    saveState()
  }

  /// Resumes advertising that a switched off radio interrupted.
  func resumeAdvertising() {
    guard let client else { return }
    var parameters: AdvertisingParameters?
    command {
      parameters = state.withLock { $0.advertising.resume() }
      return parameters != nil
    } _: { host, now in
      if let parameters { host.startAdvertising(client, parameters, now: now) }
    }
  }

  func advertisingStarted(_ status: HCIStatus) {
    let error = Failures.advertising(status)
    let isAwaited = state.withLock { $0.advertising.started(status == .success) }
    saveState()
    state.withLock { $0.manager }?.valuesChanged()
    guard isAwaited else {
      if let error { Diagnostics.notice("advertising could not be resumed: \(error.localizedDescription)") }
      return
    }
    callDelegate { $0.peripheralManagerDidStartAdvertising($1, error: error) }
  }
}
