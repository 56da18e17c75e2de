/// What the server half of a bearer wants done, in this order.
package enum ATTServerOutput: Sendable {
  /// An ATT PDU for the peer, with the headroom of an outgoing frame.
  case send([UInt8])
  /// Ask an attribute's owner for its value; `ATTServer.respond` brings the answer.
  case readRequest(ClientID, GATTReadRequest)
  /// Hand bytes to an attribute's owner; if the request has an id, `ATTServer.respond` brings the answer.
  case writeRequest(ClientID, GATTWriteRequest)
  /// The peer configured a characteristic, named by its value's handle, or the link ended while it was configured.
  case subscriptionChanged(ClientID, AttributeHandle, Subscription)
  /// ATT_MTU changed, in bytes; the client half is to be told. It holds for what is sent after this output.
  case mtu(Int)
  /// An indication of this value was confirmed, and there is room for another one.
  case indicationConfirmed(AttributeHandle)
  /// The bearer is dead and the link is to be closed (Core 6.0 Vol 3 Part F 3.3.3): the peer confirmed no indication for
  /// 30 s, or sent a third request while the first waited for its answer.
  case bearerDead
}

/// What became of a value that a server wants to send of its own accord.
package enum ATTServerUpdate: Sendable {
  /// The peer did not ask for it; nothing is to be done.
  case notSubscribed
  /// To be sent now.
  case send([UInt8])
  /// An indication that is sent once those before it are confirmed.
  case queued
  /// Too many indications wait; `ATTServerOutput.indicationConfirmed` tells when there is room.
  case full
}

/// A request is refused: what its Error Response says.
struct ATTRefusal: Error {
  var code: ATTErrorCode
  var handle: AttributeHandle

  init(_ code: ATTErrorCode, _ handle: AttributeHandle = 0) {
    self.code = code
    self.handle = handle
  }
}
