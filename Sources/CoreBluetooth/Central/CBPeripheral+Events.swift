import Foundation
import LatchkeyBluetoothHost

// Effects of the engine's events on a peripheral, on the manager's queue.
extension CBPeripheral {
  /// Handles a connection that is up. Returns false if the app does not wait for it.
  func connected(_ link: LinkID) -> Bool {
    let isAwaited = current.withLock { state in
      guard state.connection.began(link) else { return false }
      // Attributes of an earlier connection may no longer exist (`RemoteOrigin`).
      state.services = nil
      state.rssi = nil
      return true
    }
    if isAwaited { valuesChanged() }
    return isAwaited
  }

  /// Handles the loss of the radio.
  func radioWasLost() {
    current.withLock { $0.connection.reset() }
    endMeasurements()
    forgetDiscovery()
    valuesChanged()
  }

  /// Handles the end of the manager: no callback follows.
  func managerWasReleased() {
    _ = current.withLock { state in
      state.connection.reset()
      state.awaitedRSSIs = 0
      return state.sounding.take()
    }
    forgetDiscovery()
    valuesChanged()
  }

  /// Whether the app waits for a connection that must be requested again; a pending end comes first.
  func restartConnecting() -> Bool { current.withLock { $0.connection.restart() } }

  /// Answers pending reads of the signal strength and ends measurements, before the end of the connection is reported.
  /// The connection is not usable by then: a callback that starts another one has no effect.
  func endMeasurements() {
    endChannelSounding()
    while current.withLock({ $0.awaitedRSSIs }) > 0 { readRSSI(nil) }
  }

  /// Invalidates what was discovered on a connection that ended.
  func forgetDiscovery() {
    let (services, characteristics) = current.withLock { state in
      defer {
        state.knownServices = [:]
        state.characteristics = [:]
      }
      return (state.knownServices, state.characteristics)
    }
    for service in services.values { service.remote?.origin.invalidate() }
    for characteristic in characteristics.values {
      characteristic.state.withLock { state in
        state.isNotifying = false
        state.wantsValues = false
      }
    }
  }

  /// Handles an unsolicited value.
  func notified(_ handle: AttributeHandle, _ bytes: [UInt8]) {
    let (characteristic, delegate) = current.withLock { ($0.characteristics[handle], $0.delegate) }
    guard let characteristic else { return }
    let value = Data(bytes)
    let isWanted = characteristic.state.withLock { state in
      // Values of the manager's own subscriptions, such as Service Changed, do not go to the app.
      guard state.wantsValues else { return false }
      state.value = value
      return true
    }
    guard isWanted else { return }
    delegate?.peripheral(self, didUpdateValueFor: characteristic, error: nil)
  }

  /// Handles a change of the peer's database.
  func servicesChanged(in range: AttributeHandleRange) {
    let invalidated = current.withLock { state in
      let services = state.knownServices.values.filter { $0.overlaps(range) }
      for service in services {
        guard let record = service.remote?.record else { continue }
        state.knownServices[record.range.start] = nil
        state.characteristics = state.characteristics.filter { !record.range.contains($0.key) }
      }
      state.services?.removeAll { $0.overlaps(range) }
      return services
    }
    for service in invalidated { service.remote?.origin.invalidate() }
    valuesChanged()
    delegate?.peripheral(self, didModifyServices: invalidated)
  }

  func readRSSI(_ rssi: Int8?) {
    let isAwaited = current.withLock { state in
      guard state.awaitedRSSIs > 0 else { return false }
      state.awaitedRSSIs -= 1
      return true
    }
    guard isAwaited else { return }
    guard let rssi else {
      delegate?.peripheral(self, didReadRSSI: 127, error: CBError.delivered(.notConnected))
      return
    }
    let value = NSNumber(value: rssi)
    current.withLock { $0.rssi = value }
    delegate?.peripheral(self, didReadRSSI: value, error: nil)
  }
}

extension CBService {
  fileprivate func overlaps(_ range: AttributeHandleRange) -> Bool {
    guard let own = remote?.record.range else { return false }
    return own.start <= range.end && range.start <= own.end
  }
}
