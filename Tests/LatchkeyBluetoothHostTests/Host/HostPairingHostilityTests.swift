import LatchkeyBluetoothEmulator
import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

@Suite("Hosts whose pairing goes wrong") struct HostPairingHostilityTests {
  private static let request: [UInt8] = [0x01, 0x03, 0x00, 0x09, 0x10, 0x01, 0x01]

  // MARK: Ends

  @Test("end the request after 30 s where a user does not answer, and pair no more on that link") func noAnswer() throws
  {
    let couple = try PairingCouple(users: (.displayYesNo, .displayYesNo))
    let request = couple.begin(couple.secret)
    _ = try couple.question(couple.central)
    couple.stage.advance(.seconds(31))
    let outcomes = couple.outcomes()
    #expect(outcomes.map(\.request) == [request])
    #expect(outcomes.first?.outcome.failure == .encryptionFailed)
    #expect(couple.pairings(couple.central) == ["pairing with 2: timedOut"])
    #expect(couple.read(couple.secret)?.failure == .encryptionFailed)
    #expect(couple.read(couple.plain)?.value == [0x50])
    // A new link may.
    couple.disconnect()
    couple.stage.advance(.seconds(2))
    try couple.connect()
    _ = couple.begin(couple.secret)
    _ = try couple.question(couple.central, after: 1)
  }

  @Test("end the request with the link, in each phase", arguments: 0..<24) func disconnection(_ phase: Int) throws {
    let policy = PairingPolicy.make(secure: phase % 2 == 0)
    let couple = try PairingCouple(policy, policy, timing: AirTiming(latency: .milliseconds(10)))
    let other = couple.central.addClient()
    couple.central.connect(other, to: couple.peripheral)
    let requests = [couple.begin(couple.secret), couple.central.submit(.read(couple.plain), other, couple.link)]
    couple.stage.advance(.milliseconds(10 * phase))
    let isPaired = couple.bond(couple.central) != nil
    let node = couple.peripheral.node
    couple.stage.simulation.withRadio { radio, now in radio.dropLinks(of: node, now: now) }
    couple.stage.advance(.seconds(40))
    let outcomes = couple.outcomes()
    #expect(outcomes.map(\.request).sorted { $0.value < $1.value } == requests)
    if !isPaired {
      #expect(outcomes.allSatisfy { $0.outcome.failure == .disconnected })
      #expect(couple.pairings(couple.central).allSatisfy { $0 == "pairing with 2: linkEnded" })
    }
    #expect(couple.central.with { host, _ in host.links.isEmpty && host.nextDeadline == nil })
  }

  @Test("end the request with the controller") func controllerLost() throws {
    let couple = try PairingCouple(users: (.displayYesNo, .displayYesNo))
    let request = couple.begin(couple.secret)
    _ = try couple.question(couple.central)
    couple.stage.simulation.setPowered(false, couple.central.node)
    #expect(couple.outcomes().map(\.request) == [request])
    #expect(couple.pairings(couple.central) == ["pairing with 2: linkEnded"])
    #expect(couple.central.with { host, _ in host.nextDeadline } == nil)
  }

  @Test("end the pairing with the client that is asked; others go on") func clientRemoved() throws {
    let couple = try PairingCouple(users: (.displayYesNo, .displayYesNo))
    let other = couple.central.addClient()
    couple.central.connect(other, to: couple.peripheral)
    let first = couple.begin(couple.secret)
    let second = couple.central.submit(.read(couple.plain), other, couple.link)
    _ = try couple.question(couple.central)
    couple.central.with { host, now in host.removeClient(couple.app, now: now) }
    #expect(couple.wait(for: first)?.failure == .disconnected)
    #expect(couple.wait(for: second)?.value == [0x50])
    #expect(couple.pairings(couple.peripheral) == ["pairing with 1: peer refused 08"])
  }

  @Test("go on for others where the client that waits is removed") func waiterRemoved() throws {
    let couple = try PairingCouple(timing: AirTiming(latency: .milliseconds(10)))
    let other = couple.central.addClient()
    couple.central.connect(other, to: couple.peripheral)
    let first = couple.begin(couple.secret)
    let second = couple.central.submit(.read(couple.secret), other, couple.link)
    let central = couple.central
    couple.stage.wait { central.with { host, _ in host.links.first?.pairing?.session.isPairing == true } }
    couple.central.with { host, now in host.removeClient(couple.app, now: now) }
    #expect(couple.wait(for: first)?.failure == .disconnected)
    #expect(couple.wait(for: second)?.value == [0x51])
  }

  // MARK: Peers

  @Test("answer a flood of Pairing Requests by so many frames, one key and waiting intervals") func flood() throws {
    let couple = try PairingCouple()
    var answers: [[UInt8]] = []
    for _ in 0..<20 { answers += couple.inject(Self.request, to: couple.peripheral) }
    // Accepted; out of turn, which ends it; then too soon.
    #expect(answers.prefix(2).map { $0[0] } == [0x02, 0x05])
    #expect(answers.dropFirst(2).allSatisfy { $0 == [0x05, 0x09] })
    #expect(answers.count == 20)
    #expect(couple.pairings(couple.peripheral) == ["pairing with 1: refused 08"])
    // A new link does not help.
    couple.disconnect()
    try couple.connect()
    #expect(couple.inject(Self.request, to: couple.peripheral) == [[0x05, 0x09]])
  }

  @Test("accept no pairing that nothing of theirs needs") func unwanted() throws {
    let couple = try PairingCouple(guards: false)
    #expect(couple.inject(Self.request, to: couple.peripheral) == [[0x05, 0x05]])
    couple.ask(.noInputNoOutput, couple.peripheral, couple.device)
    #expect(couple.inject(Self.request, to: couple.peripheral).first?.first == 0x02)
    // A channel that needs encryption is a cause as well.
    let other = try PairingCouple(guards: false)
    let psm = other.peripheral.with { host, _ in
      host.publishChannel(other.device, ChannelSecurity(needsEncryption: true))
    }
    #expect(psm != nil)
    #expect(other.inject(Self.request, to: other.peripheral).first?.first == 0x02)
  }

  @Test("refuse a second Pairing Request in each phase") func requestInEachPhase() throws {
    var phases = 0
    for phase in 0..<24 {
      let couple = try PairingCouple(timing: AirTiming(latency: .milliseconds(10)))
      let request = couple.begin(couple.secret)
      couple.stage.advance(.milliseconds(10 * phase))
      let isPairing = couple.peripheral.with { host, _ in host.links.first?.pairing?.session.isPairing } ?? false
      let isPaired = couple.bond(couple.peripheral) != nil
      let answers = couple.inject(Self.request, to: couple.peripheral)
      if isPairing {
        phases += 1
        #expect(answers.last == [0x05, 0x08])
      }
      couple.stage.advance(.seconds(60))
      #expect(couple.outcomes().map(\.request) == [request])
      if isPairing, !isPaired { #expect(couple.bond(couple.peripheral) == nil) }
    }
    #expect(phases >= 4)
  }

  @Test("close a link that is encrypted in the middle of a pairing with no key of theirs") func unexplainedEncryption()
    throws
  {
    let couple = try PairingCouple()
    #expect(couple.inject(Self.request, to: couple.peripheral).first?.first == 0x02)
    couple.peripheral.with { host, now in
      guard let handle = host.links.first?.handle.rawValue else { return }
      host.receive([0x04, 0x08, 0x04, 0x00, UInt8(handle), 0x00, 0x01], now: now)
    }
    couple.stage.advance(.seconds(1))
    #expect(couple.pairings(couple.peripheral) == ["pairing with 1: linkEnded"])
    #expect(couple.bond(couple.peripheral) == nil)
    #expect(couple.peripheral.with { host, _ in host.links.isEmpty })
  }

  @Test("distribute no keys under the key of an old bond") func oldKey() throws {
    let policy = PairingPolicy.make(secure: false)
    let couple = try PairingCouple(policy, policy)
    _ = couple.read(couple.secret)
    couple.disconnect()
    try couple.connect()
    let bond = try #require(couple.bond(couple.central)?.keyAsCentral)
    // The central pairs anew and encrypts with the old key instead of the new one.
    let (local, peer) = (couple.central.address, couple.peripheral.address)
    var attacker = PairingSession(
      role: .central, local: local, peer: peer, policy: policy, random: RepeatableBytes(77).source)
    var pdus = attacker.begin(now: .zero).pdus
    var isEncrypting = false
    while !pdus.isEmpty, !isEncrypting {
      let answers = couple.inject(pdus.removeFirst(), to: couple.peripheral)
      for answer in answers {
        for output in attacker.receive(ByteReader(answer), now: .zero) {
          switch output {
          case .send(let frame): pdus.append(Array(frame.dropFirst(OutgoingFrame.headroom)))
          case .ask: pdus += attacker.answer(.accept, now: .zero).pdus
          case .startEncryption: isEncrypting = true
          default: break
          }
        }
      }
    }
    #expect(isEncrypting)
    couple.peripheral.clearLog()
    let begins = couple.central.with { host, now in
      host.encrypt(
        couple.link, encryptedDiversifier: bond.encryptedDiversifier, randomNumber: bond.randomNumber, now: now)
    }
    #expect(begins)
    couple.stage.advance(.seconds(1))
    #expect(couple.pairings(couple.peripheral) == ["pairing with 1: encryptionFailed"])
    #expect(couple.peripheralSecurity?.isEncrypted == true)
  }

  @Test("fail a pairing whose public key comes back") func reflection() throws {
    let couple = try PairingCouple()
    let (app, link, secret) = (couple.app, couple.link, couple.secret)
    // The peer answers the read by a refusal, the request by the same features, and the key by the key.
    _ = couple.capture(couple.central, channel: 4) { host, _, now in
      host.submit(.read(secret), id: RequestID(700), client: app, link: link, now: now)
    }
    let error: [UInt8] = [0x01, 0x0A, UInt8(secret & 0xFF), UInt8(secret >> 8), 0x05]
    let requests = couple.capture(couple.central) { host, handle, now in
      host.receive(PairingCouple.packet(error, channel: 4, handle), now: now)
    }
    let request = try #require(requests.first)
    #expect(request.first == 0x01)
    let keys = couple.inject([0x02] + request.dropFirst(), to: couple.central)
    #expect(keys.map(\.first) == [0x0C])
    #expect(couple.inject(try #require(keys.first), to: couple.central) == [[0x05, 0x0B]])
    #expect(couple.pairings(couple.central) == ["pairing with 2: refused 0b"])
  }

  @Test("ignore and survive random PDUs in each phase", arguments: 0..<Stage.count(sample: 20, soak: 2000))
  func noise(_ seed: Int) throws {
    var random = SplitMix(seed: UInt64(seed))
    let couple = try PairingCouple(timing: AirTiming(latency: .milliseconds(10)))
    let request = couple.begin(couple.secret)
    couple.stage.advance(.milliseconds(Int(random.next() % 400)))
    for _ in 0..<40 {
      let code = UInt8(random.next() % 16)
      let count = SMPCode(rawValue: code)?.parameterCount ?? Int(random.next() % 20)
      let pdu = [code] + (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      let answers = couple.inject(pdu, to: random.next() % 2 == 0 ? couple.peripheral : couple.central)
      #expect(answers.count <= 6)
    }
    couple.stage.advance(.seconds(90))
    #expect(couple.outcomes().map(\.request) == [request])
  }

  @Test("answer each of many Security Requests by one frame, and pair for none") func securityRequests() throws {
    let couple = try PairingCouple()
    for _ in 0..<20 { #expect(couple.inject([0x0B, 0x05], to: couple.central) == [[0x05, 0x05]]) }
    #expect(couple.pairings(couple.central) == [] && couple.bond(couple.central) == nil)
  }

  @Test("ask a user who rejected not again at once, however often the peer requests security") func insistentPeer()
    throws
  {
    let couple = try PairingCouple(users: (.noInputNoOutput, nil))
    for _ in 0..<20 {
      couple.inject([0x0B, 0x01], to: couple.central)
      // A Pairing Response of legacy pairing.
      couple.inject([0x02, 0x03, 0x00, 0x01, 0x10, 0x00, 0x00], to: couple.central)
      if couple.central.questions.count == 1 { try couple.answer(.reject, couple.central) }
    }
    #expect(couple.central.questions.count == 1)
  }

  // MARK: Controllers

  @Test("by a controller that requests parameters on and on, have one answer on its way") func parameterRequests()
    throws
  {
    let couple = try Couple()
    let handle = couple.central.with { host, _ in host.links.first?.handle.rawValue } ?? 0
    // 30 to 50 ms; handle, intervals, latency, timeout.
    let event: [UInt8] = [
      0x04, 0x3E, 0x0B, 0x06, UInt8(handle), 0x00, 24, 0, 40, 0, 0, 0, 200, 0,
    ]
    let count = couple.central.with { host, now in
      for _ in 0..<1000 { host.receive(event, now: now) }
      return host.dequeueOutputs().count
    }
    #expect(count == 1)
    let more = couple.central.with { host, now in
      // Command Complete of the answer: the next one may come.
      host.receive([0x04, 0x0E, 0x06, 0x01, 0x20, 0x20, 0x00, UInt8(handle), 0x00], now: now)
      host.receive(event, now: now)
      return host.dequeueOutputs().count
    }
    #expect(more == 1)
  }
}
