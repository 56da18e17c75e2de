import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

/// What must not lead to a bond: other users' answers, altered PDUs, and the known attacks.
@Suite("A pairing that is refused") struct PairingRefusalTests {
  private static let roles = [LinkRole.central, .peripheral]
  private static let failed = SMPCode.pairingFailed.rawValue

  /// Runs a pairing, and expects that one end sends the reason and that each end fails once.
  private func expectRefused(
    _ pair: inout PairingPair, _ reason: SMPReason, by role: LinkRole, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    pair.run()
    let other: LinkRole = role == .central ? .peripheral : .central
    #expect(pair.bonds.isEmpty, sourceLocation: sourceLocation)
    #expect(pair.failures[role] == [.refused(reason)], sourceLocation: sourceLocation)
    #expect(pair.failures[other] == [.refusedByPeer(reason)], sourceLocation: sourceLocation)
    #expect(
      pair.sent.filter { $0.1[0] == Self.failed }.map(\.1) == [[Self.failed, reason.rawValue]],
      sourceLocation: sourceLocation)
    #expect(!pair.central.isPairing && !pair.peripheral.isPairing, sourceLocation: sourceLocation)
    #expect(pair.central.nextDeadline == nil && pair.peripheral.nextDeadline == nil, sourceLocation: sourceLocation)
  }

  /// Flips a bit of the `index`-th PDU with the code.
  private func flip(
    _ code: UInt8, from sender: LinkRole, index: Int = 0, byte: Int = 1, mask: UInt8 = 0x01
  ) -> (LinkRole, [UInt8]) -> [UInt8]? {
    var count = 0
    return { role, pdu in
      guard role == sender, pdu[0] == code else { return pdu }
      defer { count += 1 }
      guard count == index else { return pdu }
      var altered = pdu
      altered[byte] ^= mask
      return altered
    }
  }

  // MARK: Features

  @Test("Names the missing security: key size, Secure Connections, protection", arguments: roles)
  func requirements(_ strict: LinkRole) {
    func pair(_ policy: PairingPolicy, _ other: PairingPolicy) -> PairingPair {
      strict == .central ? PairingPair(policy, other) : PairingPair(other, policy)
    }
    for size in 7...15 {
      var short = pair(
        .make { $0.leastKeySize = size + 1 },
        .make {
          $0.maximumKeySize = size; $0.leastKeySize = 7
        })
      expectRefused(&short, .encryptionKeySize, by: strict)
    }
    var legacy = pair(.make { $0.requiresSecureConnections = true }, .make(secure: false))
    expectRefused(&legacy, .authenticationRequirements, by: strict)
    for secure in [true, false] {
      var unprotected = pair(.make(.keyboardDisplay, .required, secure: secure), .make(secure: secure))
      expectRefused(&unprotected, .authenticationRequirements, by: strict)
    }
    // Two devices with yes and no compare digits in Secure Connections; legacy pairing would be Just Works.
    var downgraded = pair(.make(.displayYesNo, .required), .make(.displayYesNo, secure: false))
    expectRefused(&downgraded, .authenticationRequirements, by: strict)
  }

  @Test("Is refused by a peripheral that does not pair") func notPairable() {
    var peripheral = PairingPair.session(.peripheral, .make { $0.acceptsPairing = false })
    let outputs = peripheral.receive(ByteReader(RefusedPairingTests.request), now: .zero)
    #expect(outputs.pdus == [[0x05, 0x05]])
    #expect(outputs.count == 1 && !peripheral.isPairing)
  }

  @Test("Needs the data that the peer says it has of this end", arguments: roles)
  func noOutOfBandData(_ role: LinkRole) {
    let has = PairingPolicy.make { $0.hasOutOfBandData = true }
    var pair = role == .central ? PairingPair(has, .make()) : PairingPair(.make(), has)
    expectRefused(&pair, .outOfBandNotAvailable, by: role == .central ? .peripheral : .central)
  }

  @Test(
    "Follows a response with keys that were not requested", arguments: [5, 6], [0x01, 0x02, 0x04, 0x08] as [UInt8])
  func unrequestedKeys(_ field: Int, _ key: UInt8) {
    var central = PairingPair.session(
      .central,
      .make {
        $0.keysToSend = []
        $0.keysToReceive = []
      })
    _ = central.begin(now: .zero)
    var response: [UInt8] = [0x02, 0x03, 0x00, 0x09, 0x10, 0x00, 0x00]
    response[field] |= key
    let outputs = central.receive(ByteReader(response), now: .zero)
    #expect(outputs.pdus == [[0x05, 0x0A]])
    #expect(outputs.failures == [.refused(.invalidParameters)])
  }

  @Test("Does not follow a response with reserved bits, which mean nothing", arguments: [5, 6])
  func reservedKeys(_ field: Int) {
    var central = PairingPair.session(.central)
    _ = central.begin(now: .zero)
    var response: [UInt8] = [0x02, 0x03, 0x00, 0x09, 0x10, 0x00, 0x00]
    response[field] = 0xF0
    let outputs = central.receive(ByteReader(response), now: .zero)
    #expect(outputs.failures.isEmpty && outputs.pdus.map(\.first) == [0x0C])
  }

  @Test(
    "Does not follow a policy with a longest key that no key has",
    arguments: [(-1, 7), (0, 7), (6, 7), (17, 16), (300, 16)])
  func longestKey(_ size: Int, _ offered: UInt8) {
    var central = PairingPair.session(.central, .make { $0.maximumKeySize = size })
    #expect(central.begin(now: .zero).pdus.first?[4] == offered)
  }

  // MARK: Users

  @Test("Ends with the user's rejection, by the reason of the method", arguments: roles)
  func rejection(_ role: LinkRole) {
    for (a, b, secure, reason) in [
      (.noInputNoOutput, .noInputNoOutput, true, .unspecifiedReason),
      (.noInputNoOutput, .noInputNoOutput, false, .unspecifiedReason),
      (.displayYesNo, .displayYesNo, true, .numericComparisonFailed),
      (.displayOnly, .keyboardOnly, true, .passkeyEntryFailed),
      (.keyboardOnly, .displayOnly, false, .passkeyEntryFailed),
      (.keyboardOnly, .keyboardOnly, true, .passkeyEntryFailed),
    ] as [(SMPIOCapability, SMPIOCapability, Bool, SMPReason)] {
      var pair = PairingPair(.make(a, .preferred, secure: secure), .make(b, secure: secure))
      pair.user = { asked, _ in asked == role ? .reject : nil }
      expectRefused(&pair, reason, by: role)
    }
  }

  @Test("Ends in the round of the first wrong bit of a passkey", arguments: 0..<20)
  func wrongPasskey(_ bit: Int) throws {
    let right: UInt32 = 0b0101_0101_0101_0101_0101
    let wrong = try #require(PairingPasskey(right ^ 1 << UInt32(bit)))
    let passkey = try #require(PairingPasskey(right))
    for secure in [true, false] {
      var pair = PairingPair(.make(.keyboardOnly, .required, secure: secure), .make(.keyboardOnly, secure: secure))
      pair.user = { role, _ in .passkey(role == .central ? passkey : wrong) }
      // The initiator opens its commitment first, so the responder finds the difference.
      expectRefused(&pair, .confirmValueFailed, by: .peripheral)
      #expect(pair.sent.filter { $0.1[0] == 0x04 }.count == (secure ? 2 * bit + 1 : 1))
    }
  }

  @Test("Accepts no answer to a question that is not asked") func strayAnswers() throws {
    let passkey = try #require(PairingPasskey(1))
    let data = PairingOutOfBandData.legacy(temporaryKey: SecurityKey(number: 1))
    var idle = PairingPair.session(.central)
    for answer in [.accept, .reject, .passkey(passkey), .outOfBand(data)] as [PairingAnswer] {
      #expect(idle.answer(answer, now: .zero).isEmpty)
    }
    var pair = PairingPair(.make(.keyboardOnly, .required), .make(.displayOnly))
    pair.user = { role, question in role == .central ? .accept : nil }
    pair.run()
    #expect(pair.bonds.isEmpty && pair.failures.isEmpty && pair.central.isPairing)
    #expect(pair.central.answer(.outOfBand(data), now: pair.now).isEmpty)
    #expect(!pair.sent.contains { $0.1[0] == 0x03 })
  }

  @Test("Accepts no second passkey in the middle of the rounds") func secondPasskey() throws {
    var pair = PairingPair(.make(.keyboardOnly, .required), .make(.displayOnly))
    pair.alter = { role, pdu in role == .peripheral && pdu[0] == 0x03 ? nil : pdu }
    pair.run()
    let passkey = try #require(pair.central.progress?.passkey)
    let other = try #require(PairingPasskey((passkey.value + 1) % 1_000_000))
    #expect(pair.central.answer(.passkey(other), now: pair.now).isEmpty)
    #expect(pair.central.progress?.passkey == passkey)
  }

  @Test("Ends when the app cancels, and leaves no waiting interval", arguments: roles)
  func cancellation(_ role: LinkRole) {
    var pair = PairingPair(.make(.keyboardOnly, .required), .make(.displayOnly))
    pair.user = { _, _ in .accept }
    pair.run()
    let outputs = role == .central ? pair.central.cancel(now: pair.now) : pair.peripheral.cancel(now: pair.now)
    #expect(outputs.pdus == [[0x05, 0x08]] && outputs.failures == [.canceled])
    let canceled = role == .central ? pair.central : pair.peripheral
    #expect(!canceled.attempts.isWaiting(now: pair.now))
    var again = canceled
    #expect(again.cancel(now: pair.now).isEmpty)
  }

  // MARK: Altered PDUs

  @Test(
    "Finds every altered commitment, nonce, key and check",
    arguments: [SMPIOCapability.noInputNoOutput, .displayYesNo, .keyboardDisplay])
  func alterations(_ capability: SMPIOCapability) {
    func pair() -> PairingPair { PairingPair(.make(capability, .preferred), .make(capability)) }
    for byte in [1, 8, 16] {
      var commitment = pair()
      commitment.alter = flip(0x03, from: .peripheral, byte: byte)
      expectRefused(&commitment, .confirmValueFailed, by: .central)
      var responderNonce = pair()
      responderNonce.alter = flip(0x04, from: .peripheral, byte: byte)
      expectRefused(&responderNonce, .confirmValueFailed, by: .central)
      var initiatorNonce = pair()
      initiatorNonce.alter = flip(0x04, from: .central, byte: byte)
      expectRefused(&initiatorNonce, .dhKeyCheckFailed, by: .peripheral)
      for sender in Self.roles {
        var check = pair()
        check.alter = flip(0x0D, from: sender, byte: byte)
        expectRefused(&check, .dhKeyCheckFailed, by: sender == .central ? .peripheral : .central)
      }
    }
  }

  @Test("Finds altered commitments and nonces in each round of a passkey", arguments: [0, 1, 19])
  func alteredRounds(_ round: Int) {
    for (code, sender) in [(0x03, LinkRole.central), (0x04, .central), (0x03, .peripheral), (0x04, .peripheral)] {
      var pair = PairingPair(.make(.displayOnly, .required), .make(.keyboardOnly))
      pair.alter = flip(UInt8(code), from: sender, index: round)
      expectRefused(&pair, .confirmValueFailed, by: sender == .central ? .peripheral : .central)
    }
  }

  @Test("Finds altered values of legacy pairing", arguments: roles)
  func alteredLegacy(_ sender: LinkRole) {
    for code in [0x03, 0x04] as [UInt8] {
      var pair = PairingPair(.make(secure: false), .make(secure: false))
      pair.alter = flip(code, from: sender, byte: 9)
      expectRefused(&pair, .confirmValueFailed, by: sender == .central ? .peripheral : .central)
    }
  }

  @Test("Finds every altered bit of the features, but for those that only make the key longer or shorter")
  func alteredFeatures() {
    for secure in [true, false] {
      for (code, sender) in [(0x01, LinkRole.central), (0x02, .peripheral)] {
        for byte in 1...6 {
          for bit in 0..<8 {
            let policy = PairingPolicy.make(.displayYesNo, .preferred, secure: secure) { $0.leastKeySize = 7 }
            var pair = PairingPair(policy, policy)
            pair.alter = flip(UInt8(code), from: sender, byte: byte, mask: 1 << bit)
            pair.run()
            // f6 covers IO Capability, OOB data flag and AuthReq; c1 covers all. Keys are only distributed as agreed.
            if byte < 4 || !secure {
              #expect(pair.bonds.isEmpty)
              #expect(pair.failures[.central]?.count == 1)
              #expect(!pair.central.isPairing && !pair.peripheral.isPairing)
            } else if byte == 4 {
              #expect(pair.bonds.isEmpty)
            }
            #expect(pair.failures.allSatisfy { $0.value.count == 1 })
          }
        }
      }
    }
  }

  // MARK: Attacks

  @Test("Short keys: a request for 7 bytes is refused in either role (KNOB)", arguments: roles)
  func shortKeys(_ sender: LinkRole) {
    for secure in [true, false] {
      var pair = PairingPair(.make(secure: secure), .make(secure: secure))
      pair.alter = { role, pdu in
        guard role == sender, pdu[0] <= 0x02 else { return pdu }
        var altered = pdu
        altered[4] = 7
        return altered
      }
      expectRefused(&pair, .encryptionKeySize, by: sender == .central ? .peripheral : .central)
    }
  }

  @Test("A lowered key size that both ends would accept leaves them with different keys") func loweredKeySize() {
    var pair = PairingPair(.make { $0.leastKeySize = 7 }, .make { $0.leastKeySize = 7 })
    pair.alter = flip(0x01, from: .central, byte: 4, mask: 0x10 ^ 0x07)
    pair.run()
    #expect(pair.failures == [.central: [.encryptionFailed], .peripheral: [.encryptionFailed]])
  }

  @Test("A key size outside 7...16 is no size at all", arguments: [0, 1, 6, 17, 0x80, 0xFF] as [UInt8])
  func invalidKeySize(_ size: UInt8) {
    var pair = PairingPair(.make { $0.leastKeySize = 7 }, .make { $0.leastKeySize = 7 })
    pair.alter = { $1[0] == 0x02 ? Array($1.prefix(4)) + [size] + $1.suffix(2) : $1 }
    expectRefused(&pair, .invalidParameters, by: .central)
  }

  @Test("Method confusion: ends that follow different methods do not agree")
  func methodConfusion() {
    // A man in the middle makes one end enter the digits that the other one compares, or that it shows as a passkey.
    for (code, value) in [(0x01, 0x02), (0x01, 0x00), (0x02, 0x02), (0x02, 0x00), (0x01, 0x03), (0x02, 0x03)]
      as [(UInt8, UInt8)]
    {
      var pair = PairingPair(.make(.keyboardDisplay, .required), .make(.keyboardDisplay))
      pair.alter = { $1[0] == code ? [code, value] + $1.dropFirst(2) : $1 }
      var compared: PairingPasskey?
      pair.user = { _, question in
        switch question {
        case .compare(let digits), .show(let digits):
          compared = digits
          return .accept
        case .enter: return .passkey(compared ?? PairingPasskey(comparing: 0))
        case .confirm, .outOfBandData: return .accept
        }
      }
      pair.run()
      // Ends that wait for each other wait for 30 s.
      pair.expire()
      #expect(pair.bonds.isEmpty)
      #expect(pair.failures.count == 2)
    }
  }

  @Test("Reflection: our own public key, commitment and nonce are refused") func reflection() throws {
    var central = PairingPair.session(.central, .make(.displayOnly, .required))
    let request = try #require(central.begin(now: .zero).pdus.first)
    let key = try #require(
      central.receive(ByteReader([0x02, 0x02] + request.dropFirst(2)), now: .zero).pdus.first)
    var reflected = central
    let refused = reflected.receive(ByteReader(key), now: .zero)
    #expect(refused.pdus == [[0x05, 0x0B]] && refused.failures == [.refused(.dhKeyCheckFailed)])

    let peer = try #require(
      PairingKeyPair(privateKey: PairingCryptographyTests.wire(PairingCryptographyTests.privateB)))
    let commitment = try #require(
      central.receive(ByteReader(peer.publicKey.bytes), now: .zero).pdus.first)
    let answer = central.receive(ByteReader(commitment), now: .zero)
    #expect(answer.pdus == [[0x05, 0x04]] && answer.failures == [.refused(.confirmValueFailed)])
  }

  @Test("Reflection: a legacy commitment that equals our own is refused, in either role") func legacyReflection() throws
  {
    var pair = PairingPair(.make(secure: false), .make(secure: false))
    pair.alter = { role, pdu in role == .peripheral && pdu[0] == 0x03 ? nil : pdu }
    pair.run()
    let commitment = try #require(pair.sent.first { $0.0 == .central && $0.1[0] == 0x03 }?.1)
    #expect(pair.central.receive(ByteReader(commitment), now: pair.now).pdus == [[0x05, 0x04]])
  }

  @Test("Reflection: a peripheral does not send a legacy commitment that equals its central's") func equalCommitments()
  {
    var pair = PairingPair(.make(secure: false), .make(secure: false))
    // Both draw the same nonce.
    pair.peripheral = PairingPair.session(.peripheral, .make(secure: false), seed: 1)
    expectRefused(&pair, .confirmValueFailed, by: .peripheral)
  }

  @Test(
    "Invalid curve: a point that is not on the curve is refused before our key is sent",
    arguments: [33, 40, 64, 1, 32])
  func invalidCurve(_ byte: Int) {
    for sender in Self.roles {
      var pair = PairingPair()
      pair.alter = flip(0x0C, from: sender, byte: byte, mask: 0x40)
      expectRefused(&pair, .dhKeyCheckFailed, by: sender == .central ? .peripheral : .central)
      #expect(pair.sent.filter { $0.1[0] == 0x0C }.count == (sender == .central ? 1 : 2))
    }
  }

  @Test("Fixed coordinate: a key with a Y of zero is refused in both directions") func fixedCoordinate() {
    for sender in Self.roles {
      var pair = PairingPair()
      pair.alter = { role, pdu in
        role == sender && pdu[0] == 0x0C ? Array(pdu.prefix(33)) + [UInt8](repeating: 0, count: 32) : pdu
      }
      expectRefused(&pair, .dhKeyCheckFailed, by: sender == .central ? .peripheral : .central)
    }
  }

  @Test("The debug key is refused unless it is permitted", arguments: roles)
  func debugKey(_ user: LinkRole) {
    let debug = PairingPolicy.make { $0.usesDebugKey = true }
    var refused = user == .central ? PairingPair(debug, .make()) : PairingPair(.make(), debug)
    expectRefused(&refused, .invalidParameters, by: user == .central ? .peripheral : .central)
    let permits = PairingPolicy.make { $0.permitsDebugKey = true }
    var permitted = user == .central ? PairingPair(debug, permits) : PairingPair(permits, debug)
    permitted.run()
    #expect(permitted.bonds.count == 2)
  }

  @Test("Roles: the requests of the other role are refused") func requestsOfTheOtherRole() {
    for begun in [false, true] {
      var central = PairingPair.session(.central)
      var peripheral = PairingPair.session(.peripheral)
      if begun {
        _ = central.begin(now: .zero)
        _ = peripheral.receive(ByteReader(RefusedPairingTests.request), now: .zero)
      }
      let failure: [PairingFailure] = begun ? [.refused(.commandNotSupported)] : []
      let request = central.receive(ByteReader(RefusedPairingTests.request), now: .zero)
      #expect(request.pdus == [[0x05, 0x07]] && request.failures == failure)
      let security = peripheral.receive(ByteReader([0x0B, 0x01]), now: .zero)
      #expect(security.pdus == [[0x05, 0x07]] && security.failures == failure)
    }
    var peripheral = PairingPair.session(.peripheral)
    _ = peripheral.receive(ByteReader(RefusedPairingTests.request), now: .zero)
    #expect(
      peripheral.receive(ByteReader([0x02] + RefusedPairingTests.request.dropFirst()), now: .zero).pdus == [
        [0x05, 0x07]
      ])
  }

  @Test("A random source that is broken ends the pairing") func brokenSource() {
    for bytes in [[], [UInt8](repeating: 0, count: 100), [UInt8](repeating: 0xFF, count: 32)] as [[UInt8]] {
      var peripheral = PairingSession(
        role: .peripheral, local: PairingPair.peripheralAddress, peer: PairingPair.centralAddress,
        policy: PairingPolicy(), random: { Array(bytes.prefix($0)) })
      let outputs = peripheral.receive(ByteReader(RefusedPairingTests.request), now: .zero)
      #expect(outputs.failures == [.refused(.unspecifiedReason)])
      #expect(!peripheral.isPairing)
    }
    // In legacy pairing nothing but the nonce is drawn.
    var central = PairingSession(
      role: .central, local: PairingPair.centralAddress, peer: PairingPair.peripheralAddress,
      policy: .make(secure: false), random: { Array(repeating: 0, count: $0) })
    _ = central.begin(now: .zero)
    _ = central.receive(ByteReader([0x02, 0x03, 0x00, 0x01, 0x10, 0x00, 0x00]), now: .zero)
    #expect(central.answer(.accept, now: .zero).failures == [.refused(.unspecifiedReason)])
  }

  @Test("Ends by a user who rejects before the peer's features came, without a reason") func earlyRejection() {
    var central = PairingPair.session(.central)
    _ = central.begin(now: .zero)
    let outputs = central.answer(.reject, now: .zero)
    #expect(outputs.pdus == [[0x05, 0x08]] && outputs.failures == [.refused(.unspecifiedReason)])
    #expect(!central.attempts.isWaiting(now: .zero))
  }
}
