import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

/// Attacks that need more than one altered PDU: recorded, relayed and reflected values, and keys that are made worthless.
/// Those of one altered PDU are in `PairingRefusalTests`.
@Suite("An attack on a pairing") struct PairingAttackTests {
  private static let roles = [LinkRole.central, .peripheral]

  /// The methods of Secure Connections: Just Works, digits to compare, a passkey.
  private static let methods: [(central: SMPIOCapability, peripheral: SMPIOCapability)] = [
    (.noInputNoOutput, .noInputNoOutput), (.displayYesNo, .displayYesNo), (.displayOnly, .keyboardOnly),
  ]

  private func pair(_ method: (central: SMPIOCapability, peripheral: SMPIOCapability), seed: UInt64 = 1) -> PairingPair
  {
    PairingPair(.make(method.central, .preferred), .make(method.peripheral), seed: seed)
  }

  // MARK: Keys

  /// Legacy pairing with a key of 7 bytes, in which the LTK of one end is replaced.
  private func shortLegacy(from sender: LinkRole, _ replace: @escaping ([UInt8]) -> [UInt8]) -> PairingPair {
    let policy = PairingPolicy.make(secure: false) {
      $0.leastKeySize = 7
      $0.maximumKeySize = 7
    }
    var pair = PairingPair(policy, policy)
    pair.alter = { $0 == sender && $1[0] == 0x06 ? [0x06] + replace(Array($1.dropFirst())) : $1 }
    pair.run()
    return pair
  }

  @Test("Zero keys: an LTK that its size reduces to zeros is rejected, in either role", arguments: roles)
  func zeroKeyOfItsSize(_ sender: LinkRole) {
    let receiver: LinkRole = sender == .central ? .peripheral : .central
    let pair = shortLegacy(from: sender) { _ in Array(repeating: 0, count: 7) + Array(repeating: 0xFF, count: 9) }
    #expect(pair.bonds[receiver] == nil)
    #expect(pair.failures[receiver] == [.refused(.keyRejected)])
  }

  @Test("Excess keys: bytes beyond the agreed size are dropped, so that the bond can be stored", arguments: roles)
  func excessOfKey(_ sender: LinkRole) throws {
    let receiver: LinkRole = sender == .central ? .peripheral : .central
    let pair = shortLegacy(from: sender) { Array($0.prefix(7)) + Array(repeating: 0xFF, count: 9) }
    let own = try #require(pair.bonds[sender])
    let other = try #require(pair.bonds[receiver])
    #expect(other.keyAsCentral != nil && other.keyAsCentral == own.keyAsPeripheral)
    let entry = StoredBonds.Entry(local: PairingPair.centralAddress, bond: other)
    #expect(try StoredBonds.decode(StoredBonds.encode([entry])) == [entry])
  }

  @Test("Cross-transport keys: no link key is asked for, promised or derived (BLURtooth)")
  func crossTransport() throws {
    let all = PairingPolicy.make {
      $0.keysToSend = .all
      $0.keysToReceive = .all
    }
    var pair = PairingPair(all, all)
    pair.run()
    let features = pair.sent.map(\.1).filter { $0[0] <= 0x02 }
    #expect(features.count == 2)
    var peripheral = PairingPair.session(.peripheral, all)
    let response = peripheral.receive(ByteReader([0x01, 0x03, 0x00, 0x29, 0x10, 0x0F, 0x0F]), now: .zero).pdus
    for pdu in features + [try #require(response.first)] {
      #expect(pdu[5] & 0x08 == 0 && pdu[6] & 0x08 == 0)
      #expect(pdu[3] & 0x20 == 0)
    }
  }

  // MARK: Values of this pairing

  @Test("Reflection: our own DHKey Check proves nothing", arguments: 0..<3) func reflectedCheck(_ method: Int) {
    var pair = pair(Self.methods[method])
    var check: [UInt8]?
    pair.alter = { role, pdu in
      guard pdu[0] == 0x0D else { return pdu }
      if role == .central { check = pdu }
      return role == .central ? pdu : check
    }
    pair.run()
    #expect(check != nil && pair.bonds.isEmpty)
    #expect(pair.failures[.central] == [.refused(.dhKeyCheckFailed)])
    #expect(pair.failures[.peripheral] == [.refusedByPeer(.dhKeyCheckFailed)])
  }

  @Test("Relay: ends that see other addresses than each other's do not agree", arguments: [true, false])
  func relay(_ secure: Bool) {
    let policy = PairingPolicy.make(secure: secure)
    var pair = PairingPair(policy, policy)
    // A third party has a link to each, under an address of its own, and passes everything on.
    pair.central = PairingSession(
      role: .central, local: PairingPair.centralAddress, peer: .staticRandom(0x66), policy: policy,
      random: RepeatableBytes(1).source)
    pair.peripheral = PairingSession(
      role: .peripheral, local: PairingPair.peripheralAddress, peer: .staticRandom(0x66), policy: policy,
      random: RepeatableBytes(2).source)
    pair.run()
    #expect(pair.bonds.isEmpty)
    let reason = secure ? SMPReason.dhKeyCheckFailed : .confirmValueFailed
    #expect(pair.failures == [.peripheral: [.refused(reason)], .central: [.refusedByPeer(reason)]])
  }

  // MARK: Values of another pairing

  @Test("Replay: what a peripheral sent in another pairing does not match this one", arguments: 0..<3)
  func replayedPeripheral(_ method: Int) throws {
    var recorded = pair(Self.methods[method])
    recorded.run()
    #expect(recorded.bonds.count == 2)
    var tape = recorded.sent.filter { $0.0 == .peripheral }.map(\.1)
    var pair = pair(Self.methods[method], seed: 50)
    pair.alter = { role, pdu in
      guard role == .peripheral else { return pdu }
      return tape.isEmpty ? nil : tape.removeFirst()
    }
    pair.run()
    #expect(pair.bonds.isEmpty)
    #expect(pair.failures[.central]?.first == .refused(.confirmValueFailed))
  }

  @Test("Replay: what a central sent in another pairing does not match this one", arguments: 0..<3)
  func replayedCentral(_ method: Int) throws {
    var recorded = pair(Self.methods[method])
    recorded.run()
    var tape = recorded.sent.filter { $0.0 == .central }.map(\.1)
    var pair = pair(Self.methods[method], seed: 50)
    pair.alter = { role, pdu in
      guard role == .central else { return pdu }
      return tape.isEmpty ? nil : tape.removeFirst()
    }
    pair.run()
    #expect(pair.bonds.isEmpty)
    let isPasskey = Self.methods[method].central == .displayOnly
    #expect(
      pair.failures[.peripheral]?.first == .refused(isPasskey ? .confirmValueFailed : .dhKeyCheckFailed))
  }

  @Test("Passkey reuse: a passkey that an attacker learned bit by bit is not shown again") func learnedPasskey() {
    var pair = PairingPair(.make(.keyboardOnly, .required), .make(.displayOnly))
    var shown: [PairingPasskey] = []
    pair.user = { _, question in
      if case .show(let passkey) = question {
        shown.append(passkey)
        return .accept
      }
      return shown.last.map { .passkey($0) }
    }
    // Each pairing fails in its last round: by then all bits are known to whoever took part.
    var rounds = 0
    pair.alter = { role, pdu in
      guard role == .central, pdu[0] == 0x04 else { return pdu }
      rounds += 1
      return rounds % PairingSession.passkeyRounds == 0 ? [0x04, pdu[1] ^ 1] + pdu.dropFirst(2) : pdu
    }
    for attempt in 1...4 {
      pair.run()
      #expect(rounds == attempt * PairingSession.passkeyRounds)
      pair.now += PairingAttempts.memory
    }
    #expect(pair.failures[.peripheral]?.count == 4 && pair.bonds.isEmpty)
    #expect(Set(shown).count == 4)
  }

  // MARK: Users

  @Test("Method confusion: in the middle of two pairings, each user is asked by the method of their own")
  func methodConfusion() {
    // A third party compares digits with one end, and has the user of the other end enter them as a passkey. The
    // protocol cannot see that: the users must.
    var compared = PairingPair(.make(.displayYesNo, .required), .make(.displayYesNo))
    compared.run()
    var entered = PairingPair(.make(.displayOnly, .required), .make(.keyboardDisplay))
    entered.run()
    for question in compared.questions.map(\.1) {
      guard case .compare = question else {
        Issue.record("\(question)")
        continue
      }
    }
    #expect(entered.questions.contains { $0.0 == .peripheral && $0.1 == .enter })
    #expect(compared.questions.count == 2 && entered.questions.count == 2)
  }
}
