import LatchkeyBluetoothEmulator
import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

/// A peripheral, centrals that pair with it each in its own way, users who answer or do not, and controllers and a radio that
/// fail at random. A seed decides everything.
final class PairingVillage {
  /// A central, and what its app was promised.
  final class Phone {
    let actor: Actor
    let ability: SMPIOCapability?
    var app: ClientID
    var ledger = Ledger()
    /// Links in the order in which the app heard of them.
    var connections = 0
    /// The outcomes of requests, each counted.
    var outcomes: [RequestID: Int] = [:]

    init(_ actor: Actor, ability: SMPIOCapability?) {
      self.actor = actor
      self.ability = ability
      app = actor.addClient()
    }
  }

  /// What a client was told the beginning of, and not yet the end.
  struct Ledger {
    var links: Set<LinkID> = []
    var requestedChannels: Set<ChannelID> = []
    var openChannels: Set<ChannelID> = []
    var askedOn: Set<LinkID> = []

    var isEmpty: Bool { links.isEmpty && requestedChannels.isEmpty && openChannels.isEmpty && askedOn.isEmpty }
  }

  /// A user's question, and how the user will deal with it.
  private struct Asked {
    enum Manner { case rightly, wrongly, not }
    let actor: Actor
    let client: ClientID
    let link: LinkID
    let phone: Int
    let question: PairingQuestion
    let manner: Manner
  }

  let stage: Stage
  let hub: Actor
  let device: ClientID
  private(set) var phones: [Phone] = []
  private(set) var hubLedger = Ledger()
  var random: SplitMix
  /// Values for all, for encrypted links, and for authenticated ones.
  let values: [AttributeHandle]
  /// Services with channels: for all, and for encrypted links.
  private let services: [UInt16]
  private var asked: [Asked] = []
  /// The digits that are shown for the pairing with a phone.
  private var shown: [Int: PairingPasskey] = [:]
  private(set) var pairings = 0
  let leaks = LeakWatch()

  /// Input and output of the phones' users, in turn.
  private static let abilities: [SMPIOCapability?] = [
    nil, .displayYesNo, .keyboardOnly, nil, .displayOnly, .noInputNoOutput,
  ]

  init(phones count: Int, seed: UInt64) throws {
    random = SplitMix(seed: seed)
    stage = Stage(RadioConfiguration(seed: seed, timing: AirTiming(latency: .milliseconds(5))))
    let accepting = PairingPolicy.make { $0.leastKeySize = 7 }
    hub = stage.addActor(1, pairing: accepting, controller: ControllerConfiguration(maximumLinks: count + 2))
    let hub = hub
    let device = hub.addClient()
    self.device = device
    let permissions: [GATTPermissions] = [
      [.readable, .writeable], [.readEncryptionRequired, .writeEncryptionRequired],
      [.readAuthenticationRequired, .writeAuthenticationRequired],
    ]
    let definition = GATTServiceDefinition(
      uuid: 0xFFD0,
      characteristics: permissions.enumerated().map { index, permissions in
        GATTCharacteristicDefinition(
          uuid: BluetoothUUID(UInt16(0xFFD1 + index)), properties: [.read, .write, .writeWithoutResponse],
          permissions: permissions)
      })
    values = try hub.with { host, now in
      try host.addService(definition, client: device, now: now).valueHandles
    }
    services = [false, true].compactMap { needsEncryption in
      hub.with { host, _ in host.publishChannel(device, ChannelSecurity(needsEncryption: needsEncryption)) }
    }
    for number in 0..<count {
      let policy = PairingPolicy.make(secure: number % 3 != 2) {
        $0.leastKeySize = 7
        $0.maximumKeySize = number % 5 == 4 ? 7 : 16
        $0.isBonding = number % 7 != 6
      }
      let buffers: ACLBuffers = number % 4 == 3 ? .smallest : .standard
      let actor = stage.addActor(
        UInt64(number + 2), pairing: policy, controller: ControllerConfiguration(buffers: buffers))
      let phone = Phone(actor, ability: Self.abilities[number % Self.abilities.count])
      phones.append(phone)
      setTerms(phone.ability, actor, phone.app)
    }
    guardSecrets()
    advertise()
  }

  var actors: [Actor] { [hub] + phones.map(\.actor) }
  var connections: Int { phones.reduce(0) { $0 + $1.connections } }

  func pick(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }

  private func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) } }

  func advertise() {
    if !hub.with({ host, _ in host.isAdvertising(device) }) { hub.advertise(device, name: nil, services: [0xFFD0]) }
  }

  func setTerms(_ ability: SMPIOCapability?, _ actor: Actor, _ client: ClientID) {
    let terms = ability.map {
      var terms = PairingTerms()
      terms.agent = $0
      return terms
    }
    actor.with { host, _ in host.setPairingTerms(terms, of: client) }
  }

  /// Whatever happens, no request for a protected value reaches the hub's app over a link that lacks what it needs.
  private func guardSecrets() {
    let (hub, secrets, personal) = (hub, values.dropFirst(), values[2])
    stage.simulation.handleEvents(of: hub.node) { [unowned hub] host, event, client, now in
      var touched: (link: LinkID, handles: [AttributeHandle])?
      if case .readRequest(let request) = event { touched = (request.link, [request.handle]) }
      if case .writeRequest(let request) = event { touched = (request.link, request.parts.map(\.handle)) }
      // A link may have ended since the request came.
      if let touched, let link = host.links.first(where: { $0.id == touched.link }), !link.isClosing {
        #expect(link.security.isEncrypted || touched.handles.allSatisfy { !secrets.contains($0) })
        #expect(link.security.isAuthenticated || !touched.handles.contains(personal))
      }
      hub.receive(&host, event, client, now)
    }
  }

  // MARK: What happens

  func happen() {
    let phone = phones[pick(phones.count)]
    switch pick(40) {
    case 0..<10: phone.actor.connect(phone.app, to: hub)
    case 10..<13: phone.actor.disconnect(phone.app, from: hub)
    case 13..<18: if let link = link(phone) { phone.actor.submit(.read(values[pick(3)]), phone.app, link) }
    case 18..<21:
      if let link = link(phone) { phone.actor.submit(.write(values[pick(3)], bytes(pick(513))), phone.app, link) }
    case 21: command(phone)
    case 22, 23: openChannel(phone)
    case 24, 25: useChannel(phone)
    case 26: forgetBond(phone)
    case 27, 28: harm(phone)
    case 29: replaceApp(phone)
    case 30: setTerms(pick(2) == 0 ? nil : .keyboardDisplay, hub, device)
    case 31: hub.isAnswering.toggle()
    case 32, 33, 34: fail(phone)
    default: heal(phone)
    }
    if hub.isAnswering { answerRequests() }
    advertise()
  }

  /// A phone's link, if it is up.
  func link(_ phone: Phone) -> LinkID? {
    phone.actor.with { [hub] host, _ in host.connectedPeers.first { $0.peer == hub.address }?.link }
  }

  private func command(_ phone: Phone) {
    guard let link = link(phone) else { return }
    let (count, handle) = (pick(40), values[pick(3)])
    phone.actor.with { host, now in
      for _ in 0..<count { _ = host.writeCommand([1, 2, 3], to: handle, client: phone.app, link: link, now: now) }
    }
  }

  private func openChannel(_ phone: Phone) {
    guard let link = link(phone) else { return }
    let psm = services[pick(2)]
    let id = phone.actor.with { host, now in host.openChannel(phone.app, to: psm, on: link, now: now) }
    phone.ledger.requestedChannels.insert(id)
  }

  private func useChannel(_ phone: Phone) {
    // A channel may have ended, which is no event for one that the app closes.
    record()
    guard let id = phone.ledger.openChannels.sorted(by: { $0.value < $1.value }).first else { return }
    if pick(3) == 0 {
      phone.actor.with { host, now in host.closeChannel(id, now: now) }
      phone.ledger.openChannels.remove(id)
    } else {
      let bytes = bytes(pick(3000))
      phone.actor.with { host, now in _ = host.writeChannel(id, bytes, now: now) }
    }
  }

  private func forgetBond(_ phone: Phone) {
    let (hubAddress, address) = (hub.address, phone.actor.address)
    if pick(3) > 0 { phone.actor.with { host, now in _ = host.removeBond(with: hubAddress, now: now) } }
    if pick(3) > 0 { hub.with { host, now in _ = host.removeBond(with: address, now: now) } }
  }

  /// PDUs that the peer's host did not send.
  private func harm(_ phone: Phone) {
    let actor = pick(2) == 0 ? hub : phone.actor
    let pdus = (0..<1 + pick(4)).map { _ -> [UInt8] in
      let code = UInt8(1 + pick(15))
      return [code] + bytes(pick(8) == 0 ? pick(70) : SMPCode(rawValue: code)?.parameterCount ?? 3)
    }
    let number = pick(8)
    actor.with { host, now in
      guard !host.links.isEmpty else { return }
      let handle = UInt8(truncatingIfNeeded: host.links[number % host.links.count].handle.rawValue)
      for pdu in pdus { host.receive(PairingCouple.packet(pdu, channel: 6, handle), now: now) }
    }
  }

  private func replaceApp(_ phone: Phone) {
    let old = phone.app
    phone.actor.with { host, now in host.removeClient(old, now: now) }
    record()
    phone.app = phone.actor.addClient()
    phone.ledger = Ledger()
    asked.removeAll { $0.actor === phone.actor }
    setTerms(phone.ability, phone.actor, phone.app)
  }

  // MARK: What fails

  private func fail(_ phone: Phone) {
    let actor = pick(4) == 0 ? hub : phone.actor
    switch pick(10) {
    case 0: stage.simulation.withRadio { radio, now in radio.raiseHardwareError(on: actor.node, now: now) }
    case 1:
      stage.simulation.setPowered(false, actor.node)
      stage.advance(.milliseconds(pick(4000)))
      stage.simulation.setPowered(true, actor.node)
    case 2, 3: stage.simulation.withRadio { radio, now in radio.dropLinks(of: actor.node, now: now) }
    default: actor.setFaults(faults())
    }
  }

  private func heal(_ phone: Phone) {
    phone.actor.setFaults(ControllerFaults())
    if pick(2) == 0 { hub.setFaults(ControllerFaults()) }
  }

  private func faults() -> ControllerFaults {
    var faults = ControllerFaults()
    let credits: [ControllerFaults.Credits] = [
      .prompt, .late(.milliseconds(pick(800))), .withheld, .everyLost(2 + pick(8)),
    ]
    faults.credits = credits[pick(4)]
    faults.commandCreditDelay = pick(3) == 0 ? .milliseconds(pick(300)) : nil
    faults.lostConnectionRequests = pick(3)
    faults.sendsDataBeforeConnectionEvent = pick(2) == 0
    faults.reusesHandles = pick(2) == 0
    if pick(2) == 0 {
      faults.linkLoss = ControllerFaults.LinkLoss(afterPackets: pick(60), isImmediate: pick(2) == 0)
    }
    // Encryption begins, the key, no key.
    let commands: [UInt16] = [0x2019, 0x201A, 0x201B]
    if pick(4) == 0 { faults.silentCommands = [commands[pick(3)]] }
    if pick(4) == 0 { faults.refusedCommands = [commands[pick(3)]: .unspecifiedError] }
    return faults
  }

  // MARK: Users

  func answerRequests() {
    let waiting = hub.dequeueRequests()
    hub.with { host, now in
      for (index, request) in waiting.enumerated() {
        host.respond(to: request, with: index % 2 == 0 ? .value([1]) : .error(.unlikelyError), now: now)
      }
    }
  }

  /// Users answer what they were asked; one who enters a passkey waits until it is shown.
  func answerUsers() {
    let questions = asked
    asked = []
    for asked in questions where asked.manner != .not {
      guard let answer = answer(asked) else {
        self.asked.append(asked)
        continue
      }
      asked.actor.with { host, now in host.answerPairing(answer, on: asked.link, client: asked.client, now: now) }
    }
  }

  private func answer(_ asked: Asked) -> PairingAnswer? {
    if case .enter = asked.question {
      guard let passkey = shown[asked.phone] else { return nil }
      return .passkey(asked.manner == .rightly ? passkey : PairingPasskey((passkey.value + 1) % 1_000_000) ?? passkey)
    }
    return asked.manner == .rightly ? .accept : .reject
  }

  // MARK: Records

  /// Takes down what the hosts reported since the last time.
  func record() {
    for (number, phone) in phones.enumerated() {
      record(phone.actor, phone.app, &phone.ledger) { _ in number }
      for (request, _) in stage.simulation.dequeueOutcomes(of: phone.actor.node) {
        phone.outcomes[request, default: 0] += 1
      }
    }
    record(hub, device, &hubLedger) { [phones] peer in phones.firstIndex { $0.actor.address == peer } ?? 0 }
    for actor in actors {
      _ = stage.simulation.dequeueNotices(of: actor.node)
      _ = stage.simulation.dequeueBondChanges(of: actor.node)
      actor.with { host, _ in leaks.watch(host.links) }
    }
  }

  private func record(
    _ actor: Actor, _ client: ClientID, _ ledger: inout Ledger, _ phone: (BluetoothAddress) -> Int
  ) {
    let entries = actor.log.filter { $0.client == client }.map(\.event)
    actor.clearLog()
    for event in entries {
      switch event {
      case .connected(let link, _, let role):
        let isNew = ledger.links.insert(link).inserted
        #expect(isNew)
        if role == .central { phones[phone(actor.address)].connections += 1 }
      case .disconnected(let link, _, _, _) where link != LinkID(0):
        #expect(ledger.links.remove(link) != nil)
      case .pairingQuestion(let link, let peer, let prompt):
        ledger.askedOn.insert(link)
        ask(actor, client, link, phone(peer), prompt.question)
      case .pairingEnded(let link, let peer, let end):
        ledger.askedOn.remove(link)
        asked.removeAll { $0.actor === actor && $0.link == link }
        shown[phone(peer)] = nil
        if actor === hub, end.failure == nil { pairings += 1 }
      case .channel(let event): record(event, actor, &ledger)
      default: break
      }
    }
  }

  private func ask(_ actor: Actor, _ client: ClientID, _ link: LinkID, _ phone: Int, _ question: PairingQuestion) {
    if case .show(let passkey) = question {
      shown[phone] = passkey
      return
    }
    let mood = pick(8)
    asked.append(
      Asked(
        actor: actor, client: client, link: link, phone: phone, question: question,
        manner: mood == 0 ? .not : mood == 1 ? .wrongly : .rightly))
  }

  private func record(_ event: ChannelEvent, _ actor: Actor, _ ledger: inout Ledger) {
    switch event {
    case .opened(let channel):
      if !channel.isIncoming { #expect(ledger.requestedChannels.remove(channel.id) != nil) }
      let isNew = ledger.openChannels.insert(channel.id).inserted
      #expect(isNew)
    case .failed(let id, _, _): #expect(ledger.requestedChannels.remove(id) != nil)
    case .closed(let id, _):
      #expect(ledger.openChannels.remove(id) != nil)
      actor.with { host, now in host.closeChannel(id, now: now) }
    case .data, .writable: break
    }
  }
}
