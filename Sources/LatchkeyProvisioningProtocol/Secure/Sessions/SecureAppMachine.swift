import LatchkeyByteCoding

/// The app's end of the secure protocol, for one connection. The page SecureProtocol specifies it.
///
/// `opened` is reported when the device has proved the code. The first request travels with this side's proof: it should be
/// performed at once, for after `finishDelay` the proof is sent without one. A resumed session is this side's proof too, and waits for
/// its first record: after `finishDelay` without a request the machine asks for the status by itself, and tells nobody of the answer.
package struct SecureAppMachine: ProvisioningAppMachine {
  /// What an app knows of the device before it connects.
  package struct Knowledge: Sendable {
    /// The code; nil: only a resumption opens a session.
    package var code: SecureCode?
    /// What was kept of an earlier session.
    package var resumption: SecureResumption?
    /// The device's identifier, from its QR code; nil: any device with the code.
    package var deviceIdentifier: [UInt8]?
    /// The suites that are acceptable.
    package var suites: [SecureSuite] = SecureSuite.allCases

    package init(
      code: SecureCode?, resumption: SecureResumption? = nil, deviceIdentifier: [UInt8]? = nil,
      suites: [SecureSuite] = SecureSuite.allCases
    ) {
      self.code = code
      self.resumption = resumption
      self.deviceIdentifier = deviceIdentifier
      self.suites = suites
    }
  }

  static let answerTime = Duration.seconds(10)
  static let requestTime = Duration.seconds(30)
  static let joinTime = Duration.seconds(120)
  static let finishDelay = Duration.milliseconds(50)

  enum Phase: Sendable {
    case idle
    /// INFO and the subscription are under way.
    case discovering
    case awaitingReply(SecureAppHandshake)
    case awaitingResumed(NoiseNNpsk0, SecureTicket)
    /// The device has proved the code; the finish waits for the first request.
    case finishing(SecureChannel, tag: [UInt8])
    case open(SecureChannel)
    case over
  }

  package private(set) var nextDeadline: Duration?
  /// What lets the app come back without the code: to be stored when it changes, before the actions of the input are performed. Nil
  /// if the device does not resume, or has not been reached.
  package private(set) var resumption: SecureResumption?
  /// What the device says of itself.
  package private(set) var information: SecureInformation?

  var phase = Phase.idle
  var request: SecureAppRequest?
  private let known: Knowledge
  private let randomness: SecureRandomness
  private var informationBytes: [UInt8]?
  private var isSubscribed = false
  /// A request that waits for the end of one that the machine made by itself.
  var waitingRequest: AppRequest?
  private var untriedTickets: [SecureTicket] = []
  private var isFirstRecord = true
  /// Whether a resumed session has had no record of the app yet.
  private var isUnconfirmed = false
  private var reassembler = SecureReassembler(limit: SecureMessage.greatestEarlyLength)
  private var limit: Duration?
  private var actions: [AppAction] = []
  private var writesWithoutResponse = 0
  private var lastID: UInt8 = 0

  package init(_ knowledge: Knowledge, randomness: SecureRandomness) {
    self.known = knowledge
    self.randomness = randomness
    resumption = knowledge.resumption
  }

  /// Once the device has proved the code.
  package var knowledge: AppKnowledge? {
    guard let information else { return nil }
    switch phase {
    case .finishing, .open:
      return AppKnowledge(deviceIdentifier: information.deviceIdentifier, resumption: resumption?.bytes)
    case .idle, .discovering, .awaitingReply, .awaitingResumed, .over: return nil
    }
  }

  package mutating func dequeueActions() -> [AppAction] {
    defer { actions = [] }
    return actions
  }

  package mutating func begin(_ service: ProvisioningService, context: AppContext) {
    guard case .idle = phase else { return }
    let found = Set(service.characteristics.map(\.uuid))
    for wanted in [SecureService.information, SecureService.transmit, SecureService.receive]
    where !found.contains(wanted) {
      return fail(.unsupported("the device's service has no characteristic \(wanted)"))
    }
    phase = .discovering
    wait(Self.answerTime, context)
    actions += [.read(SecureService.information), .subscribe(SecureService.receive)]
    updateDeadline()
  }

  package mutating func handle(_ input: AppInput, context: AppContext) {
    handleTimeout(context: context)
    if case .over = phase { return }
    switch input {
    case .read(SecureService.information, let value): read(value, context)
    case .subscribed(SecureService.receive):
      isSubscribed = true
      start(context)
    case .notified(SecureService.receive, let value): notified(value, context)
    case .readFailed(_, let failure), .subscriptionFailed(_, let failure), .writeFailed(_, let failure):
      fail(Self.failure(failure))
    case .wrote, .read, .subscribed, .notified: break
    }
    updateDeadline()
  }

  package mutating func perform(_ request: AppRequest, context: AppContext) {
    if self.request?.isOwn == true, waitingRequest == nil { return waitingRequest = request }
    guard self.request == nil else { return report(.requestFailed(.busy)) }
    let isReady =
      switch phase {
      case .finishing, .open: true
      case .idle, .discovering, .awaitingReply, .awaitingResumed, .over: false
      }
    guard isReady else { return report(.requestFailed(.disconnected)) }
    let pending = SecureAppRequest(request)
    isUnconfirmed = false
    self.request = pending
    if let refusal = pending.refusal(by: information) {
      self.request = nil
      return report(.requestFailed(refusal))
    }
    sendRequest(context)
    updateDeadline()
  }

  package mutating func handleTimeout(context: AppContext) {
    if let deadline = reassembler.deadline, context.now >= deadline {
      return fail(.malformed("a message stayed incomplete"))
    }
    guard let limit, context.now >= limit else { return }
    self.limit = nil
    switch phase {
    // Nobody had a request: the proof is due anyway.
    case .finishing(let channel, let tag): finish(channel, tag: tag, context)
    case .open where isUnconfirmed: confirm(context)
    case .open:
      // Without its response the session cannot go on: the next response would be taken for this one's.
      fail(.timedOut)
    case .idle, .discovering, .awaitingReply, .awaitingResumed: fail(.timedOut)
    case .over: break
    }
    updateDeadline()
  }

  /// The device has the app's word only with its first record, and gives it ten seconds: a person who chooses takes longer.
  private mutating func confirm(_ context: AppContext) {
    isUnconfirmed = false
    request = SecureAppRequest(.status, isOwn: true)
    sendRequest(context)
  }

  /// A session that closes before its first request still proves the code: the device would count a failed try.
  package mutating func close(context: AppContext) {
    guard case .finishing(let channel, let tag) = phase else { return }
    finish(channel, tag: tag, context)
    updateDeadline()
  }

  private mutating func finish(_ channel: SecureChannel, tag: [UInt8], _ context: AppContext) {
    var channel = channel
    guard let message = channel.finish(tag: tag, []) else { return fail(.disconnected) }
    limit = nil
    phase = .open(channel)
    send(message, context)
  }

  private mutating func read(_ value: [UInt8], _ context: AppContext) {
    guard case .discovering = phase, informationBytes == nil else { return }
    do {
      let information = try SecureInformation(value)
      guard information.version >= SecureInformation.version else {
        return fail(.unsupported("the device speaks version \(information.version) of the protocol"))
      }
      guard known.deviceIdentifier ?? information.deviceIdentifier == information.deviceIdentifier else {
        return fail(.refused("another device than the one with this QR code"))
      }
      self.information = information
      informationBytes = value
    } catch {
      return fail(.malformed("\(error)"))
    }
    if resumption?.deviceIdentifier != information?.deviceIdentifier { resumption = nil }
    if information?.flags.contains(.resumption) != true { resumption = nil }
    untriedTickets = resumption?.tickets ?? []
    start(context)
  }

  /// Begins the handshake once INFO is known and the device can answer.
  private mutating func start(_ context: AppContext) {
    guard case .discovering = phase, isSubscribed, let information, let informationBytes else { return }
    wait(Self.answerTime, context)
    if !untriedTickets.isEmpty {
      let ticket = untriedTickets.removeFirst()
      var noise = NoiseNNpsk0(
        prologue: SecureTicket.prologue(information: informationBytes, ticket: ticket.name),
        preSharedKey: ticket.key, secret: randomness.secret(X25519.length))
      guard let first = noise.firstMessage() else { return fail(.disconnected) }
      phase = .awaitingResumed(noise, ticket)
      return send(SecureMessage(.resume, ticket.name + first), context)
    }
    guard let code = known.code else {
      return fail(.refused("the device does not know this app: its code is needed"))
    }
    guard let suite = information.suite(among: known.suites) else {
      return fail(.unsupported("the device offers no suite that this app accepts"))
    }
    guard
      let handshake = SecureAppHandshake(
        suite: suite, information: informationBytes, password: code.password, randomness: randomness)
    else { return fail(.disconnected) }
    phase = .awaitingReply(handshake)
    send(handshake.hello, context)
  }

  private mutating func notified(_ value: [UInt8], _ context: AppContext) {
    do throws(SecureWireError) {
      guard let bytes = try reassembler.add(value, now: context.now) else { return }
      try receive(try SecureMessage(bytes), context)
    } catch {
      fail(.malformed("\(error)"))
    }
  }

  private mutating func receive(_ message: SecureMessage, _ context: AppContext) throws(SecureWireError) {
    switch (phase, message.kind) {
    case (.awaitingReply(let handshake), .reply): replied(message, to: handshake, context)
    case (.awaitingResumed(let noise, let ticket), .resumed): resumed(message, noise, ticket, context)
    case (.open(let channel), .deviceRecord): try record(message, channel, context)
    case (.awaitingResumed, .error) where message.body.first == SecureErrorCode.noTicket.rawValue:
      // A hint that anybody could have sent: only the code opens a session now, nothing weaker.
      phase = .discovering
      start(context)
    case (.discovering, .error), (.awaitingReply, .error), (.awaitingResumed, .error), (.finishing, .error),
      (.open, .error):
      fail(SecureErrorCode.failure(message))
    default: throw .message(type: message.kind.rawValue)
    }
  }

  private mutating func replied(_ message: SecureMessage, to handshake: SecureAppHandshake, _ context: AppContext) {
    guard let (channel, tag, ticket) = handshake.finished(by: message), let information else {
      return fail(.wrongCode)
    }
    if information.flags.contains(.resumption) {
      // The ticket before stays until the device has answered: it may never get this side's proof.
      let before = resumption.flatMap { $0.suite == handshake.suite ? $0.tickets.first : nil }
      resumption = SecureResumption(
        deviceIdentifier: information.deviceIdentifier, suite: handshake.suite,
        tickets: [ticket] + (before.map { [$0] } ?? []))
    }
    phase = .finishing(channel, tag: tag)
    wait(Self.finishDelay, context)
    opened(handshake.suite, information)
  }

  private mutating func resumed(
    _ message: SecureMessage, _ noise: NoiseNNpsk0, _ ticket: SecureTicket, _ context: AppContext
  ) {
    var noise = noise
    guard let payload = noise.readSecond(Array(message.body)), payload.isEmpty, let information, let known = resumption
    else { return fail(.malformed("an answer to a resumption that does not verify")) }
    let outcome = noise.split()
    resumption = known.replacing(ticket, by: ticket.next(after: outcome))
    phase = .open(
      SecureChannel(sending: outcome.initiatorKey, receiving: outcome.responderKey, kind: .appRecord))
    isUnconfirmed = true
    wait(Self.finishDelay, context)
    opened(known.suite, information)
  }

  private mutating func opened(_ suite: SecureSuite, _ information: SecureInformation) {
    reassembler.limit = information.maximumMessage
    report(
      .opened(
        suite.assurance, ProvisioningCapabilities(rawValue: UInt16(information.capabilities & 0x3F))))
  }

  private mutating func record(
    _ message: SecureMessage, _ channel: SecureChannel, _ context: AppContext
  ) throws(SecureWireError) {
    var channel = channel
    guard let plaintext = channel.open(message) else {
      return fail(.malformed("a record does not verify"))
    }
    phase = .open(channel)
    if isFirstRecord {
      isFirstRecord = false
      resumption = resumption?.confirmed
    }
    do {
      switch try SecureResponse(plaintext) {
      case .push("status", let body): pushed(try SecureNetworkState.decode(body), context)
      case .push: break
      case .response(let id, let status, let body): responded(id, status, body, context)
      }
    } catch {
      fail(.malformed("\(error)"))
    }
  }
}

extension SecureAppMachine {
  mutating func report(_ event: AppEvent) { actions.append(.report(event)) }

  /// Ends the session, whose keys go with it.
  mutating func fail(_ failure: ProvisioningFailure) {
    if case .over = phase { return }
    phase = .over
    request = nil
    waitingRequest = nil
    limit = nil
    nextDeadline = nil
    reassembler.reset()
    untriedTickets = []
    report(.failed(failure))
  }

  mutating func wait(_ time: Duration?, _ context: AppContext) { limit = time.map { context.now + $0 } }

  /// Sends the request under way, with this side's proof if that is due.
  mutating func sendRequest(_ context: AppContext) {
    guard var current = request else { return }
    lastID = lastID == .max ? 1 : lastID + 1
    current.id = lastID
    request = current
    var plaintext = SecureRequest(id: lastID, endpoint: current.endpoint, body: current.body).bytes
    defer { plaintext.wipe() }
    guard let information,
      plaintext.count + SecureMessage.headerLength + SecureRecordCipher.tagLength + SecureMessage.tagLength
        <= information.maximumMessage
    else {
      request = nil
      return report(.requestFailed(.refused("the request is longer than the device takes")))
    }
    var message: SecureMessage?
    switch phase {
    case .finishing(var channel, let tag):
      message = channel.finish(tag: tag, plaintext)
      phase = .open(channel)
    case .open(var channel):
      message = channel.record(plaintext)
      phase = .open(channel)
    case .idle, .discovering, .awaitingReply, .awaitingResumed, .over: break
    }
    guard let message else { return fail(.disconnected) }
    wait(current.limit, context)
    send(message, context)
  }

  private mutating func send(_ message: SecureMessage, _ context: AppContext) {
    let values = SecureFragments.values(of: message.bytes, limit: context.writeLimit)
    let window = Int(information?.window ?? 0)
    for (index, value) in values.enumerated() {
      let withResponse = index == values.count - 1 || writesWithoutResponse >= window
      writesWithoutResponse = withResponse ? 0 : writesWithoutResponse + 1
      actions.append(.write(SecureService.transmit, value, withResponse: withResponse))
    }
  }

  private mutating func updateDeadline() { nextDeadline = [limit, reassembler.deadline].compactMap(\.self).min() }

  private static func failure(_ failure: AccessFailure) -> ProvisioningFailure {
    switch failure {
    case .attribute(SecureDeviceMachine.ATTCode.over): .disconnected
    case .attribute(SecureDeviceMachine.ATTCode.insufficientResources): .busy
    case .attribute(let code): .refused("the device answered with the ATT error \(code)")
    case .other(let words): .refused(words)
    }
  }
}
