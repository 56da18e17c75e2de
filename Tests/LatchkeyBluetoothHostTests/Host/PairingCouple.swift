import LatchkeyBluetoothEmulator
import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

/// Two hosts that may pair, each with a service of values that need an encrypted and an authenticated link.
final class PairingCouple {
  let stage: Stage
  let central: Actor
  let peripheral: Actor
  let app: ClientID
  let device: ClientID
  /// The peripheral's values: for all, for encrypted and for authenticated links.
  let plain: AttributeHandle
  let secret: AttributeHandle
  let personal: AttributeHandle
  private(set) var link: LinkID
  private(set) var peripheralLink: LinkID
  /// Outcomes that came in `capture`.
  private var captured: [(request: RequestID, outcome: GATTOutcome)] = []

  /// A couple that is connected.
  ///
  /// - Parameters:
  ///   - users: Input and output of the users at the central and at the peripheral; nil for nobody to ask.
  ///   - guards: Whether the peripheral has values that need security.
  ///   - centralAddress: The central's address, if it is not the static one.
  ///   - controller: Those of both.
  init(
    _ central: PairingPolicy? = PairingPolicy(), _ peripheral: PairingPolicy? = PairingPolicy(),
    users: (SMPIOCapability?, SMPIOCapability?) = (nil, nil), guards: Bool = true,
    identities: (PairingIdentity?, PairingIdentity?) = (nil, nil), centralAddress: BluetoothAddress? = nil,
    isPrivate: Bool = false, timing: AirTiming = .instant,
    controller: ControllerConfiguration = ControllerConfiguration(), faults: ControllerFaults = ControllerFaults()
  ) throws {
    stage = Stage(RadioConfiguration(timing: timing))
    self.central = stage.addActor(
      1, address: centralAddress, pairing: central, identity: identities.0, isPrivate: isPrivate,
      controller: controller, faults: faults)
    self.peripheral = stage.addActor(
      2, pairing: peripheral, identity: identities.1, isPrivate: isPrivate, controller: controller, faults: faults)
    app = self.central.addClient()
    device = self.peripheral.addClient()
    plain = try Self.publish(self.peripheral, device, guards: guards)[0]
    (secret, personal) = (plain + 2, plain + 4)
    self.peripheral.advertise(device)
    (link, peripheralLink) = (LinkID(0), LinkID(0))
    ask(users.0, self.central, app)
    ask(users.1, self.peripheral, device)
    try connect()
  }

  /// Publishes three values, of which the second needs encryption and the third authentication.
  static func publish(_ actor: Actor, _ client: ClientID, guards: Bool = true) throws -> [AttributeHandle] {
    let permissions: [GATTPermissions] =
      guards ? [.readable, .readEncryptionRequired, .readAuthenticationRequired] : [.readable, .readable, .readable]
    let definition = GATTServiceDefinition(
      uuid: 0xFFD0,
      characteristics: permissions.enumerated().map { index, permissions in
        GATTCharacteristicDefinition(
          uuid: BluetoothUUID(UInt16(0xFFD1 + index)), properties: .read, permissions: permissions)
      })
    let placement = try actor.with { host, now in try host.addService(definition, client: client, now: now) }
    for (index, handle) in placement.valueHandles.enumerated() { actor.values[handle] = [UInt8(0x50 + index)] }
    return placement.valueHandles
  }

  /// Sets the user behind a client.
  func ask(_ capability: SMPIOCapability?, _ actor: Actor, _ client: ClientID) {
    guard let capability else { return }
    var terms = PairingTerms()
    terms.agent = capability
    actor.with { host, _ in host.setPairingTerms(terms, of: client) }
  }

  /// Connects the two, by a new link.
  func connect() throws {
    central.clearLog()
    peripheral.clearLog()
    let (central, peripheral, app, device) = (central, peripheral, app, device)
    let (identity, address) = (peripheral.address, peripheral.onAir)
    central.with { host, now in
      host.connect(app, to: host.bond(with: identity)?.knownAddress ?? address, now: now)
    }
    stage.wait { central.link(app) != nil && peripheral.link(device) != nil }
    link = try #require(central.link(app))
    peripheralLink = try #require(peripheral.link(device))
  }

  /// Ends the link.
  func disconnect() {
    central.with { host, now in
      for link in host.links { host.disconnect(app, from: link.peer, now: now) }
    }
    let (central, peripheral) = (central, peripheral)
    stage.wait {
      central.with { host, _ in host.links.isEmpty } && peripheral.with { host, _ in host.links.isEmpty }
    }
  }

  func read(_ handle: AttributeHandle) -> GATTOutcome? { central.run(.read(handle), app, link) }

  /// Begins a read that does not end at once.
  func begin(_ handle: AttributeHandle) -> RequestID { central.submit(.read(handle), app, link) }

  /// Waits until users are asked, and returns the last question.
  func question(_ actor: Actor, after count: Int = 0) throws -> PairingQuestion {
    stage.wait { actor.questions.count > count }
    return try #require(actor.questions.last).question
  }

  /// Answers the last question that an actor's user was asked.
  func answer(_ answer: PairingAnswer, _ actor: Actor) throws {
    let asked = try #require(actor.questions.last)
    actor.with { host, now in host.answerPairing(answer, on: asked.link, client: asked.client, now: now) }
  }

  /// The outcomes of all procedures of the central by now.
  func outcomes() -> [(request: RequestID, outcome: GATTOutcome)] {
    defer { captured = [] }
    return captured + stage.simulation.dequeueOutcomes(of: central.node)
  }

  func wait(for request: RequestID) -> GATTOutcome? {
    var outcome: GATTOutcome?
    stage.wait(.seconds(120)) {
      outcome = outcome ?? stage.simulation.dequeueOutcome(request, of: central.node)
      return outcome != nil
    }
    return outcome
  }

  var security: LinkSecurity? { central.with { host, _ in host.security(of: link) } }
  var peripheralSecurity: LinkSecurity? { peripheral.with { host, _ in host.security(of: peripheralLink) } }

  /// The bond that an actor's host has with the other one.
  func bond(_ actor: Actor) -> Bond? {
    let other = actor === central ? peripheral.address : central.address
    return actor.with { host, _ in host.bond(with: other) }
  }

  /// What a client heard of pairings.
  func pairings(_ actor: Actor) -> [String] {
    actor.heard(actor === central ? app : device).filter { $0.hasPrefix("pairing") }
  }

  /// Gives a host a PDU of its peer's Security Manager, and returns the PDUs that it answers.
  @discardableResult
  func inject(_ pdu: [UInt8], to actor: Actor) -> [[UInt8]] {
    capture(actor) { host, handle, now in host.receive(Self.packet(pdu, channel: 6, handle), now: now) }
  }

  /// An L2CAP frame of a peer in one packet.
  static func packet(_ pdu: [UInt8], channel: UInt8, _ handle: UInt8) -> [UInt8] {
    [0x02, handle, 0x20, UInt8(pdu.count + 4), 0, UInt8(pdu.count), 0, channel, 0] + pdu
  }

  /// Gives a host inputs, and returns what it sends on the Security Manager's channel, or on another one. That does not
  /// reach the peer; all else has its effect.
  func capture(
    _ actor: Actor, channel: UInt8 = 6, _ body: (inout Host, UInt8, Duration) -> Void
  ) -> [[UInt8]] {
    var packets: [[UInt8]] = []
    let sent = actor.with { host, now -> [[UInt8]] in
      guard let handle = host.links.first?.handle.rawValue else { return [] }
      body(&host, UInt8(handle), now)
      var sent: [[UInt8]] = []
      while true {
        let outputs = host.dequeueOutputs()
        if outputs.isEmpty { return sent }
        for output in outputs {
          switch output {
          case .packet(let packet) where packet.first == 0x02 && packet.count > 9 && packet[7] == channel:
            sent.append(Array(packet.dropFirst(9)))
          case .packet(let packet): packets.append(packet)
          case .event(let event, let client): actor.receive(&host, event, client, now)
          case .completion(let request, let outcome): captured.append((request, outcome))
          case .bondChanged, .notice: break
          }
        }
      }
    }
    for packet in packets {
      stage.simulation.withRadio { radio, now in radio.receive(packet, from: actor.node, now: now) }
    }
    return sent
  }
}
