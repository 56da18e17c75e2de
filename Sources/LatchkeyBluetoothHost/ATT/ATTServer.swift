package import LatchkeyByteCoding

/// The server half of an ATT bearer (Core 6.0 Vol 3 Part F 3.3, Part G 4): one for each link, all over one database.
///
/// Inputs: `receive` with every PDU that is not for the client half (`ATTOpcode.isForClient`), `respond` with an owner's
/// answer, `update` with a value to notify or indicate, `attributesRemoved` after a service went, `handleTimeout`,
/// `disconnect`. Each appends to `outputs` what is to be done, in order. `ids` counts the requests that were put to owners
/// over all links; each takes the next number, and its link's.
///
/// One request is answered at a time. While an owner is asked, one more is kept; a peer that sends a third breaks the
/// protocol (3.3.2) and loses the link. Commands and confirmations pass at once.
package struct ATTServer: Sendable {
  /// The link that requests of this server name.
  let link: LinkID
  /// The peer that requests of this server name.
  let peer: BluetoothAddress
  /// Server Rx MTU, in bytes: what is answered to an exchange.
  let preferredMTU: Int
  /// ATT_MTU in bytes: one for both halves of a bearer; `mtu` outputs of either are to be set here.
  package var mtu = ATTLimits.defaultMTU
  /// Whether the link is encrypted now.
  package var isEncrypted = false
  /// Whether the bearer takes no more PDUs.
  package internal(set) var isDead = false

  /// The request that waits for an owner; one at a time.
  var waiting = Waiting()
  /// What else there is to know of it if it is a Read Multiple Request.
  var multipleRead: MultipleRead?
  /// What else there is to know of it if it is an Execute Write Request.
  var execution: WriteExecution?
  /// A request that came while an owner was asked.
  private var kept: ByteReader?
  var subscriptions = LinkSubscriptions()
  var prepared = PreparedWrites()
  var indications = IndicationQueue()

  /// A request that waits for an owner, small so that the common ones cost nothing to note.
  struct Waiting: Sendable {
    /// The number under which the owner was asked; 0 if nothing waits.
    var id: UInt64 = 0
    /// The request.
    var request = ATTOpcode.readRequest
    /// The attribute.
    var handle: AttributeHandle = 0
  }

  /// The server half of a link that is up.
  package init(link: LinkID, peer: BluetoothAddress, preferredMTU: Int) {
    self.link = link
    self.peer = peer
    self.preferredMTU = max(ATTLimits.defaultMTU, min(preferredMTU, Int(UInt16.max)))
  }

  /// Takes a PDU of the peer, opcode first.
  package mutating func receive(
    _ pdu: ByteReader, database: GATTDatabase, now: Duration, ids: inout UInt64,
    into outputs: inout [ATTServerOutput]
  ) {
    guard !isDead, let opcode = pdu.peek() else { return }
    if opcode == ATTOpcode.writeCommand.rawValue {
      receiveWriteCommand(pdu, database, &outputs)
    } else if opcode == ATTOpcode.handleValueConfirmation.rawValue {
      receiveConfirmation(pdu, now: now, into: &outputs)
    } else if opcode & ATTOpcode.commandFlag != 0 {
      return  // 3.3.1: a command that is not known is ignored.
    } else if waiting.id == 0 {
      answer(pdu, database, &ids, &outputs)
    } else if kept == nil {
      kept = pdu
    } else {
      die(&outputs)
    }
  }

  /// An owner's answer. Answers to requests that are not of this link, or no longer wait, change nothing and return false.
  package mutating func respond(
    to request: ServerRequestID, with response: GATTServerResponse, database: GATTDatabase, ids: inout UInt64,
    into outputs: inout [ATTServerOutput]
  ) -> Bool {
    let asked = waiting
    guard !isDead, asked.id == request.value, asked.id != 0 else { return false }
    waiting.id = 0
    switch asked.request {
    case .writeRequest: finishWrite(asked.handle, response, &outputs)
    case .readMultipleRequest: resumeReadMultiple(response, database, &ids, &outputs)
    case .executeWriteRequest: resumeExecuteWrite(response, database, &ids, &outputs)
    default: finishRead(asked.request, asked.handle, response, &outputs)
    }
    if waiting.id == 0, let pdu = kept {
      kept = nil
      answer(pdu, database, &ids, &outputs)
    }
    return true
  }

  /// The attributes in `range` are gone: nobody is subscribed to them, and who waits for one learns it.
  package mutating func attributesRemoved(
    in range: AttributeHandleRange, database: GATTDatabase, ids: inout UInt64, into outputs: inout [ATTServerOutput]
  ) {
    subscriptions.remove(in: range)
    // Another characteristic may have the handle when their turn comes, and be subscribed to.
    indications.waiting.removeAll { range.contains($0.handle) }
    execution?.configurations.removeAll { range.contains($0.valueHandle) }
    guard waiting.id != 0, range.contains(waiting.handle) || execution?.asks(in: range) == true else { return }
    let orphan = ServerRequestID(waiting.id)
    _ = respond(
      to: orphan, with: .error(.invalidHandle), database: database, ids: &ids, into: &outputs)
  }

  /// When `handleTimeout` is due.
  package var nextDeadline: Duration? { isDead ? nil : indications.deadline }

  /// The last part of the indication that is out has left: the peer's time begins (Core 6.0 Vol 3 Part F 3.3.3).
  package mutating func indicationHasGone(now: Duration) { postpone(until: now + ATTLimits.transactionTimeout) }

  /// The peer could not confirm yet, and has until then.
  package mutating func postpone(until later: Duration) {
    if indications.outstanding != nil { indications.deadline = later }
  }

  /// Time went on.
  package mutating func handleTimeout(now: Duration, into outputs: inout [ATTServerOutput]) {
    guard let deadline = nextDeadline, deadline <= now else { return }
    die(&outputs)
  }

  /// The link ended: what was subscribed is so no longer, and answers still to come are for nobody.
  package mutating func disconnect(into outputs: inout [ATTServerOutput]) {
    for entry in subscriptions.entries {
      if let owner = entry.owner { outputs.append(.subscriptionChanged(owner, entry.valueHandle, .none)) }
    }
    subscriptions = LinkSubscriptions()
    abandon()
  }

  private mutating func die(_ outputs: inout [ATTServerOutput]) {
    abandon()
    outputs.append(.bearerDead)
  }

  private mutating func abandon() {
    isDead = true
    waiting = Waiting()
    multipleRead = nil
    execution = nil
    kept = nil
    prepared = PreparedWrites()
    indications = IndicationQueue()
  }
}
