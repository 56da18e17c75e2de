import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

@Suite("Two ends that pair") struct PairingSessionTests {
  static let capabilities = SMPIOCapability.allCases.flatMap { a in SMPIOCapability.allCases.map { (a, $0) } }

  private func questions(_ method: PairingMethod, _ role: LinkRole) -> [String] {
    switch method {
    case .justWorks: ["confirm"]
    case .numericComparison: ["compare"]
    case .passkeyEntry: method.displaysPasskey(role) ? ["show"] : ["enter"]
    case .outOfBand: []
    }
  }

  private func name(_ question: PairingQuestion) -> String {
    switch question {
    case .confirm: "confirm"
    case .compare: "compare"
    case .show: "show"
    case .enter: "enter"
    case .outOfBandData: "data"
    }
  }

  @Test("Reach the same keys by the method of the table, each for all IO capabilities", arguments: capabilities)
  func methods(_ initiator: SMPIOCapability, _ responder: SMPIOCapability) throws {
    for secure in [true, false] {
      for start in [LinkRole.central, .peripheral] {
        var pair = PairingPair(.make(initiator, .preferred, secure: secure), .make(responder, secure: secure))
        pair.run(from: start)
        #expect(pair.failures.isEmpty)
        let method = PairingMethod(
          initiator: PairingMethodTests.features(initiator, secure: secure),
          responder: PairingMethodTests.features(responder, mitm: false, secure: secure))
        for role in [LinkRole.central, .peripheral] {
          #expect(pair.questions.filter { $0.0 == role }.map { name($0.1) } == questions(method, role))
        }
        let central = try #require(pair.bonds[.central])
        let peripheral = try #require(pair.bonds[.peripheral])
        let key = try #require(central.keyAsCentral)
        #expect(key == peripheral.keyAsPeripheral)
        #expect(central.keyAsPeripheral == peripheral.keyAsCentral)
        #expect(key.isAuthenticated == method.isAuthenticated)
        #expect(key.isSecureConnections == secure)
        #expect(key.size == 16)
        #expect((key == central.keyAsPeripheral) == secure)
        #expect((key.encryptedDiversifier == 0 && key.randomNumber == 0) == secure)
      }
    }
  }

  @Test("Compare the same digits") func comparedDigits() {
    for seed in 1...5 as ClosedRange<UInt64> {
      var pair = PairingPair(.make(.displayYesNo, .required), .make(.keyboardDisplay, .required), seed: seed)
      pair.run()
      #expect(pair.questions.count == 2)
      #expect(pair.questions.first?.1 == pair.questions.last?.1)
      #expect(pair.bonds.count == 2)
    }
  }

  @Test("Use another passkey, other nonces and other keys in each pairing") func fresh() {
    var values: Set<[UInt8]> = []
    var passkeys: Set<PairingPasskey> = []
    var pair = PairingPair(.make(.displayOnly, .required), .make(.keyboardOnly, .required))
    for _ in 0..<5 {
      var next = PairingPair(.make(.displayOnly, .required), .make(.keyboardOnly, .required))
      next.central = pair.central
      next.peripheral = pair.peripheral
      next.run()
      #expect(next.bonds.count == 2)
      pair = next
      for (_, pdu) in pair.sent where [0x03, 0x04, 0x0C, 0x0D].contains(pdu[0]) { values.insert(pdu) }
      for case (_, .show(let passkey)) in pair.questions { passkeys.insert(passkey) }
    }
    // Two public keys, 20 rounds of two commitments and two openings, two checks.
    #expect(values.count == 5 * (2 + 80 + 2))
    #expect(passkeys.count == 5)
  }

  @Test(
    "Distribute the keys that they agreed on, and no others",
    arguments: [0, 1, 2, 3, 4, 5, 6, 7, 8, 15] as [UInt8])
  func distribution(_ keys: UInt8) throws {
    let keys = SMPKeyDistribution(rawValue: keys)
    for secure in [true, false] {
      for receives in [SMPKeyDistribution.all, .identityKey, []] {
        var pair = PairingPair(
          .make(secure: secure) { $0.keysToSend = keys },
          .make(secure: secure) {
            $0.keysToReceive = receives
            $0.keysToSend = .signingKey
          })
        pair.central = PairingPair.session(
          .central,
          .make(secure: secure) {
            $0.keysToSend = keys
            $0.keysToReceive = .all
          })
        pair.run()
        let central = try #require(pair.bonds[.central])
        let peripheral = try #require(pair.bonds[.peripheral])
        let agreed = keys.intersection(receives)
        #expect((peripheral.peerResolvingKey != nil) == agreed.contains(.identityKey))
        #expect(peripheral.peerResolvingKey == central.localIdentity?.resolvingKey)
        #expect(
          peripheral.identity
            == (agreed.contains(.identityKey)
              ? PairingPair.identity(.central).address : PairingPair.centralAddress))
        #expect((peripheral.peerSigningKey != nil) == agreed.contains(.signingKey))
        #expect(peripheral.peerSigningKey == central.localSigningKey)
        #expect((peripheral.keyAsCentral != nil) == (secure || agreed.contains(.encryptionKey)))
        #expect(central.peerSigningKey != nil && central.peerSigningKey == peripheral.localSigningKey)
        #expect(central.identity == PairingPair.peripheralAddress)
        #expect(central.peerResolvingKey == nil && peripheral.localIdentity == nil)
        #expect((central.keyAsCentral != nil) == secure)
        #expect(!pair.sent.contains { secure && [0x06, 0x07].contains($0.1[0]) })
      }
    }
  }

  @Test("Distribute nothing unless both bond, and say so", arguments: [(true, false), (false, true), (false, false)])
  func withoutBonding(_ central: Bool, _ peripheral: Bool) throws {
    for secure in [true, false] {
      var pair = PairingPair(
        .make(secure: secure) { $0.isBonding = central }, .make(secure: secure) { $0.isBonding = peripheral })
      pair.run()
      let bond = try #require(pair.bonds[.central])
      #expect(!bond.isPersistent && pair.bonds[.peripheral]?.isPersistent == false)
      #expect(!pair.sent.contains { (0x06...0x0A).contains($0.1[0]) })
      #expect((bond.keyAsCentral != nil) == secure)
    }
  }

  @Test("Use keys of the shorter of both lengths, with zeros above", arguments: 7...16)
  func keySizes(_ size: Int) throws {
    for secure in [true, false] {
      var pair = PairingPair(
        .make(secure: secure) { $0.leastKeySize = 7 },
        .make(secure: secure) {
          $0.leastKeySize = 7
          $0.maximumKeySize = size
        })
      pair.run()
      for bond in [try #require(pair.bonds[.central]), try #require(pair.bonds[.peripheral])] {
        for key in [try #require(bond.keyAsCentral), try #require(bond.keyAsPeripheral)] {
          #expect(key.size == size)
          #expect(key.key.masked(toSize: size) == key.key)
          #expect(key.key.masked(toSize: size - 1) != key.key)
        }
      }
    }
  }

  @Test("Prefer legacy pairing to none, if one end lacks Secure Connections", arguments: [true, false])
  func fallback(_ secure: Bool) {
    var pair = PairingPair(.make(secure: secure), .make(secure: !secure))
    pair.run()
    #expect(pair.bonds[.central]?.keyAsCentral?.isSecureConnections == false)
  }

  @Test("Need one request if both ask at once") func crossedRequests() {
    var pair = PairingPair()
    let requests = pair.peripheral.begin(now: pair.now)
    #expect(requests.pdus == [[0x0B, 0x09]])
    pair.run()
    #expect(pair.bonds.count == 2)
    // The Security Request arrives in the middle of a pairing: nothing happens.
    var central = PairingPair.session(.central)
    _ = central.begin(now: .zero)
    #expect(central.receive(ByteReader([0x0B, 0x09]), now: .zero).isEmpty)
    #expect(central.isPairing)
  }

  @Test("End a Security Request without a pairing once the central encrypts with an older key")
  func olderKey() {
    var peripheral = PairingPair.session(.peripheral)
    #expect(peripheral.begin(now: .zero).pdus.count == 1)
    #expect(peripheral.nextDeadline == .seconds(30))
    #expect(peripheral.encryptionChanged(isEncrypted: true, now: .seconds(1)).isEmpty)
    #expect(!peripheral.isPairing && peripheral.nextDeadline == nil)
  }

  @Test(
    "Hold the peer's DHKey Check until the user of the peripheral answers",
    arguments: [SMPIOCapability.displayYesNo, .noInputNoOutput])
  func slowUser(_ capability: SMPIOCapability) {
    func waiting() -> PairingPair {
      var pair = PairingPair(.make(capability, .preferred), .make(capability))
      // An answer to another question is none.
      pair.user = { role, _ in role == .central ? nil : .passkey(PairingPasskey(comparing: 0)) }
      pair.run()
      #expect(pair.sent.last?.1.first == SMPCode.pairingDHKeyCheck.rawValue && pair.sent.last?.0 == .central)
      #expect(pair.bonds.isEmpty && pair.failures.isEmpty)
      #expect(pair.central.isPairing && pair.peripheral.isPairing)
      return pair
    }
    var accepted = waiting()
    accepted.pass(accepted.peripheral.answer(.accept, now: accepted.now), of: .peripheral)
    #expect(accepted.bonds.count == 2)

    var rejected = waiting()
    rejected.pass(rejected.peripheral.answer(.reject, now: rejected.now), of: .peripheral)
    let reason = capability == .displayYesNo ? SMPReason.numericComparisonFailed : .unspecifiedReason
    #expect(rejected.failures == [.central: [.refusedByPeer(reason)], .peripheral: [.refused(reason)]])

    var repeated = waiting()
    let check = PairingOrderTests.sample(.pairingDHKeyCheck)
    let outputs = repeated.peripheral.receive(ByteReader(check), now: repeated.now)
    #expect(outputs.failures == [.refused(.unspecifiedReason)])
  }

  @Test(
    "Hold the peer's first commitment until the user of the peripheral enters the passkey", arguments: [true, false])
  func slowPasskey(_ secure: Bool) throws {
    var pair = PairingPair(.make(.displayOnly, .required, secure: secure), .make(.keyboardOnly, secure: secure))
    pair.user = { role, _ in role == .peripheral ? .accept : nil }
    pair.run()
    let shown = try #require(
      pair.questions.compactMap { if case .show(let passkey) = $0.1 { passkey } else { nil } }.first)
    #expect(pair.sent.filter { $0.1[0] == SMPCode.pairingConfirm.rawValue }.map(\.0) == [.central])
    pair.pass(pair.peripheral.answer(.passkey(shown), now: pair.now), of: .peripheral)
    #expect(pair.bonds.count == 2)
  }

  @Test("Keep the DHKey no longer than until the keys are computed") func sharedSecret() {
    var pair = PairingPair(.make(.displayYesNo, .preferred), .make(.displayYesNo))
    pair.run()
    #expect(pair.bonds.count == 2)
    let later = pair.history.compactMap(\.0.progress).filter { $0.longTermKey != nil }
    #expect(later.count > 2 && later.allSatisfy { $0.sharedSecret == nil })
    #expect(pair.history.contains { $0.0.progress?.sharedSecret != nil })
  }

  @Test("Print no secrets") func redaction() throws {
    var pair = PairingPair(.make(.displayOnly, .required), .make(.keyboardOnly, .required))
    var dumped = ""
    pair.run()
    for (session, input) in pair.history {
      dump(session, to: &dumped)
      if case .answer(let answer) = input { dump(answer, to: &dumped) }
    }
    for (_, question) in pair.questions { dump(question, to: &dumped) }
    dump(pair.bonds, to: &dumped)
    let passkey = try #require(
      pair.questions.compactMap { if case .show(let passkey) = $0.1 { passkey } else { nil } }.first)
    #expect(!dumped.contains(passkey.digits) && !dumped.contains(String(passkey.value)))
    for key in [pair.bonds[.central]?.keyAsCentral?.key, pair.bonds[.central]?.peerResolvingKey] {
      let bytes = try #require(key).exposedBytes
      #expect(!dumped.contains(bytes.prefix(4).map(String.init).joined(separator: ", ")))
      #expect(!dumped.contains(Hexadecimal.encode(Array(bytes.prefix(4)))))
    }
    #expect(!dumped.contains("- 0"))
  }
}
