package import ByteCoding

/// The server half of an ATT bearer (Core 6.0 Vol 3 Part F 3.3, Part G 4): one for each link, all over one database.
///
/// Inputs: `receive` with every PDU that is not for the client half (`ATTOpcode.isForClient`), `respond` with an owner's
/// answer, `update` with a value to notify or indicate, `attributesRemoved` after a service went, `handleTimeout`,
/// `disconnect`. Each appends to `outputs` what is to be done, in order. `ids` counts the requests that were put to owners
/// over all links; each takes the next number.
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

  /// Which owner is asked what; one at a time.
  var waiting = Waiting.nothing
  /// A request that came while an owner was asked.
  private var kept: ByteReader?
  var subscriptions = LinkSubscriptions()
  var prepared = PreparedWrites()
  var indications = IndicationQueue()

  /// A request that waits for an owner.
  enum Waiting: Sendable {
    case nothing
    case read(UInt64, ATTOpcode, AttributeHandle)
    case readMultiple(UInt64, MultipleRead)
    case write(UInt64, AttributeHandle)
    case execute(UInt64, WriteExecution)
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
    } else if case .nothing = waiting {
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
    guard !isDead else { return false }
    switch waiting {
    case .read(request.value, let opcode, let handle):
      waiting = .nothing
      finishRead(opcode, handle, response, &outputs)
    case .write(request.value, let handle):
      waiting = .nothing
      finishWrite(handle, response, &outputs)
    case .readMultiple(request.value, let read):
      waiting = .nothing
      resume(read, response, database, &ids, &outputs)
    case .execute(request.value, let execution):
      waiting = .nothing
      resume(execution, response, database, &ids, &outputs)
    default: return false
    }
    if case .nothing = waiting, let pdu = kept {
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
    if case .execute(let id, var execution) = waiting {
      execution.configurations.removeAll { range.contains($0.valueHandle) }
      waiting = .execute(id, execution)
    }
    let orphan: UInt64? =
      switch waiting {
      case .read(let id, _, let handle), .write(let id, let handle): range.contains(handle) ? id : nil
      case .readMultiple(let id, let read): range.contains(read.handle) ? id : nil
      case .execute(let id, let execution): execution.asks(in: range) ? id : nil
      case .nothing: nil
      }
    guard let orphan else { return }
    _ = respond(
      to: ServerRequestID(orphan), with: .error(.invalidHandle), database: database, ids: &ids, into: &outputs)
  }

  /// When `handleTimeout` is due.
  package var nextDeadline: Duration? { isDead ? nil : indications.deadline }

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
    waiting = .nothing
    kept = nil
    prepared = PreparedWrites()
    indications = IndicationQueue()
  }
}
