/// The way to one controller: H4 packets (Core 6.0 Vol 4 Part A 2), whole, the indicator first, in both directions.
///
/// A transport keeps its receiver from `open` to `close`, or to `transportClosed` where nothing can come after it.
package protocol ControllerTransport: AnyObject, Sendable {
  /// Begins to open the way; the receiver hears how that went, maybe before this returns. Called once.
  func open(_ receiver: any ControllerTransportReceiver)

  /// Passes a packet to the controller, in the order of the calls. A packet for a way that is not open is dropped.
  func send(_ packet: consuming [UInt8])

  /// Gives the way up. The receiver hears nothing that begins after it.
  func close()
}

/// Who hears from a transport. Calls come one at a time, in the order of what happened.
package protocol ControllerTransportReceiver: AnyObject, Sendable {
  /// The way is open and the controller is as after power-on.
  func transportOpened()

  /// A packet came from the controller.
  func transportReceived(_ packet: consuming [UInt8])

  /// The way is closed, or could not be opened; `reason` says why, for the log. Only a transport whose controller was
  /// switched off, as a virtual one can be, or is sought again, may call `transportOpened()` after it.
  func transportClosed(_ reason: String?)
}
