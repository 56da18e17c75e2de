package import LatchkeyByteCoding

/// The client half of an ATT bearer: procedures one at a time, in the order of submission, and the values that a peer
/// sends on its own initiative (Core 6.0 Vol 3 Part G 4).
///
/// Inputs: `submit`, `receive` with every PDU that is for a client (`ATTOpcode.isForClient`), `handleTimeout`,
/// `removeClient`, `disconnect`. After each, call `nextFrame` until it returns nil and send the frames: requests leave
/// only that way, and the 30 s for an answer begin there. Each input appends to `outputs` the actions to perform, in
/// order. Write Commands are separate frames (`writeCommand`) and do not wait.
///
/// A client's request that the peer refuses for lack of security is held once (`needsSecurity`): the caller raises the
/// link's security and calls `resume`, which sends that request again, or `giveUp`.
package struct GATTClient: Sendable {
  /// The most procedures that may wait on one link.
  package static let mostWaiting = 1024

  /// ATT_MTU in bytes, one for both halves of a bearer; the caller sets it here after an `mtu` output of either.
  package var mtu = ATTLimits.defaultMTU
  /// Whether the bearer handles no more PDUs.
  package private(set) var isDead = false
  /// The number of ignored PDUs: unexpected answers, and PDUs that cannot be decoded.
  package internal(set) var ignoredPDUs: UInt64 = 0

  private let preferredMTU: Int
  var exchange: Exchange
  private var att = ATTClient()
  var queue = ProcedureQueue()
  /// Procedures that run when no others wait.
  var background = ProcedureQueue()
  /// The procedure in progress; nil if there is none.
  var current: Current?
  var procedure = RunningProcedure()
  var subscribers = NotificationSubscribers()
  /// The value handle of the peer's Service Changed, once it is discovered.
  var serviceChangedHandle: AttributeHandle = 0
  /// Whether the peer was asked to indicate it for all clients of this host.
  var listensForServiceChanges = false
  /// How far the peer's database is known.
  var caching = Caching.off

  /// The refusal of the request that waits for security.
  var heldRefusal: ATTErrorResponse?
  /// Whether requests wait for the security of the link.
  package internal(set) var isHeld = false
  /// Why every procedure fails, on a link that cannot be encrypted although it must be.
  var barred: GATTFailure?

  /// Whether procedures may run: after the exchange, unless they are held or barred.
  enum Exchange: Sendable { case wanted, out, held, done }

  struct Current: Sendable {
    /// nil if no client waits for the outcome.
    var id: RequestID?
    var client: ClientID?
    /// Whether a refusal for lack of security may still raise it.
    var mayRaiseSecurity = false
    /// Whether it configures notifications, and was the first to add its client to the subscribers.
    var configures = false
    var addedListener = false
    /// Whether it reads the Database Hash.
    var readsHash = false
    /// The discovery whose outcome is recorded.
    var discovery: GATTProcedure?
  }

  /// The client half of a link that is up. A central exchanges ATT_MTU before all else (Core 6.0 Vol 3 Part G 4.3.1).
  package init(preferredMTU: Int, exchangesMTU: Bool) {
    self.preferredMTU = max(ATTLimits.defaultMTU, min(preferredMTU, Int(UInt16.max)))
    exchange = exchangesMTU && preferredMTU > ATTLimits.defaultMTU ? .wanted : .done
  }

  /// Queues a procedure; its completion follows in order.
  ///
  /// - Parameter mayRaiseSecurity: whether a refusal for lack of security raises it; not for what no app asked for.
  package mutating func submit(
    _ procedure: GATTProcedure, id: RequestID, client: ClientID, mayRaiseSecurity: Bool = true,
    into outputs: inout [GATTClientOutput]
  ) {
    if isDead { return outputs.append(.completion(id, .failed(.disconnected))) }
    guard queue.count + background.count < Self.mostWaiting else {
      return outputs.append(.completion(id, .failed(.queueFull)))
    }
    var entry = ProcedureQueue.Entry(procedure: procedure, id: id, client: client, mayRaiseSecurity: mayRaiseSecurity)
    if case .listenForServiceChanges = procedure {
      entry.mayRaiseSecurity = false
      return barred == nil ? background.append(entry) : fail(entry, &outputs)
    }
    // A bonded peer is asked for what the app wants first; else the name is soon there.
    if case .readFirst = procedure, !mayRaiseSecurity, isCaching, barred == nil { return background.append(entry) }
    // Most procedures are submitted while none is in progress.
    if current == nil, queue.count == 0, exchange == .done, !needsHash(procedure) {
      begin(entry, &outputs)
    } else if barred != nil {
      fail(entry, &outputs)
    } else {
      queue.append(entry)
    }
  }

  /// A Write Command (Core 6.0 Vol 3 Part G 4.9.1); nil if the value does not fit into ATT_MTU - 3 bytes, is longer than
  /// a value can be, or there is no attribute 0.
  package func writeCommand(_ value: [UInt8], to handle: AttributeHandle) -> [UInt8]? {
    guard value.count <= maximumCommandLength, handle > 0 else { return nil }
    return ATTWriteCommand(handle: handle, value: value).frame()
  }

  /// The most bytes in a Write Command.
  package var maximumCommandLength: Int { min(mtu - 3, ATTLimits.longestValue) }

  /// Whether there may be a request to send: false costs less than `nextFrame`, which is asked after each packet.
  // Mutating, since a getter would copy the whole of it out of its link.
  @inline(__always)
  mutating func mayHaveFrame() -> Bool {
    att.outstanding == nil
      && (current != nil || exchange == .wanted || queue.count > 0 || background.count > 0)
  }

  /// The next request to send, if one may be sent now. A procedure that needs no request, such as one with invalid
  /// arguments, ends here.
  package mutating func nextFrame(now: Duration, into outputs: inout [GATTClientOutput]) -> [UInt8]? {
    guard !isDead, att.outstanding == nil else { return nil }
    if exchange == .wanted {
      guard !isHeld else { return nil }
      exchange = .out
      att.sent(.exchangeMTURequest, now: now)
      return ATTExchangeMTURequest(mtu: UInt16(truncatingIfNeeded: preferredMTU)).frame()
    }
    guard exchange == .done else { return nil }
    while current == nil {
      guard let entry = queue.first ?? background.first else { return nil }
      if needsHash(entry.procedure) {
        beginHash()
      } else {
        if queue.popFirst() == nil { _ = background.popFirst() }
        begin(entry, &outputs)
      }
    }
    let (frame, request) = procedure.next(mtu: mtu)
    att.sent(request, now: now)
    return frame
  }

  /// Handles a PDU of the peer, opcode first.
  package mutating func receive(_ pdu: ByteReader, into outputs: inout [GATTClientOutput]) {
    var parameters = pdu
    guard !isDead, let opcode = try? parameters.uint8("ATT opcode") else { return }
    switch opcode {
    case ATTOpcode.handleValueNotification.rawValue: receiveNotification(parameters, &outputs)
    case ATTOpcode.handleValueIndication.rawValue: receiveIndication(parameters, &outputs)
    case ATTOpcode.multipleHandleValueNotification.rawValue: receiveNotifications(parameters, &outputs)
    default: receiveAnswer(opcode, parameters, &outputs)
    }
  }

  /// When to call `handleTimeout`.
  package var nextDeadline: Duration? { att.deadline }

  /// Starts the peer's time to answer: the last fragment of the outstanding request has left (Core 6.0 Vol 3 Part F
  /// 3.3.3).
  package mutating func requestWasSent(now: Duration) { att.postpone(until: now + ATTLimits.transactionTimeout) }

  /// Moves the deadline of a peer that could not answer yet.
  package mutating func postpone(until later: Duration) { att.postpone(until: later) }

  /// Handles the passing of `nextDeadline`.
  package mutating func handleTimeout(now: Duration, into outputs: inout [GATTClientOutput]) {
    guard let deadline = att.deadline, deadline <= now else { return }
    die(.timedOut, rest: .timedOut, &outputs)
    outputs.append(.bearerDead)
  }

  /// Handles the end of the link: all procedures end, in order.
  package mutating func disconnect(into outputs: inout [GATTClientOutput]) {
    die(.disconnected, rest: .disconnected, &outputs)
  }

  /// Removes a client: its procedures end, in order, and notifications without another subscriber are turned off.
  package mutating func removeClient(_ client: ClientID, into outputs: inout [GATTClientOutput]) {
    if current?.client == client {
      // The outstanding request needs its answer before the next one, and parts that a peer has queued must be written
      // or cancelled: the procedure continues without its client.
      if let id = current?.id { outputs.append(.completion(id, .failed(.disconnected))) }
      current?.id = nil
      // Nobody waits for the security any more.
      if heldRefusal != nil { giveUp(nil, into: &outputs) }
    }
    for entry in queue.remove(client) + background.remove(client) {
      if let id = entry.id { outputs.append(.completion(id, .failed(.disconnected))) }
    }
    for entry in subscribers.entries where entry.clients.contains(client) {
      subscribers.remove(client, from: entry.valueHandle)
      silence(entry.valueHandle)
    }
  }
}

// MARK: - Procedures

extension GATTClient {
  private mutating func begin(_ entry: ProcedureQueue.Entry, _ outputs: inout [GATTClientOutput]) {
    if case .configureNotifications(let characteristic, let enabled) = entry.procedure {
      return configure(characteristic, enabled: enabled, entry, &outputs)
    }
    if case .listenForServiceChanges = entry.procedure, listensForServiceChanges {
      if let id = entry.id { outputs.append(.completion(id, .written)) }
      return
    }
    if let outcome = knownOutcome(of: entry.procedure) {
      noteServiceChanged(in: outcome)
      if let id = entry.id { outputs.append(.completion(id, outcome)) }
    } else if let outcome = entry.procedure.begin(in: &procedure, mtu: mtu) {
      if let id = entry.id { outputs.append(.completion(id, outcome)) }
    } else {
      current = Current(id: entry.id, client: entry.client, mayRaiseSecurity: entry.mayRaiseSecurity)
      guard let known = verifiedDatabase, entry.procedure.isDiscovery else { return }
      current?.discovery = entry.procedure
      if case .listenForServiceChanges = entry.procedure, let found = known.serviceChanged {
        procedure.begin(ServiceChangedConfiguration(valueHandle: found.valueHandle, descriptor: found.descriptor))
      }
    }
  }

  private mutating func receiveAnswer(
    _ opcode: UInt8, _ parameters: ByteReader, _ outputs: inout [GATTClientOutput]
  ) {
    let answer = att.receive(opcode, parameters)
    switch answer {
    case .unasked: ignoredPDUs &+= 1
    case .mismatch:
      die(.peerMisbehaved, rest: .disconnected, &outputs)
      outputs.append(.bearerDead)
    case .response, .refused:
      if exchange == .out {
        exchange = isHeld ? .held : .done
        if case .response = answer { finishExchange(parameters, &outputs) }
      } else if current != nil, let outcome = advance(answer, parameters, &outputs) {
        finish(outcome, &outputs)
      }
    }
  }

  private mutating func advance(
    _ answer: ATTClient.Answer, _ parameters: ByteReader, _ outputs: inout [GATTClientOutput]
  ) -> GATTOutcome? {
    if case .refused(let error) = answer { return refused(error, &outputs) }
    do throws(ByteCodingError) {
      return try procedure.receive(parameters, mtu: mtu)
    } catch {
      return .failed(.peerMisbehaved)
    }
  }

  mutating func finish(_ outcome: GATTOutcome, _ outputs: inout [GATTClientOutput]) {
    guard let done = current else { return }
    current = nil
    if done.readsHash {
      procedure.end()
      return hashWasRead(outcome)
    }
    if done.configures { settle(done, outcome) }
    if case .written = outcome, let found = procedure.serviceChanges?.found {
      listensForServiceChanges = true
      serviceChangedHandle = found.valueHandle
      subscribers[found.valueHandle].descriptor = found.descriptor
      subscribers[found.valueHandle].isOn = true
      if done.discovery != nil { addToDatabase { $0.serviceChanged = found } }
    }
    if let discovery = done.discovery { addToDatabase { $0.record(outcome, of: discovery) } }
    noteServiceChanged(in: outcome)
    procedure.end()
    if let id = done.id { outputs.append(.completion(id, outcome)) }
  }

  private mutating func noteServiceChanged(in outcome: GATTOutcome) {
    guard case .characteristics(let found) = outcome,
      let characteristic = found.first(where: { $0.uuid == AttributeType.serviceChanged })
    else { return }
    serviceChangedHandle = characteristic.valueHandle
  }

  /// Core 6.0 Vol 3 Part F 3.4.2.2. A response that cannot be decoded leaves ATT_MTU unchanged, as a refusal does.
  private mutating func finishExchange(_ parameters: ByteReader, _ outputs: inout [GATTClientOutput]) {
    guard let response = try? ATTExchangeMTUResponse(whole: parameters) else { return ignoredPDUs &+= 1 }
    let agreed = ATTLimits.mtu(own: preferredMTU, peer: Int(response.mtu))
    guard agreed > mtu else { return }
    mtu = agreed
    outputs.append(.mtu(agreed))
  }

  /// Handles a refusal. One for lack of security is held, once: no outcome yet, and no other request meanwhile.
  private mutating func refused(_ error: ATTErrorResponse, _ outputs: inout [GATTClientOutput]) -> GATTOutcome? {
    guard error.code.asksForSecurity, let current, current.mayRaiseSecurity, current.id != nil,
      let client = current.client
    else {
      noteRefusal(error, &outputs)
      return procedure.refused(error)
    }
    self.current?.mayRaiseSecurity = false
    heldRefusal = error
    hold()
    outputs.append(.needsSecurity(error.code, client))
    return nil
  }

  mutating func fail(_ entry: ProcedureQueue.Entry, _ outputs: inout [GATTClientOutput]) {
    if let id = entry.id, let barred { outputs.append(.completion(id, .failed(barred))) }
  }

  private mutating func die(_ failure: GATTFailure, rest: GATTFailure, _ outputs: inout [GATTClientOutput]) {
    guard !isDead else { return }
    isDead = true
    att.reset()
    heldRefusal = nil
    subscribers = NotificationSubscribers()
    if let id = current?.id { outputs.append(.completion(id, .failed(failure))) }
    current = nil
    procedure.end()
    while let entry = queue.popFirst() ?? background.popFirst() {
      if let id = entry.id { outputs.append(.completion(id, .failed(rest))) }
    }
  }
}

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
  /// A request of this client was refused for lack of security. All procedures wait for `resume`, `giveUp` or `bar`.
  case needsSecurity(ATTErrorCode, ClientID)
  /// The bearer is dead and the link is to be closed (Core 6.0 Vol 3 Part F 3.3.3): the peer did not answer for 30 s,
  /// or answered a request other than the outstanding one. All procedures have ended.
  case bearerDead
}
