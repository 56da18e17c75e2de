import LatchkeyByteCoding

/// The device's end of the secure protocol, for all links of its service. The page SecureProtocol specifies it.
package struct SecureDeviceMachine: ProvisioningDeviceMachine {
  /// The links that the machine has anything of at a time.
  static let linkLimit = 64
  static let sessionLimit = 4
  static let handshakeTime = Duration.seconds(10)
  static let idleTime = Duration.seconds(600)

  package let service = SecureService.definition
  package let isAdvertised = true
  package let serviceData: (uuid: UInt16, bytes: [UInt8])? = nil
  /// The value of INFO.
  package let information: SecureInformation

  let configuration: SecureDeviceConfiguration
  let randomness: SecureRandomness
  var tickets: SecureTickets
  var links: [ProvisioningLink: SecureDeviceLink] = [:]
  var hostname: String
  private let informationBytes: [UInt8]
  private let password: SecretBytes
  private var actions: [DeviceAction] = []
  private var lastWork = 0
  private var lastNetwork: NetworkState?

  /// - Parameter storedState: What the machine of before stored; nil for a new device, which draws an identifier.
  package init(
    _ configuration: SecureDeviceConfiguration, storedState: [UInt8]?, randomness: SecureRandomness
  ) throws(SecureDeviceError) {
    guard !configuration.code.isWeak else { throw .weakCode }
    if let storedState {
      guard let stored = try? SecureTickets(storedState) else { throw .storedState }
      tickets = stored
    } else {
      tickets = SecureTickets(deviceIdentifier: randomness.bytes(SecureInformation.identifierLength))
    }
    information = configuration.value(deviceIdentifier: tickets.deviceIdentifier)
    informationBytes = information.bytes
    guard (try? SecureInformation(informationBytes)) != nil else { throw .configuration }
    password = configuration.code.password
    hostname = configuration.hostname
    self.configuration = configuration
    self.randomness = randomness
  }

  /// The identifier and the tickets.
  package var storedState: [UInt8]? { tickets.bytes }

  package var nextDeadline: Duration? { links.values.compactMap(\.deadline).min() }

  /// How many sessions are open.
  package var openSessions: Int { links.values.count { $0.isOpen } }

  package mutating func dequeueActions() -> [DeviceAction] {
    defer { actions = [] }
    return actions
  }

  package mutating func read(
    _ characteristic: String, from link: ProvisioningLink, context: inout DeviceContext
  ) throws(ATTFailure) -> [UInt8] {
    guard characteristic == SecureService.information else { throw ATTFailure(code: ATTCode.readNotPermitted) }
    return informationBytes
  }

  package mutating func subscribed(
    _ isSubscribed: Bool, to characteristic: String, from link: ProvisioningLink, context: inout DeviceContext
  ) {
    guard characteristic == SecureService.receive else { return }
    if isSubscribed {
      guard links[link] != nil || links.count < Self.linkLimit else { return }
      links[link, default: Self.newLink()].isSubscribed = true
    } else if let known = links[link] {
      // Nobody is left to answer. A link that was refused stays so.
      if case .over = known.phase { return }
      end(link, reporting: known)
      links[link] = nil
    }
  }

  package mutating func disconnected(_ link: ProvisioningLink, context: inout DeviceContext) {
    guard let known = links.removeValue(forKey: link) else { return }
    end(link, reporting: known)
  }

  package mutating func write(
    _ value: [UInt8], to characteristic: String, from link: ProvisioningLink, context: inout DeviceContext
  ) {
    handleTimeout(context: &context)
    guard characteristic == SecureService.transmit else {
      actions.append(.respond(link, error: ATTCode.writeNotPermitted))
      return
    }
    guard var known = links[link], known.isSubscribed else {
      let isFull = links[link] == nil && links.count >= Self.linkLimit
      actions.append(.respond(link, error: isFull ? ATTCode.insufficientResources : ATTCode.notSubscribed))
      return
    }
    if case .over = known.phase {
      actions.append(.respond(link, error: ATTCode.over))
      return
    }
    actions.append(.respond(link, error: nil))
    do throws(SecureWireError) {
      let message = try known.reassembler.add(value, now: context.now)
      links[link] = known
      if let message { try receive(try SecureMessage(message), from: link, context: &context) }
    } catch {
      refuse(link, .malformed, "what the peer sent is not allowed: \(error)", context: context)
    }
  }

  package mutating func changed(context: inout DeviceContext) {
    guard context.network != lastNetwork else { return }
    defer { lastNetwork = context.network }
    // The first state that the machine hears of is no change.
    guard lastNetwork != nil || context.network != .idle else { return }
    push("status", SecureNetworkState.encode(context.network), context: context)
  }

  package mutating func handleTimeout(context: inout DeviceContext) {
    for (link, known) in links.sorted(by: { $0.key.id < $1.key.id }) {
      guard let deadline = known.deadline, context.now >= deadline else { continue }
      if let incomplete = known.reassembler.deadline, context.now >= incomplete {
        refuse(link, .malformed, "a message stayed incomplete", context: context)
      } else {
        refuse(link, .over, "the peer was silent for too long", context: context)
      }
    }
  }

  private mutating func receive(
    _ message: SecureMessage, from link: ProvisioningLink, context: inout DeviceContext
  ) throws(SecureWireError) {
    guard let known = links[link] else { return }
    switch (known.phase, message.kind) {
    case (.waiting, .hello): try hello(message, from: link, context: &context)
    case (.waiting, .resume): resume(message, from: link, context: context)
    case (.confirming(let handshake, _), .finish):
      finish(message, of: handshake, from: link, context: &context)
    case (.open(let session), .appRecord): record(message, of: session, from: link, context: context)
    default: throw .message(type: message.kind.rawValue)
    }
  }

  private mutating func hello(
    _ message: SecureMessage, from link: ProvisioningLink, context: inout DeviceContext
  ) throws(SecureWireError) {
    guard let hello = SecureMessage.Hello(message) else { throw .message(type: message.kind.rawValue) }
    guard let suite = SecureSuite(rawValue: hello.suite), configuration.suites.contains(suite) else {
      return refuse(link, .version, "the peer wants suite \(hello.suite)", context: context)
    }
    guard context.isPairing else {
      return refuse(link, .closed, "the device lets no new app in", context: context)
    }
    guard !isBusy else { return refuse(link, .busy, "other peers are served", context: context) }
    // Counted before anything is computed; the shell stores the count before it sends the reply.
    switch context.attempts.begin(now: context.now) {
    case .allowed: break
    case .wait(let wait): return refuse(link, .locked, "an attempt comes too soon", wait: wait, context: context)
    case .locked: return refuse(link, .locked, "too many attempts have failed", context: context)
    }
    do {
      let handshake = try SecureDeviceHandshake(
        hello: hello, suite: suite, message: message, information: informationBytes, password: password,
        randomness: randomness)
      links[link]?.phase = .confirming(handshake, deadline: context.now + Self.handshakeTime)
      send(handshake.reply, to: link, context: context)
    } catch {
      refuse(link, .authentication, "the peer's keys are not allowed", context: context)
    }
  }

  private mutating func finish(
    _ message: SecureMessage, of handshake: SecureDeviceHandshake, from link: ProvisioningLink,
    context: inout DeviceContext
  ) {
    guard let (opening, ticket) = handshake.finished(by: message) else {
      return refuse(link, .authentication, "the peer does not know the code", context: context)
    }
    var channel = opening
    // The tag has proved the code, whatever the request is.
    context.attempts.succeeded()
    guard let plaintext = channel.open(message) else {
      // No attempt is left to be reported.
      links[link]?.phase = .waiting
      return refuse(link, .authentication, "the first record does not verify", context: context)
    }
    let assurance = handshake.suite.assurance
    let entry = configuration.resumes ? tickets.add(ticket, suite: handshake.suite) : nil
    open(
      SecureDeviceLink.Session(
        channel: channel, assurance: assurance, entry: entry, isConfirmed: true, deadline: context.now + Self.idleTime),
      on: link)
    actions.append(.report(.opened(link, assurance)))
    if !plaintext.isEmpty { perform(plaintext, from: link, context: context) }
  }

  private mutating func resume(_ message: SecureMessage, from link: ProvisioningLink, context: DeviceContext) {
    let name = Array(message.body.prefix(SecureMessage.ticketLength))
    guard configuration.resumes, let (entry, ticket) = tickets.find(name) else {
      // The link stays as it was: the app may have an older ticket, or the code.
      return send(SecureErrorCode.noTicket.message(), to: link, context: context)
    }
    guard !isBusy else { return refuse(link, .busy, "other peers are served", context: context) }
    // Noise's first message verifies as often as it is sent: repeated, it would hold the place for handshakes and wear the storage.
    let ephemeral = Array(message.body[SecureMessage.ticketLength...].prefix(X25519.length))
    guard !entry.seen.contains(ephemeral) else {
      return refuse(link, .authentication, "a resumption was repeated", context: context)
    }
    var noise = NoiseNNpsk0(
      prologue: SecureTicket.prologue(information: informationBytes, ticket: name), preSharedKey: ticket.key,
      secret: randomness.secret(X25519.length))
    guard let (payload, peer) = noise.readFirst(Array(message.body.dropFirst(SecureMessage.ticketLength))),
      payload.isEmpty, let answer = noise.secondMessage(to: peer)
    else { return refuse(link, .authentication, "a resumption does not verify", context: context) }
    let outcome = noise.split()
    tickets.replace(ticket, by: ticket.next(after: outcome), for: ephemeral, in: entry.number)
    open(
      SecureDeviceLink.Session(
        channel: SecureChannel(
          sending: outcome.responderKey, receiving: outcome.initiatorKey, kind: .deviceRecord),
        assurance: entry.suite.assurance, entry: entry.number, isConfirmed: false,
        deadline: context.now + Self.handshakeTime), on: link)
    send(SecureMessage(.resumed, answer), to: link, context: context)
  }

  private mutating func record(
    _ message: SecureMessage, of session: SecureDeviceLink.Session, from link: ProvisioningLink,
    context: DeviceContext
  ) {
    var session = session
    guard let plaintext = session.channel.open(message) else {
      return refuse(link, .authentication, "a record does not verify", context: context)
    }
    session.deadline = context.now + Self.idleTime
    let isFirst = !session.isConfirmed
    session.isConfirmed = true
    links[link]?.phase = .open(session)
    if isFirst {
      if let entry = session.entry { tickets.confirm(entry) }
      actions.append(.report(.opened(link, session.assurance)))
    }
    perform(plaintext, from: link, context: context)
  }
}

extension SecureDeviceMachine {
  /// ATT's errors that answer accesses (Core 6.0 Vol 3 Part F 3.4.1.1; the Core Specification Supplement Part B 1.2).
  enum ATTCode {
    static let readNotPermitted: UInt8 = 0x02
    static let writeNotPermitted: UInt8 = 0x03
    static let insufficientResources: UInt8 = 0x11
    /// The link has had its error.
    static let over: UInt8 = 0x80
    /// The Client Characteristic Configuration Descriptor is not what it should be.
    static let notSubscribed: UInt8 = 0xFD
  }

  private static func newLink() -> SecureDeviceLink {
    SecureDeviceLink(reassembler: SecureReassembler(limit: SecureMessage.greatestEarlyLength))
  }

  /// Whether a handshake has to wait for others.
  private var isBusy: Bool {
    links.values.contains { $0.isWithinHandshake } || openSessions >= Self.sessionLimit
  }

  private mutating func open(_ session: SecureDeviceLink.Session, on link: ProvisioningLink) {
    links[link]?.phase = .open(session)
    links[link]?.reassembler.limit = configuration.maximumMessage
  }

  /// Work's number.
  mutating func perform(_ work: DeviceWork) -> Int {
    lastWork += 1
    actions.append(.perform(lastWork, work))
    return lastWork
  }

  /// Sends a plaintext as a record of the link's session.
  mutating func send(_ response: SecureResponse, to link: ProvisioningLink, context: DeviceContext) {
    guard case .open(var session) = links[link]?.phase else { return }
    var bytes = response.bytes
    defer { bytes.wipe() }
    guard bytes.count <= longestPlaintext, let message = session.channel.record(bytes) else {
      return refuse(link, .over, "no record is left", context: context)
    }
    links[link]?.phase = .open(session)
    send(message, to: link, context: context)
  }

  /// What a record has room for.
  var longestPlaintext: Int {
    configuration.maximumMessage - SecureMessage.headerLength - SecureRecordCipher.tagLength
  }

  private mutating func push(_ name: String, _ body: [UInt8], context: DeviceContext) {
    for (link, known) in links.sorted(by: { $0.key.id < $1.key.id }) {
      guard case .open(let session) = known.phase, session.isConfirmed else { continue }
      send(.push(name: name, body), to: link, context: context)
    }
  }

  private mutating func send(_ message: SecureMessage, to link: ProvisioningLink, context: DeviceContext) {
    let limit = context.notificationLimit(of: link)
    for value in SecureFragments.values(of: message.bytes, limit: limit) {
      actions.append(.notify(link, characteristic: SecureService.receive, value))
    }
  }

  /// Sends an error, erases what the link has, and takes no more of it.
  mutating func refuse(
    _ link: ProvisioningLink, _ code: SecureErrorCode, _ words: String, wait: Duration? = nil, context: DeviceContext
  ) {
    guard var known = links[link] else { return }
    send(code.message(wait: wait), to: link, context: context)
    actions.append(.report(.refused(link, words)))
    end(link, reporting: known)
    known.phase = .over
    known.reassembler.reset()
    links[link] = known
  }

  /// Reports what ends with a link.
  private mutating func end(_ link: ProvisioningLink, reporting known: SecureDeviceLink) {
    switch known.phase {
    case .confirming: actions.append(.report(.wrongCode(link)))
    case .open(let session) where session.isConfirmed: actions.append(.report(.closed(link)))
    case .open, .waiting, .over: break
    }
  }
}
