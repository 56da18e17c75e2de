package import LatchkeyBluetoothHost

/// Who hears a host's events: one manager of an application.
package protocol HostEventSink: AnyObject, Sendable {
  /// Hears one event of its client. Events come in order, one at a time, with no lock held, on any thread; what is asked
  /// of the driver from inside is done after the events that are on their way.
  func hostDidSend(_ event: HostEvent)
}
