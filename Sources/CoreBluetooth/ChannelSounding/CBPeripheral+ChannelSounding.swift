import Foundation
import LatchkeyBluetoothHost
import LatchkeyBluetoothTransports

/// A channel sounding session: one measurement after the other, until it ends.
final class ChannelSoundingSession: Sendable {
  /// The time from one measurement to the next.
  private static let interval = Duration.milliseconds(100)

  private let timer = Locked<(any ScheduledTimer)?>(nil)

  /// Calls `body` when the next measurement is due, unless this object is released before.
  func arm(_ driver: HostDriver, _ body: @escaping @Sendable () -> Void) {
    let next = driver.makeTimer(after: Self.interval, body)
    timer.withLock { $0 = next }
  }
}

/// An event of a channel sounding session, for the delegate.
enum ChannelSoundingEvent {
  case isDue(ChannelSoundingSession)
  case ended(CBError?)
}

extension CBPeripheral {
  /// Starts to measure the distance to the peripheral, ten times a second, until the session is canceled or the
  /// connection ends.
  ///
  /// On a virtual radio the delegate gets the distance that was set for the two controllers, 0 if none was. Elsewhere the
  /// session ends at once with `CBError.operationNotSupported`.
  public func startChannelSoundingSession(_ configuration: CBChannelSoundingSessionConfiguration) {
    guard connectedLink() != nil else { return }
    guard engine.measureDistance != nil else { return send(.ended(.delivered(.operationNotSupported))) }
    let session = ChannelSoundingSession()
    let isFirst = current.withLock { state in
      guard state.connection.usableLink != nil, state.sounding == nil else { return false }
      state.sounding = session
      return true
    }
    guard isFirst else { return Diagnostics.misuse("\(self) has a channel sounding session already, or no connection") }
    arm(session)
  }

  /// Ends the session. The delegate gets a callback without an error.
  public func cancelChannelSoundingSession() {
    guard current.withLock({ $0.sounding.take() }) != nil else {
      return Diagnostics.misuse("\(self) has no channel sounding session")
    }
    send(.ended(nil))
  }

  /// Handles the event of a session, on the manager's queue.
  func handle(_ event: ChannelSoundingEvent) {
    switch event {
    case .ended(let error): delegate?.peripheral(self, didCompleteChannelSoundingSession: error)
    case .isDue(let session):
      guard isCurrent(session) else { return }
      if let distance = engine.measureDistance?(address) {
        delegate?.peripheral(self, didReceive: CBChannelSoundingProcedureResults(distance: distance), error: nil)
      } else {
        delegate?.peripheral(self, didReceive: nil, error: CBError.delivered(.channelSoundingProcedureFailed))
      }
      // Only now, so that no more than one measurement waits for the app.
      if isCurrent(session) { arm(session) }
    }
  }

  /// Ends the session of a connection that has ended, before that is reported.
  func endChannelSounding() {
    guard current.withLock({ $0.sounding.take() }) != nil else { return }
    handle(.ended(.delivered(.peripheralDisconnected)))
  }

  private func isCurrent(_ session: ChannelSoundingSession) -> Bool { current.withLock { $0.sounding === session } }

  private func arm(_ session: ChannelSoundingSession) {
    // Unchecked: weak references may be read by any thread, and the queue is safe for all.
    let peripheral = Unchecked(Weak(self))
    session.arm(engine.driver) { [weak session] in
      if let session { peripheral.value.object?.send(.isDue(session)) }
    }
  }

  private func send(_ event: ChannelSoundingEvent) {
    engine.callbacks.append(.channelSounding(self, event), to: engine)
  }
}
