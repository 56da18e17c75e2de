/// What the client half of a bearer wants done, in this order.
package enum GATTClientOutput: Sendable {
  /// The end of a procedure; each one that was submitted ends exactly once.
  case completion(RequestID, GATTOutcome)
  /// A value came by itself, by notification or indication, for these clients.
  case notification(AttributeHandle, [UInt8], [ClientID])
  /// An ATT PDU for the peer that is no request: a confirmation. With the headroom of an outgoing frame.
  case send([UInt8])
  /// ATT_MTU changed, in bytes; the server half is to be told.
  case mtu(Int)
  /// The peer's database changed in this range. What was discovered, and who subscribed, in it no longer holds.
  case servicesChanged(AttributeHandleRange)
  /// The bearer is dead and the link is to be closed (Core 6.0 Vol 3 Part F 3.3.3): the peer did not answer for 30 s, or
  /// answered another request than the one that was out. All procedures have ended.
  case bearerDead
}
