/// The connection to one controller: whole H4 packets (Core 6.0 Vol 4 Part A 2), the indicator first, in both
/// directions.
///
/// A transport retains its receiver from `open` to `close`, or to a `transportClosed` after which nothing can follow.
package protocol ControllerTransport: AnyObject, Sendable {
  /// Starts to open the connection; the receiver gets the result, possibly before this returns. Called once.
  func open(_ receiver: any ControllerTransportReceiver)

  /// Sends a packet to the controller, in the order of the calls. Without an open connection the packet is dropped.
  func send(_ packet: consuming [UInt8])

  /// Closes the connection. The receiver gets no call that begins after it.
  func close()
}

/// The receiver of a transport's calls. They arrive one at a time, in order.
package protocol ControllerTransportReceiver: AnyObject, Sendable {
  /// The connection is open and the controller is as after power-on.
  func transportOpened()

  /// A packet arrived from the controller.
  func transportReceived(_ packet: consuming [UInt8])

  /// The connection is closed, or could not be opened; `reason` is for the log. `transportOpened()` may follow only
  /// from a transport whose controller can be switched off, as a virtual one, or which reconnects.
  func transportClosed(_ reason: String?)
}
