/// An action that the server half of a bearer requests, in order.
package enum ATTServerOutput: Sendable {
  /// Send an ATT PDU to the peer; it has the headroom of an outgoing frame.
  case send([UInt8])
  /// Ask an attribute's owner for its value; its answer goes to `ATTServer.respond`.
  case readRequest(ClientID, GATTReadRequest)
  /// Hand bytes to an attribute's owner; if the request has an id, the answer goes to `ATTServer.respond`.
  case writeRequest(ClientID, GATTWriteRequest)
  /// The peer configured a characteristic, identified by its value's handle, or the link ended while it was configured.
  case subscriptionChanged(ClientID, AttributeHandle, Subscription)
  /// ATT_MTU changed, in bytes; set it in the client half. It applies to frames sent after this output.
  case mtu(Int)
  /// An indication of this value was confirmed, and the queue has space for another one.
  case indicationConfirmed(AttributeHandle)
  /// The bearer is dead and the link is to be closed (Core 6.0 Vol 3 Part F 3.3.3): the peer confirmed no indication for
  /// 30 s, or sent a third request while the first waited for its answer.
  case bearerDead
}

/// The result of a value that the server sends on its own initiative.
package enum ATTServerUpdate: Sendable {
  /// The peer is not subscribed; there is nothing to do.
  case notSubscribed
  /// To be sent now.
  case send([UInt8])
  /// An indication that is sent once those before it are confirmed.
  case queued
  /// Too many indications wait; `ATTServerOutput.indicationConfirmed` follows when the queue has space.
  case full
}

/// The refusal of a request: the content of its Error Response.
struct ATTRefusal: Error {
  var code: ATTErrorCode
  var handle: AttributeHandle

  init(_ code: ATTErrorCode, _ handle: AttributeHandle = 0) {
    self.code = code
    self.handle = handle
  }
}
