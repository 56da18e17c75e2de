package import LatchkeyByteCoding

/// The server half of an ATT bearer (Core 6.0 Vol 3 Part F 3.3, Part G 4): one for each link, all over one database.
///
/// Inputs: `receive` with every PDU that is not for the client half (`ATTOpcode.isForClient`), `respond` with an
/// owner's answer, `update` with a value to notify or indicate, `attributesRemoved` after a service was removed,
/// `databaseChanged` after that and after one was added, `restore`, `handleTimeout`, `disconnect`. Each appends to `outputs` the actions to perform, in order. `ids` counts the requests
/// to owners over all links; each request gets the next number, combined with its link's.
///
/// One request is answered at a time. While an owner is asked, one more is buffered; a peer that sends a third violates
/// the protocol (3.3.2) and loses the link. Commands and confirmations pass at once.
package struct ATTServer: Sendable {
  /// The link in requests of this server.
  let link: LinkID
  /// The peer in requests of this server.
  let peer: BluetoothAddress
  /// Server Rx MTU, in bytes: the answer to an exchange.
  let preferredMTU: Int
  /// ATT_MTU in bytes, one for both halves of a bearer; the caller sets it here after an `mtu` output of either.
  package var mtu = ATTLimits.defaultMTU
  /// The link's security now; the caller sets it.
  package var security = LinkSecurity()
  /// Whether this host has a key of the link; the caller sets it.
  package var hasKey = false
  /// The least size of a key that suffices for attributes which need encryption, in bytes.
  let leastKeySize: UInt8
  /// Whether the bearer handles no more PDUs.
  package internal(set) var isDead = false

  /// The request that waits for an owner; one at a time.
  var waiting = Waiting()
  /// Further state of the request if it reads several attributes.
  var multipleRead: MultipleRead?
  /// Further state of the request if it is an Execute Write Request.
  var execution: WriteExecution?
  /// A request that arrived while an owner was asked.
  private var buffered: ByteReader?
  var subscriptions = LinkSubscriptions()
  var prepared = PreparedWrites()
  var indications = IndicationQueue()
  /// What the peer knows of the database.
  var awareness = ClientAwareness()
  /// Whether something changed that is kept of a bonded peer; the caller resets it.
  package var hasChangedClient = false

  /// A request that waits for an owner. It is small, so that recording the common ones costs nothing.
  struct Waiting: Sendable {
    /// The number of the request to the owner; 0 if none waits.
    var id: UInt64 = 0
    /// The request.
    var request = ATTOpcode.readRequest
    /// The attribute.
    var handle: AttributeHandle = 0
    /// The bits of the client configuration that the owner is asked about.
    var bits: UInt8 = 0
  }

  /// The server half of a link that is up.
  package init(link: LinkID, peer: BluetoothAddress, preferredMTU: Int, leastKeySize: UInt8 = 7) {
    self.link = link
    self.peer = peer
    self.leastKeySize = leastKeySize
    self.preferredMTU = max(ATTLimits.defaultMTU, min(preferredMTU, Int(UInt16.max)))
  }

  /// Handles a PDU of the peer, opcode first.
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
      return  // 3.3.1: an unknown command is ignored.
    } else if waiting.id == 0 {
      answer(pdu, database, &ids, &outputs)
    } else if buffered == nil {
      buffered = pdu
    } else {
      die(&outputs)
    }
  }

  /// Handles an owner's answer. An answer to a request of another link, or to one that no longer waits, changes nothing
  /// and returns false.
  package mutating func respond(
    to request: ServerRequestID, with response: GATTServerResponse, database: GATTDatabase, ids: inout UInt64,
    into outputs: inout [ATTServerOutput]
  ) -> Bool {
    let asked = waiting
    guard !isDead, asked.id == request.value, asked.id != 0 else { return false }
    waiting.id = 0
    switch asked.request {
    case .writeRequest: finishWrite(asked, response, database, &outputs)
    case .readMultipleRequest, .readMultipleVariableRequest: resumeReadMultiple(response, database, &ids, &outputs)
    case .executeWriteRequest: resumeExecuteWrite(response, database, &ids, &outputs)
    default: finishRead(asked.request, asked.handle, response, &outputs)
    }
    if waiting.id == 0, let pdu = buffered {
      buffered = nil
      answer(pdu, database, &ids, &outputs)
    }
    return true
  }

  /// Handles the removal of the attributes in `range`: their subscriptions end, and requests that wait for one fail.
  package mutating func attributesRemoved(
    in range: AttributeHandleRange, database: GATTDatabase, ids: inout UInt64, into outputs: inout [ATTServerOutput]
  ) {
    subscriptions.remove(in: range)
    // Another characteristic may have the handle by then, with subscribers of its own.
    indications.waiting.removeAll { range.contains($0.handle) }
    execution?.configurations.removeAll { range.contains($0.valueHandle) }
    guard waiting.id != 0, range.contains(waiting.handle) || execution?.asks(in: range) == true else { return }
    let orphan = ServerRequestID(waiting.id)
    _ = respond(
      to: orphan, with: .error(.invalidHandle), database: database, ids: &ids, into: &outputs)
  }

  /// When to call `handleTimeout`.
  package var nextDeadline: Duration? { isDead ? nil : indications.deadline }

  /// Starts the peer's time to confirm: the last fragment of the outstanding indication has left (Core 6.0 Vol 3 Part F
  /// 3.3.3).
  package mutating func indicationWasSent(now: Duration) { postpone(until: now + ATTLimits.transactionTimeout) }

  /// Moves the deadline of a peer that could not confirm yet.
  package mutating func postpone(until later: Duration) {
    if indications.outstanding != nil { indications.deadline = later }
  }

  /// Handles the passing of `nextDeadline`.
  package mutating func handleTimeout(now: Duration, into outputs: inout [ATTServerOutput]) {
    guard let deadline = nextDeadline, deadline <= now else { return }
    die(&outputs)
  }

  /// The error for a read that is not permitted on this link now; nil if it is.
  @inline(__always)
  func readRefusal(of attribute: GATTAttribute) -> ATTErrorCode? {
    attribute.readRefusal(for: security, hasKey: hasKey, leastKeySize: leastKeySize)
  }

  /// Handles the end of the link: subscriptions end, and late answers are ignored.
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
    buffered = nil
    prepared = PreparedWrites()
    indications = IndicationQueue()
  }
}
