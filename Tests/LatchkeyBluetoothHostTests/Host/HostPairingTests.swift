import LatchkeyBluetoothEmulator
import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

@Suite("Hosts that pair") struct HostPairingTests {
  @Test("pair once a read needs it, and the read succeeds", arguments: [true, false]) func justWorks(_ isSecure: Bool)
    throws
  {
    let couple = try PairingCouple(.make(secure: isSecure), .make(secure: isSecure))
    #expect(couple.read(couple.plain)?.value == [0x50])
    #expect(couple.pairings(couple.central) == [])
    #expect(couple.read(couple.secret)?.value == [0x51])
    #expect(couple.pairings(couple.central) == ["pairing with 2: stored"])
    #expect(couple.pairings(couple.peripheral) == ["pairing with 1: stored"])
    var expected = LinkSecurity()
    expected.isEncrypted = true
    expected.usesSecureConnections = isSecure
    expected.keySize = 16
    #expect(couple.security == expected && couple.peripheralSecurity == expected)
    // The next one needs nothing.
    #expect(couple.read(couple.secret)?.value == [0x51])
    #expect(couple.pairings(couple.central).count == 1)
  }

  @Test("have the same keys, and give each bond to its store once") func bonds() throws {
    for isSecure in [true, false] {
      let couple = try PairingCouple(.make(secure: isSecure), .make(secure: isSecure))
      _ = couple.read(couple.secret)
      let changes = [couple.central, couple.peripheral].map { couple.stage.simulation.dequeueBondChanges(of: $0.node) }
      #expect(changes.map(\.count) == [1, 1])
      let (own, other) = (try #require(changes[0].first?.bond), try #require(changes[1].first?.bond))
      #expect(own.keyAsCentral != nil && own.keyAsCentral == other.keyAsPeripheral)
      #expect(own.keyAsPeripheral == other.keyAsCentral)
      #expect(own.identity == couple.peripheral.address && other.identity == couple.central.address)
      #expect(couple.bond(couple.central) == own && couple.bond(couple.peripheral) == other)
    }
  }

  @Test("compare digits, and read what needs authentication") func numericComparison() throws {
    let couple = try PairingCouple(users: (.displayYesNo, .displayYesNo))
    let request = couple.begin(couple.personal)
    let question = try couple.question(couple.central)
    guard case .compare(let digits) = question else { throw Unexpected() }
    #expect(try couple.question(couple.peripheral) == .compare(digits))
    try couple.answer(.accept, couple.peripheral)
    couple.stage.advance(.seconds(1))
    #expect(couple.outcomes().isEmpty)
    try couple.answer(.accept, couple.central)
    #expect(couple.wait(for: request)?.value == [0x52])
    #expect(couple.security?.isAuthenticated == true && couple.peripheralSecurity?.isAuthenticated == true)
  }

  struct Unexpected: Error {}

  /// Who shows a passkey to whom, with Secure Connections and without.
  static let passkeys: [(central: SMPIOCapability, peripheral: SMPIOCapability, isSecure: Bool)] = [
    (.keyboardOnly, .displayOnly, true), (.keyboardOnly, .displayOnly, false),
    (.displayOnly, .keyboardOnly, true), (.displayOnly, .keyboardOnly, false),
  ]

  @Test("enter the passkey that the other shows", arguments: passkeys)
  func passkey(_ central: SMPIOCapability, _ peripheral: SMPIOCapability, _ isSecure: Bool) throws {
    let couple = try PairingCouple(
      .make(secure: isSecure), .make(secure: isSecure), users: (central, peripheral))
    let request = couple.begin(couple.personal)
    let (shows, enters) =
      central == .displayOnly ? (couple.central, couple.peripheral) : (couple.peripheral, couple.central)
    guard case .show(let passkey) = try couple.question(shows) else { throw Unexpected() }
    #expect(try couple.question(enters) == .enter)
    try couple.answer(.passkey(passkey), enters)
    #expect(couple.wait(for: request)?.value == [0x52])
    #expect(couple.security?.usesSecureConnections == isSecure)
  }

  @Test("fail by a wrong passkey, and the request keeps the peer's refusal") func wrongPasskey() throws {
    let couple = try PairingCouple(users: (.keyboardOnly, .displayOnly))
    let request = couple.begin(couple.personal)
    guard case .show(let passkey) = try couple.question(couple.peripheral) else { throw Unexpected() }
    _ = try couple.question(couple.central)
    let wrong = try #require(PairingPasskey((passkey.value + 1) % 1_000_000))
    try couple.answer(.passkey(wrong), couple.central)
    #expect(couple.wait(for: request)?.failure == .refused(.insufficientAuthentication, handle: couple.personal))
    #expect(couple.pairings(couple.central) == ["pairing with 2: peer refused 04"])
    #expect(couple.pairings(couple.peripheral) == ["pairing with 1: refused 04"])
    #expect(couple.bond(couple.central) == nil && couple.bond(couple.peripheral) == nil)
    // The waiting interval: nothing is sent, and nobody asked.
    #expect(couple.read(couple.personal)?.failure == .refused(.insufficientAuthentication, handle: couple.personal))
    #expect(couple.central.questions.count == 1)
    couple.stage.advance(.seconds(2))
    _ = couple.begin(couple.personal)
    _ = try couple.question(couple.central, after: 1)
  }

  @Test("use out-of-band data of both ends") func outOfBand() throws {
    let couple = try PairingCouple(.make(secure: false), .make(secure: false))
    var terms = PairingTerms()
    terms.agent = .noInputNoOutput
    terms.hasOutOfBandData = true
    couple.central.with { host, _ in host.setPairingTerms(terms, of: couple.app) }
    couple.peripheral.with { host, _ in host.setPairingTerms(terms, of: couple.device) }
    let request = couple.begin(couple.personal)
    let data = PairingAnswer.outOfBand(.legacy(temporaryKey: try #require(SecurityKey(Array(1...16)))))
    for actor in [couple.central, couple.peripheral] {
      #expect(try couple.question(actor) == .outOfBandData(secureConnections: false))
      try couple.answer(data, actor)
    }
    #expect(couple.wait(for: request)?.value == [0x52])
  }

  @Test("do not pair where the user of either end rejects", arguments: [true, false]) func rejection(_ atCentral: Bool)
    throws
  {
    let couple = try PairingCouple(users: (.displayYesNo, .displayYesNo))
    let request = couple.begin(couple.secret)
    _ = try couple.question(couple.central)
    _ = try couple.question(couple.peripheral)
    try couple.answer(.reject, atCentral ? couple.central : couple.peripheral)
    #expect(couple.wait(for: request)?.failure == .refused(.insufficientAuthentication, handle: couple.secret))
    #expect(couple.pairings(couple.central) == ["pairing with 2: \(atCentral ? "" : "peer ")refused 0c"])
    #expect(couple.security == LinkSecurity())
    // A late answer changes nothing.
    try couple.answer(.accept, couple.central)
    #expect(couple.pairings(couple.central).count == 1)
  }

  @Test("ask the user whose app's request it is, also for Just Works, and only that one") func confirmation() throws {
    let couple = try PairingCouple(users: (.noInputNoOutput, nil))
    let other = couple.central.addClient()
    couple.ask(.displayYesNo, couple.central, other)
    couple.central.connect(other, to: couple.peripheral)
    let request = couple.begin(couple.secret)
    #expect(try couple.question(couple.central) == .confirm)
    #expect(couple.central.questions.map(\.client) == [couple.app])
    // Another client cannot answer.
    couple.central.with { host, now in host.answerPairing(.reject, on: couple.link, client: other, now: now) }
    try couple.answer(.accept, couple.central)
    #expect(couple.wait(for: request)?.value == [0x51])
  }

  @Test("send a refused request again once: what comes then is final") func onlyOnce() throws {
    let couple = try PairingCouple()
    #expect(couple.read(couple.personal)?.failure == .refused(.insufficientAuthentication, handle: couple.personal))
    #expect(couple.pairings(couple.central) == ["pairing with 2: stored"])
    #expect(couple.security?.isEncrypted == true)
    // On the encrypted link nothing could be gained without a user.
    #expect(couple.read(couple.personal)?.failure == .refused(.insufficientAuthentication, handle: couple.personal))
    #expect(couple.pairings(couple.central).count == 1)
  }

  @Test("pair again, with protection, once there is somebody to ask") func upgrade() throws {
    let couple = try PairingCouple()
    _ = couple.read(couple.secret)
    couple.ask(.displayYesNo, couple.central, couple.app)
    couple.ask(.displayYesNo, couple.peripheral, couple.device)
    let request = couple.begin(couple.personal)
    for actor in [couple.central, couple.peripheral] {
      _ = try couple.question(actor)
      try couple.answer(.accept, actor)
    }
    #expect(couple.wait(for: request)?.value == [0x52])
    #expect(couple.bond(couple.central)?.keyAsCentral?.isAuthenticated == true)
    #expect(couple.pairings(couple.peripheral) == ["pairing with 1: stored", "pairing with 1: stored"])
  }

  @Test("pair once for two clients that wait") func twoClients() throws {
    let couple = try PairingCouple()
    let other = couple.central.addClient()
    couple.central.connect(other, to: couple.peripheral)
    let requests = [couple.begin(couple.secret), couple.central.submit(.read(couple.secret), other, couple.link)]
    for request in requests { #expect(couple.wait(for: request)?.value == [0x51]) }
    #expect(couple.pairings(couple.central) == ["pairing with 2: stored"])
  }

  @Test("write long values, and configure notifications, once they have paired") func otherProcedures() throws {
    let couple = try PairingCouple()
    var notifying = GATTCharacteristicDefinition(
      uuid: 0xFFE1, properties: [.notify, .write], permissions: .writeEncryptionRequired)
    notifying.needsEncryptionToSubscribe = true
    let definition = GATTServiceDefinition(uuid: 0xFFE0, characteristics: [notifying])
    let placement = try couple.peripheral.with { host, now in
      try host.addService(definition, client: couple.device, now: now)
    }
    let handle = placement.valueHandles[0]
    let record = GATTCharacteristicRecord(
      uuid: 0xFFE1, declaration: handle - 1, valueHandle: handle, end: placement.range.end, properties: .notify)
    let configured = couple.central.run(.configureNotifications(record, enabled: true), couple.app, couple.link)
    #expect(configured?.isWritten == true)
    #expect(couple.pairings(couple.central).count == 1)

    let fresh = try PairingCouple()
    let place = try fresh.peripheral.with { host, now in
      try host.addService(definition, client: fresh.device, now: now)
    }
    let value = [UInt8](repeating: 7, count: 512)
    #expect(fresh.central.run(.write(place.valueHandles[0], value), fresh.app, fresh.link)?.isWritten == true)
    #expect(fresh.peripheral.values[place.valueHandles[0]] == value)
  }

  @Test("pair at a peripheral's request only where its app made one") func securityRequest() throws {
    let couple = try PairingCouple()
    let own = try PairingCouple.publish(couple.central, couple.app)
    // The peripheral's client uses the link to read from the central.
    couple.peripheral.connect(couple.device, to: couple.central)
    let request = couple.peripheral.submit(.read(own[1]), couple.device, couple.peripheralLink)
    var outcome: GATTOutcome?
    couple.stage.wait {
      outcome = outcome ?? couple.stage.simulation.dequeueOutcome(request, of: couple.peripheral.node)
      return outcome != nil
    }
    // Nobody at the central wants to pair.
    #expect(outcome?.failure == .refused(.insufficientAuthentication, handle: own[1]))
    #expect(couple.pairings(couple.peripheral) == ["pairing with 1: peer refused 05"])
    // With a user it does.
    couple.ask(.noInputNoOutput, couple.central, couple.app)
    let second = couple.peripheral.submit(.read(own[1]), couple.device, couple.peripheralLink)
    #expect(try couple.question(couple.central) == .confirm)
    try couple.answer(.accept, couple.central)
    outcome = nil
    couple.stage.wait {
      outcome = outcome ?? couple.stage.simulation.dequeueOutcome(second, of: couple.peripheral.node)
      return outcome != nil
    }
    #expect(outcome?.value == [0x51])
  }

  @Test("never pair for what no app asked for") func ownRequests() throws {
    let couple = try PairingCouple()
    let request = RequestID(900)
    couple.central.with { host, now in
      host.submit(
        .read(couple.secret), id: request, client: couple.app, link: couple.link, mayRaiseSecurity: false, now: now)
    }
    #expect(couple.wait(for: request)?.failure == .refused(.insufficientAuthentication, handle: couple.secret))
    #expect(couple.pairings(couple.central) == [] && couple.bond(couple.central) == nil)
  }

  @Test("say that they do not, where one of them must not", arguments: [0, 1, 2, 3]) func refusals(_ which: Int) throws
  {
    let couple =
      switch which {
      case 0: try PairingCouple(nil, PairingPolicy())
      case 1: try PairingCouple(PairingPolicy(), nil)
      case 2: try PairingCouple(.make { $0.requiresSecureConnections = true }, .make(secure: false))
      default:
        try PairingCouple(
          PairingPolicy(),
          .make {
            $0.maximumKeySize = 15
            $0.leastKeySize = 7
          })
      }
    #expect(couple.read(couple.secret)?.failure == .refused(.insufficientAuthentication, handle: couple.secret))
    let ends = [
      [], ["pairing with 2: peer refused 05"], ["pairing with 2: refused 03"], ["pairing with 2: refused 06"],
    ]
    #expect(couple.pairings(couple.central) == ends[which])
    #expect(couple.security == LinkSecurity() && couple.bond(couple.central) == nil)
    #expect(couple.read(couple.plain)?.value == [0x50])
  }

  @Test("accept a shorter key where their apps do") func shortKey() throws {
    let short = PairingPolicy.make {
      $0.maximumKeySize = 7
      $0.leastKeySize = 7
    }
    let couple = try PairingCouple(PairingPolicy(), short)
    var terms = PairingTerms()
    terms.leastKeySize = 8
    couple.central.with { host, _ in host.setPairingTerms(terms, of: couple.app) }
    #expect(couple.read(couple.secret)?.failure == .refused(.insufficientAuthentication, handle: couple.secret))
    terms.leastKeySize = 7
    couple.central.with { host, _ in host.setPairingTerms(terms, of: couple.app) }
    couple.stage.advance(.seconds(2))
    #expect(couple.read(couple.secret)?.value == [0x51])
    #expect(couple.security?.keySize == 7)
  }

  @Test("end with the link where one of them does not bond") func noBond() throws {
    let couple = try PairingCouple(PairingPolicy(), .make { $0.isBonding = false })
    #expect(couple.read(couple.secret)?.value == [0x51])
    #expect(couple.pairings(couple.central) == ["pairing with 2: not stored"])
    #expect(couple.bond(couple.central) == nil)
    #expect(couple.stage.simulation.dequeueBondChanges(of: couple.central.node).isEmpty)
  }
}
