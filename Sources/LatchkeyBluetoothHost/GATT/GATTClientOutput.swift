/// An action that the client half of a bearer requests, in order.
package enum GATTClientOutput: Sendable {
  /// The end of a procedure; each one that was submitted ends exactly once.
  case completion(RequestID, GATTOutcome)
  /// An unsolicited value, by notification or indication, for these clients.
  case notification(AttributeHandle, [UInt8], [ClientID])
  /// An ATT PDU for the peer that is no request: a confirmation. With the headroom of an outgoing frame.
  case send([UInt8])
  /// ATT_MTU changed, in bytes; set it in the server half.
  case mtu(Int)
  /// The peer's database changed in this range. Discovered attributes and subscriptions in it are no longer valid.
  case servicesChanged(AttributeHandleRange)
  /// The bearer is dead and the link is to be closed (Core 6.0 Vol 3 Part F 3.3.3): the peer did not answer for 30 s,
  /// or answered a request other than the outstanding one. All procedures have ended.
  case bearerDead
}
