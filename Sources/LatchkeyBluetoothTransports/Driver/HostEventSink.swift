package import LatchkeyBluetoothHost

/// The receiver of a host's events: one manager of an application.
package protocol HostEventSink: AnyObject, Sendable {
  /// Handles one event of its client. Events arrive in order, one at a time, without a lock, on any thread; calls to
  /// the driver from inside are performed after the events already queued.
  func hostDidSend(_ event: HostEvent)
}
