import LatchkeyBluetoothEmulator
import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

/// Which keys a link has while its ends pair and after that, and what is left of a pairing.
@Suite("The keys of hosts that pair") struct HostPairingKeysTests {
  private static let latency = AirTiming(latency: .milliseconds(10))

  private func link(_ actor: Actor) throws -> Link {
    try #require(actor.with { host, _ in host.links.first })
  }

  @Test("are those of the bond once it is there: the key of legacy pairing serves no more") func afterLegacyPairing()
    throws
  {
    let policy = PairingPolicy.make(secure: false)
    let couple = try PairingCouple(policy, policy)
    #expect(couple.read(couple.secret)?.value == [0x51])
    for actor in [couple.central, couple.peripheral] {
      let link = try link(actor)
      let key = try #require(couple.bond(actor)?.key(as: link.role))
      #expect(link.keys.key(key.encryptedDiversifier, key.randomNumber) == key)
      #expect(key.randomNumber != 0 && link.keys.key(0, 0) == nil)
      #expect(link.pairing?.sessionKey == nil)
    }
  }

  @Test("are those of the bond again after a pairing that fails with its own in use", arguments: [true, false])
  func afterFailure(_ atCentral: Bool) throws {
    let couple = try PairingCouple(
      identities: (try PairingIdentity.of(1), try PairingIdentity.of(2)), timing: Self.latency)
    #expect(couple.read(couple.secret)?.value == [0x51])
    couple.ask(.displayYesNo, couple.central, couple.app)
    couple.ask(.displayYesNo, couple.peripheral, couple.device)
    _ = couple.begin(couple.personal)
    let actor = atCentral ? couple.central : couple.peripheral
    let old = try #require(couple.bond(actor)?.key(as: atCentral ? .central : .peripheral))
    for actor in [couple.central, couple.peripheral] {
      _ = try couple.question(actor)
      try couple.answer(.accept, actor)
    }
    let link = try link(actor)
    // A central has its peer's keys as soon as the link is encrypted.
    let step: PairingProgress.Step = atCentral ? .encryption : .keys
    couple.stage.wait { link.pairing?.session.progress?.step == step }
    #expect(link.keys.key(0, 0) != nil && link.keys.key(0, 0) != old)
    couple.inject([0x05, 0x08], to: actor)
    #expect(couple.pairings(actor).last?.hasSuffix("peer refused 08") == true)
    #expect(link.keys.key(0, 0) == old && link.pairing?.sessionKey == nil)
    #expect(couple.bond(actor)?.key(as: link.role) == old)
  }

  @Test("are made of a key pair that is there before the pairing, and serves once") func keyPairsAhead() throws {
    let couple = try PairingCouple()
    var used: [SMPPairingPublicKey] = []
    for _ in 1...3 {
      for actor in [couple.central, couple.peripheral] {
        used.append(try #require(actor.with { host, _ in host.nextKeyPair?.publicKey }))
      }
      #expect(couple.read(couple.secret)?.value == [0x51])
      for actor in [couple.central, couple.peripheral] {
        #expect(try link(actor).pairing?.session.nextKeyPair == nil)
        #expect(actor.with { host, _ in host.nextKeyPair?.publicKey } == nil)
        actor.with { host, now in
          for identity in host.bondedPeers { _ = host.removeBond(with: identity, now: now) }
        }
      }
      couple.disconnect()
      couple.peripheral.advertise(couple.device)
      try couple.connect()
    }
    #expect(Set(used.map(\.x)).count == 6)
  }

  @Test("are not those of a pairing that begins to encrypt while the controller encrypts with another one")
  func besideAnotherEncryption() throws {
    let couple = try PairingCouple(users: (.noInputNoOutput, nil))
    _ = couple.begin(couple.secret)
    _ = try couple.question(couple.central)
    var faults = ControllerFaults()
    faults.silentCommands = [0x2019]
    couple.central.setFaults(faults)
    let other = LongTermKey(
      key: try #require(SecurityKey(Array(1...16))), size: 16, isAuthenticated: false, isSecureConnections: false,
      encryptedDiversifier: 1, randomNumber: 1)
    let begins = couple.central.with { host, now in
      host.setKey(other, for: couple.link)
        && host.encrypt(couple.link, encryptedDiversifier: 1, randomNumber: 1, now: now)
    }
    #expect(begins)
    try couple.answer(.accept, couple.central)
    couple.stage.advance(.seconds(1))
    #expect(couple.pairings(couple.central) == ["pairing with 2: encryptionFailed"])
    #expect(try link(couple.central).keys.offered == other)
  }

  @Test("are not offered again to a controller that encrypts, however often the peer asks for security")
  func alreadyEncrypting() throws {
    let couple = try PairingCouple()
    #expect(couple.read(couple.secret)?.value == [0x51])
    couple.disconnect()
    var faults = ControllerFaults()
    faults.silentCommands = [0x201A]
    couple.peripheral.setFaults(faults)
    try couple.connect()
    let until = try #require(link(couple.central).keys.encryptsUntil)
    couple.stage.advance(.seconds(1))
    #expect(couple.inject([0x0B, 0x01], to: couple.central) == [])
    #expect(try link(couple.central).keys.encryptsUntil == until)
  }

  @Test("may be used again after 45 s, although a controller never said what became of an encryption")
  func silentController() throws {
    let key = LongTermKey(
      key: try #require(SecurityKey(Array(1...16))), size: 16, isAuthenticated: false, isSecureConnections: true)
    var keys = LinkKeys()
    #expect(!keys.isEncrypting(now: .zero))
    keys.begin(key, now: .zero)
    #expect(keys.isEncrypting(now: .zero) && keys.isEncrypting(now: .milliseconds(44_999)))
    #expect(!keys.isEncrypting(now: .seconds(45)))
  }

  @Test("end with their link, and so does what waits for them") func endOfTheLink() throws {
    let couple = try PairingCouple()
    #expect(couple.read(couple.secret)?.value == [0x51])
    couple.disconnect()
    var faults = ControllerFaults()
    faults.silentCommands = [0x2019]
    couple.central.setFaults(faults)
    try couple.connect()
    let links = [try link(couple.central), try link(couple.peripheral)]
    guard case .encryption? = links[0].pairing?.wait else { return #expect(Bool(false), "nothing waits") }
    #expect(links.allSatisfy { $0.pairing?.bond != nil })
    couple.disconnect()
    for link in links {
      #expect(link.pairing?.bond == nil && link.pairing?.sessionKey == nil && link.keys.isEmpty)
      guard case .nothing? = link.pairing?.wait else { return #expect(Bool(false), "something waits") }
    }
  }

  @Test("are not stored where a bond has none") func noKeys() throws {
    let policy = PairingPolicy.make(secure: false) {
      $0.keysToSend = []
      $0.keysToReceive = []
    }
    let couple = try PairingCouple(policy, policy)
    #expect(couple.read(couple.secret)?.value == [0x51])
    #expect(couple.pairings(couple.central) == ["pairing with 2: not stored"])
    #expect(couple.bond(couple.central) == nil && couple.bond(couple.peripheral) == nil)
    #expect(couple.stage.simulation.dequeueBondChanges(of: couple.central.node).isEmpty)
  }

  @Test("are all there before a request goes on that waits for them") func requestWaits() throws {
    let couple = try PairingCouple(
      users: (.noInputNoOutput, nil), identities: (try PairingIdentity.of(1), try PairingIdentity.of(2)),
      timing: Self.latency)
    let own = try PairingCouple.publish(couple.central, couple.app)
    couple.peripheral.connect(couple.device, to: couple.central)
    let request = couple.peripheral.submit(.read(own[1]), couple.device, couple.peripheralLink)
    _ = try couple.question(couple.central)
    try couple.answer(.accept, couple.central)
    let link = try link(couple.peripheral)
    couple.stage.wait { link.pairing?.session.progress?.step == .keys }
    #expect(link.security.isEncrypted && link.client.isHeld)
    var outcome: GATTOutcome?
    couple.stage.wait {
      outcome = outcome ?? couple.stage.simulation.dequeueOutcome(request, of: couple.peripheral.node)
      return outcome != nil
    }
    #expect(outcome?.value == [0x51] && link.pairing?.session.isPairing == false)
  }

  // MARK: Ends

  @Test("count for the waiting interval: a success ends it, and is forgotten with it") func attempts() throws {
    let couple = try PairingCouple(users: (.noInputNoOutput, nil))
    let first = couple.begin(couple.secret)
    _ = try couple.question(couple.central)
    try couple.answer(.reject, couple.central)
    #expect(couple.wait(for: first)?.value == nil)
    let counts = { [couple.central, couple.peripheral].map { $0.with { host, _ in host.pairingAttempts.count } } }
    #expect(counts() == [1, 1])
    couple.stage.advance(.seconds(2))
    let second = couple.begin(couple.secret)
    _ = try couple.question(couple.central, after: 1)
    try couple.answer(.accept, couple.central)
    #expect(couple.wait(for: second)?.value == [0x51])
    #expect(counts() == [0, 0])
  }

  @Test("do not change by an answer that comes when the link is being closed, and nothing is sent") func lateAnswer()
    throws
  {
    let couple = try PairingCouple(users: (.displayYesNo, .displayYesNo), timing: Self.latency)
    _ = couple.begin(couple.secret)
    _ = try couple.question(couple.central)
    couple.central.disconnect(couple.app, from: couple.peripheral)
    let asked = try #require(couple.central.questions.last)
    let sent = couple.capture(couple.central) { host, _, now in
      host.answerPairing(.reject, on: asked.link, client: asked.client, now: now)
    }
    #expect(sent == [] && couple.pairings(couple.central) == [])
    couple.stage.advance(.seconds(1))
    #expect(couple.pairings(couple.central) == ["pairing with 2: linkEnded"])
  }

  @Test("go with the client that is asked, without a word on a link that is being closed") func clientOfAClosingLink()
    throws
  {
    let couple = try PairingCouple(users: (.displayYesNo, .displayYesNo), timing: Self.latency)
    _ = couple.begin(couple.secret)
    _ = try couple.question(couple.central)
    couple.central.disconnect(couple.app, from: couple.peripheral)
    let app = couple.app
    let sent = couple.capture(couple.central) { host, _, now in host.removeClient(app, now: now) }
    #expect(sent == [])
  }
}
