import LatchkeyBluetoothEmulator
import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

/// What the clients of a host demand of its pairings, and whose user is asked.
@Suite("Hosts whose clients have terms for pairings") struct HostPairingTermsTests {
  /// A Pairing Request of legacy pairing without input, output and keys.
  private static let legacyRequest: [UInt8] = [0x01, 0x03, 0x00, 0x01, 0x10, 0x00, 0x00]
  /// Its like of Secure Connections.
  private static let request: [UInt8] = [0x01, 0x03, 0x00, 0x09, 0x10, 0x00, 0x00]
  /// A Pairing Response of Secure Connections without input, output and keys.
  private static let response: [UInt8] = [0x02, 0x03, 0x00, 0x09, 0x10, 0x00, 0x00]

  private func demand(_ actor: Actor, _ client: ClientID, _ change: (inout PairingTerms) -> Void) {
    var terms = PairingTerms()
    change(&terms)
    actor.with { host, _ in host.setPairingTerms(terms, of: client) }
  }

  // MARK: Demands

  @Test("refuse legacy pairing on all links while one client does, and no longer") func secureConnections() throws {
    let couple = try PairingCouple()
    let strict = couple.peripheral.addClient()
    demand(couple.peripheral, strict) { $0.requiresSecureConnections = true }
    #expect(couple.inject(Self.legacyRequest, to: couple.peripheral) == [[0x05, 0x03]])
    couple.peripheral.with { host, now in host.removeClient(strict, now: now) }
    #expect(couple.peripheral.with { host, _ in host.pairingTerms.isEmpty })
    // A client that is gone demands nothing, whenever it said so.
    demand(couple.peripheral, strict) { $0.requiresSecureConnections = true }
    #expect(couple.inject(Self.legacyRequest, to: couple.peripheral).first?.first == 0x02)
  }

  @Test("accept a key that is long enough for each client that serves the peer, whatever others demand")
  func keySizes() throws {
    let couple = try PairingCouple()
    let (second, idle) = (couple.peripheral.addClient(), couple.peripheral.addClient())
    _ = try PairingCouple.publish(couple.peripheral, second)
    for (client, size) in [(couple.device, 8), (second, 10), (idle, 16)] {
      demand(couple.peripheral, client) { $0.leastKeySize = size }
    }
    func request(_ size: UInt8) -> [UInt8] { [0x01, 0x03, 0x00, 0x09, size, 0x00, 0x00] }
    for size in 7...9 as ClosedRange<UInt8> {
      #expect(couple.inject(request(size), to: couple.peripheral) == [[0x05, 0x06]])
    }
    #expect(couple.inject(request(10), to: couple.peripheral).first?.first == 0x02)
  }

  @Test("take no demand for a longer key than there is") func longestKey() throws {
    let couple = try PairingCouple()
    demand(couple.peripheral, couple.device) { $0.leastKeySize = 20 }
    #expect(couple.inject(Self.request, to: couple.peripheral).first?.first == 0x02)
  }

  @Test("pair for a client of the peripheral, where nothing of the peripheral is guarded") func peripheralRequest()
    throws
  {
    let couple = try PairingCouple(users: (.noInputNoOutput, nil), guards: false)
    let own = try PairingCouple.publish(couple.central, couple.app)
    couple.peripheral.connect(couple.device, to: couple.central)
    let request = couple.peripheral.submit(.read(own[1]), couple.device, couple.peripheralLink)
    #expect(try couple.question(couple.central) == .confirm)
    try couple.answer(.accept, couple.central)
    var outcome: GATTOutcome?
    couple.stage.wait {
      outcome = outcome ?? couple.stage.simulation.dequeueOutcome(request, of: couple.peripheral.node)
      return outcome != nil
    }
    #expect(outcome?.value == [0x51])
  }

  @Test("replace no pairing by one that proves no more") func uselessUpgrade() throws {
    let couple = try PairingCouple()
    #expect(couple.read(couple.secret)?.value == [0x51])
    let bond = couple.bond(couple.central)
    couple.ask(.displayYesNo, couple.central, couple.app)
    #expect(couple.read(couple.personal)?.failure == .refused(.insufficientAuthentication, handle: couple.personal))
    #expect(couple.pairings(couple.central) == ["pairing with 2: stored", "pairing with 2: refused 03"])
    // The same where the peripheral asks for it.
    #expect(couple.inject([0x0B, 0x0D], to: couple.central).map(\.first) == [0x01])
    #expect(couple.inject(Self.response, to: couple.central) == [[0x05, 0x03]])
    #expect(bond != nil && couple.bond(couple.central) == bond)
  }

  // MARK: Users

  @Test("ask the user of the client whose request it is, though another one uses the link, too") func secondClient()
    throws
  {
    let couple = try PairingCouple(users: (.displayYesNo, .displayYesNo))
    let second = couple.central.addClient()
    couple.ask(.displayYesNo, couple.central, second)
    couple.central.connect(second, to: couple.peripheral)
    let request = couple.central.submit(.read(couple.secret), second, couple.link)
    for actor in [couple.central, couple.peripheral] {
      _ = try couple.question(actor)
      try couple.answer(.accept, actor)
    }
    #expect(couple.central.questions.map(\.client) == [second])
    #expect(couple.wait(for: request)?.value == [0x51])
  }

  @Test("ask no user of a client that does not use the link") func idleClient() throws {
    let couple = try PairingCouple()
    let idle = couple.central.addClient()
    couple.ask(.displayYesNo, couple.central, idle)
    #expect(couple.inject([0x0B, 0x05], to: couple.central) == [[0x05, 0x05]])
    #expect(couple.central.questions.isEmpty)
  }

  @Test("ask the user of a client whose channels alone are guarded") func channelOfAClient() throws {
    let couple = try PairingCouple(guards: false)
    let keeper = couple.peripheral.addClient()
    couple.ask(.noInputNoOutput, couple.peripheral, keeper)
    let psm = couple.peripheral.with { host, _ in host.publishChannel(keeper, ChannelSecurity(needsEncryption: true)) }
    #expect(psm != nil)
    #expect(couple.inject(Self.legacyRequest, to: couple.peripheral).first?.first == 0x02)
    #expect(couple.peripheral.questions.map(\.client) == [keeper])
  }

  @Test("accept no digits that nobody compares", arguments: [true, false]) func nobodyCompares(_ atCentral: Bool) throws
  {
    let policy = PairingPolicy.make(.displayYesNo, .preferred)
    let couple = try PairingCouple(policy, policy, users: atCentral ? (nil, .displayYesNo) : (.displayYesNo, nil))
    #expect(couple.read(couple.secret)?.failure == .refused(.insufficientAuthentication, handle: couple.secret))
    #expect(couple.pairings(couple.central) == ["pairing with 2: \(atCentral ? "" : "peer ")refused 0c"])
    #expect(couple.bond(couple.central) == nil && couple.bond(couple.peripheral) == nil)
  }

  @Test("ask for protection where the peer may have out-of-band data of them", arguments: [true, false])
  func outOfBandData(_ hasData: Bool) throws {
    let couple = try PairingCouple(users: (nil, .noInputNoOutput))
    if hasData { couple.peripheral.with { host, _ in _ = host.makeOutOfBandData() } }
    let response = try #require(couple.inject(Self.request, to: couple.peripheral).first)
    #expect(response.first == 0x02)
    #expect(SMPAuthenticationRequirements(rawValue: response[3]).contains(.mitm) == hasData)
    // This peer has none: they are kept for the one that has.
    #expect(couple.peripheral.with { host, _ in host.localOutOfBand != nil } == hasData)
  }

  @Test("do not go on with out-of-band data that were replaced in the middle of a pairing") func replacedData() throws {
    let couple = try PairingCouple(users: (.noInputNoOutput, nil))
    couple.central.with { host, _ in _ = host.makeOutOfBandData() }
    #expect(couple.inject([0x0B, 0x01], to: couple.central).map(\.first) == [0x01])
    couple.central.with { host, _ in _ = host.makeOutOfBandData() }
    // The peer says that it has the data.
    #expect(couple.inject([0x02, 0x03, 0x01, 0x09, 0x10, 0x00, 0x00], to: couple.central) == [[0x05, 0x02]])
  }

  @Test("pair again for what out-of-band data bring, of whichever end they are", arguments: [true, false])
  func upgradeByData(_ ofPeripheral: Bool) throws {
    let couple = try PairingCouple()
    #expect(couple.read(couple.secret)?.value == [0x51])
    let (gives, has) = ofPeripheral ? (couple.peripheral, couple.central) : (couple.central, couple.peripheral)
    demand(has, ofPeripheral ? couple.app : couple.device) {
      $0.agent = .noInputNoOutput
      $0.hasOutOfBandData = true
    }
    let data = try #require(gives.with { host, _ in host.makeOutOfBandData() })
    let request = couple.begin(couple.personal)
    #expect(try couple.question(has) == .outOfBandData(secureConnections: true))
    try couple.answer(.outOfBand(data), has)
    #expect(couple.wait(for: request)?.value == [0x52])
  }

  // MARK: Refusals

  /// Has the peripheral refuse a read of the central, and returns what the central's Security Manager sends.
  private func refuse(_ couple: PairingCouple, _ code: UInt8, _ request: RequestID = RequestID(700)) -> [[UInt8]] {
    let (app, link, handle) = (couple.app, couple.link, couple.personal)
    _ = couple.capture(couple.central, channel: 4) { host, _, now in
      host.submit(.read(handle), id: request, client: app, link: link, now: now)
    }
    let error: [UInt8] = [0x01, 0x0A, UInt8(handle & 0xFF), UInt8(handle >> 8), code]
    return couple.capture(couple.central) { host, handle, now in
      host.receive(PairingCouple.packet(error, channel: 4, handle), now: now)
    }
  }

  @Test("ask for a longer key where the peer does, and for nothing else") func longerKey() throws {
    let couple = try PairingCouple()
    let key = LongTermKey(
      key: try #require(SecurityKey(Array(1...16))), size: 7, isAuthenticated: false, isSecureConnections: true)
    couple.peripheral.with { host, _ in _ = host.setKey(key, for: couple.peripheralLink) }
    couple.central.with { host, now in
      host.setKey(key, for: couple.link)
      _ = host.encrypt(couple.link, now: now)
    }
    couple.stage.advance(.seconds(1))
    #expect(couple.security?.keySize == 7)
    #expect(refuse(couple, 0x0C).map { Array($0.prefix(5)) } == [[0x01, 0x03, 0x00, 0x09, 0x10]])
  }

  @Test("do not pair for a peer that refuses what is authenticated already") func authenticated() throws {
    let couple = try PairingCouple(users: (.displayYesNo, .displayYesNo))
    let request = couple.begin(couple.personal)
    for actor in [couple.central, couple.peripheral] {
      _ = try couple.question(actor)
      try couple.answer(.accept, actor)
    }
    #expect(couple.wait(for: request)?.value == [0x52])
    for code in [0x05, 0x0C, 0x0F] as [UInt8] {
      #expect(refuse(couple, code, RequestID(700 + UInt64(code))) == [])
      let failure = GATTFailure.refused(ATTErrorCode(rawValue: code), handle: couple.personal)
      #expect(couple.outcomes().map(\.outcome.failure) == [failure])
    }
    // A Security Request asks for no more.
    #expect(couple.inject([0x0B, 0x0D], to: couple.central) == [])
    #expect(couple.pairings(couple.central) == ["pairing with 2: stored"])
  }

  @Test("end a request that is refused while they pair with that pairing") func refusedWhilePairing() throws {
    let couple = try PairingCouple(users: (.noInputNoOutput, nil))
    #expect(couple.inject([0x0B, 0x01], to: couple.central).map(\.first) == [0x01])
    let request = couple.begin(couple.secret)
    couple.stage.advance(.seconds(1))
    #expect(couple.outcomes().isEmpty)
    couple.inject([0x05, 0x08], to: couple.central)
    let failure = GATTFailure.refused(.insufficientAuthentication, handle: couple.secret)
    let outcomes = couple.outcomes()
    #expect(outcomes.map(\.request) == [request] && outcomes.first?.outcome.failure == failure)
  }

  @Test("do not pair for a request that is refused while the controller encrypts") func refusedWhileEncrypting() throws
  {
    let couple = try PairingCouple()
    var faults = ControllerFaults()
    faults.silentCommands = [0x2019]
    couple.central.setFaults(faults)
    let key = LongTermKey(
      key: try #require(SecurityKey(Array(1...16))), size: 16, isAuthenticated: false, isSecureConnections: true)
    let begins = couple.central.with { host, now in
      host.setKey(key, for: couple.link) && host.encrypt(couple.link, now: now)
    }
    #expect(begins)
    let request = couple.begin(couple.secret)
    couple.stage.advance(.seconds(1))
    #expect(couple.outcomes().isEmpty)
    #expect(couple.wait(for: request)?.failure == .encryptionFailed)
    #expect(couple.pairings(couple.central) == [])
    #expect(!couple.central.with { host, _ in host.canSendWriteWithoutResponse(couple.app, on: couple.link) })
  }

  @Test("pair, though the peer had not a key that the link had from elsewhere") func otherKeyMissing() throws {
    let couple = try PairingCouple()
    #expect(couple.inject([0x0B, 0x01], to: couple.central) == [[0x05, 0x05]])
    let key = LongTermKey(
      key: try #require(SecurityKey(Array(1...16))), size: 16, isAuthenticated: false, isSecureConnections: true)
    let begins = couple.central.with { host, now in
      host.setKey(key, for: couple.link) && host.encrypt(couple.link, now: now)
    }
    #expect(begins)
    couple.stage.advance(.seconds(1))
    #expect(couple.security == LinkSecurity())
    #expect(couple.read(couple.secret)?.value == [0x51])
  }

  @Test("take an encryption with a key from before for an answer to a Security Request") func olderKey() throws {
    let couple = try PairingCouple()
    let own = try PairingCouple.publish(couple.central, couple.app)[1]
    couple.peripheral.connect(couple.device, to: couple.central)
    let (device, link) = (couple.device, couple.peripheralLink)
    let request = RequestID(800)
    _ = couple.capture(couple.peripheral, channel: 4) { host, _, now in
      host.submit(.read(own), id: request, client: device, link: link, now: now)
    }
    let error: [UInt8] = [0x01, 0x0A, UInt8(own & 0xFF), UInt8(own >> 8), 0x05]
    let sent = couple.capture(couple.peripheral) { host, handle, now in
      host.receive(PairingCouple.packet(error, channel: 4, handle), now: now)
    }
    #expect(sent.map(\.first) == [0x0B])
    let key = LongTermKey(
      key: try #require(SecurityKey(Array(1...16))), size: 16, isAuthenticated: false, isSecureConnections: true)
    couple.peripheral.with { host, _ in _ = host.setKey(key, for: link) }
    couple.central.with { host, now in
      host.setKey(key, for: couple.link)
      _ = host.encrypt(couple.link, now: now)
    }
    var outcome: GATTOutcome?
    couple.stage.wait {
      outcome = outcome ?? couple.stage.simulation.dequeueOutcome(request, of: couple.peripheral.node)
      return outcome != nil
    }
    #expect(outcome?.value == [0x51])
    couple.stage.advance(PairingSession.timeout + .seconds(1))
    #expect(couple.pairings(couple.peripheral) == [])
  }

  // MARK: Security Requests

  @Test("do not pair at the request of a device that lost its key, though there is a user") func lostKey() throws {
    let couple = try PairingCouple()
    #expect(couple.read(couple.secret)?.value == [0x51])
    couple.disconnect()
    let address = couple.central.address
    #expect(couple.peripheral.with { host, now in host.removeBond(with: address, now: now) })
    try couple.connect()
    couple.ask(.displayYesNo, couple.central, couple.app)
    #expect(couple.read(couple.plain)?.failure == .keyMissing)
    #expect(couple.inject([0x0B, 0x0D], to: couple.central) == [[0x05, 0x05]])
    #expect(couple.central.questions.isEmpty && couple.pairings(couple.central) == [])
  }

  @Test("answer a device that requests security too soon after a failure, and report nothing") func tooSoon() throws {
    let couple = try PairingCouple(users: (.noInputNoOutput, nil))
    couple.inject([0x0B, 0x01], to: couple.central)
    couple.inject([0x02, 0x03, 0x00, 0x01, 0x10, 0x00, 0x00], to: couple.central)
    try couple.answer(.reject, couple.central)
    #expect(couple.pairings(couple.central) == ["pairing with 2: refused 08"])
    #expect(couple.inject([0x0B, 0x01], to: couple.central) == [[0x05, 0x09]])
    #expect(couple.pairings(couple.central).count == 1)
  }
}
