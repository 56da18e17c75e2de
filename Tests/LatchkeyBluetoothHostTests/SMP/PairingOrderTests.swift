import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

/// Every PDU in every state of every method, in both roles.
@Suite("A PDU out of turn") struct PairingOrderTests {
  struct Scenario: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let central: PairingPolicy
    let peripheral: PairingPolicy
    var start = LinkRole.central

    func run() -> PairingPair {
      var pair = PairingPair(central, peripheral)
      pair.run(from: start)
      #expect(pair.bonds.count == 2)
      return pair
    }
  }

  private static func allKeys(_ policy: inout PairingPolicy) {
    policy.keysToSend = .all
    policy.keysToReceive = .all
  }

  static let scenarios = [true, false].flatMap { secure in
    [
      Scenario(
        testDescription: "Just Works", central: .make(secure: secure, allKeys),
        peripheral: .make(secure: secure, allKeys)),
      Scenario(
        testDescription: "a Security Request", central: .make(secure: secure),
        peripheral: .make(secure: secure) { $0.keysToSend = [] }, start: .peripheral),
      Scenario(
        testDescription: "digits to compare", central: .make(.displayYesNo, .preferred, secure: secure),
        peripheral: .make(.displayYesNo, secure: secure)),
      Scenario(
        testDescription: "a passkey of the central", central: .make(.displayOnly, .required, secure: secure, allKeys),
        peripheral: .make(.keyboardOnly, secure: secure, allKeys)),
      Scenario(
        testDescription: "a passkey of the peripheral", central: .make(.keyboardOnly, .required, secure: secure),
        peripheral: .make(.displayOnly, secure: secure)),
    ]
  }

  /// A PDU with parameters in their range.
  static func sample(_ code: SMPCode) -> [UInt8] {
    switch code {
    case .pairingRequest: RefusedPairingTests.request
    case .pairingResponse: [0x02] + RefusedPairingTests.request.dropFirst()
    case .identityAddressInformation: [0x09, 0x01, 1, 2, 3, 4, 5, 0xC6]
    default: [code.rawValue] + [UInt8](repeating: 0x01, count: code.parameterCount)
    }
  }

  /// What a state answers to a PDU that does not belong there: the PDUs sent, and the failures.
  private func expected(_ session: PairingSession, _ code: SMPCode) -> ([[UInt8]], [PairingFailure]) {
    func refused(_ reason: SMPReason) -> ([[UInt8]], [PairingFailure]) {
      ([[0x05, reason.rawValue]], session.isPairing ? [.refused(reason)] : [])
    }
    switch code {
    case .pairingFailed: return ([], session.isPairing ? [.refusedByPeer(.passkeyEntryFailed)] : [])
    case .pairingRequest: return refused(session.role == .central ? .commandNotSupported : .unspecifiedReason)
    case .securityRequest: return session.role == .central ? ([], []) : refused(.commandNotSupported)
    case _ where !session.isPairing: return ([], [])
    case .pairingResponse where session.role == .peripheral: return refused(.commandNotSupported)
    default: return refused(.unspecifiedReason)
    }
  }

  @Test("Ends the pairing once, with the specified reason, in every state", arguments: scenarios)
  func everyPDU(_ scenario: Scenario) {
    let pair = scenario.run()
    for (state, next) in pair.history {
      for code in SMPCode.allCases {
        var session = state
        switch next {
        case .pdu(let pdu) where pdu[0] == code.rawValue: continue
        // A peripheral's peer need not wait for its user.
        case .answer where session.role == .peripheral && session.progress?.awaited == code: continue
        default: break
        }
        if code == .pairingKeypressNotification, isEnteringPasskey(session, scenario) { continue }
        let outputs = session.receive(ByteReader(Self.sample(code)), now: pair.now)
        let (pdus, failures) = expected(state, code)
        #expect(outputs.pdus == pdus, "\(code) before \(next)")
        #expect(outputs.failures == failures, "\(code) before \(next)")
        #expect(outputs.bonds.isEmpty)
        guard !failures.isEmpty else { continue }
        expectEnded(&session, pair)
      }
    }
  }

  /// Whether the peer may show that its user types: from the exchange of features, or of public keys, to the last round.
  private func isEnteringPasskey(_ session: PairingSession, _ scenario: Scenario) -> Bool {
    guard case .passkeyEntry = session.progress?.method, let step = session.progress?.step else { return false }
    return [.user, .confirm, .random].contains(step)
  }

  /// A pairing that ended does not end again, whatever comes.
  private func expectEnded(_ session: inout PairingSession, _ pair: PairingPair) {
    #expect(!session.isPairing && session.nextDeadline == nil)
    for code in SMPCode.allCases where code != .pairingRequest {
      let outputs = session.receive(ByteReader(Self.sample(code)), now: pair.now)
      #expect(outputs.failures.isEmpty && outputs.bonds.isEmpty && outputs.pdus.count <= 1)
    }
    for input in [PairingPair.Input.answer(.accept), .answer(.reject), .encrypted] {
      #expect(PairingPair.feed(input, to: &session, now: pair.now).isEmpty)
    }
    #expect(session.handleTimeout(now: pair.now + .seconds(1000)).isEmpty)
  }

  @Test("Of a wrong length ends the pairing with Invalid Parameters, in every state", arguments: scenarios)
  func everyLength(_ scenario: Scenario) {
    let pair = scenario.run()
    for (state, _) in pair.history {
      for code in SMPCode.allCases {
        for count in [0, code.parameterCount - 1, code.parameterCount + 1, 200] where count != code.parameterCount {
          var session = state
          let pdu = [code.rawValue] + [UInt8](repeating: 0, count: count)
          let outputs = session.receive(ByteReader(pdu), now: pair.now)
          #expect(outputs.pdus == (code == .pairingFailed ? [] : [[0x05, 0x0A]]))
          #expect(outputs.failures.count == (state.isPairing ? 1 : 0))
          #expect(!session.isPairing)
        }
      }
    }
  }

  @Test("Of a reserved code, or without one, changes nothing in any state", arguments: scenarios)
  func reservedCodes(_ scenario: Scenario) {
    let pair = scenario.run()
    for (state, next) in pair.history {
      var session = state
      #expect(session.receive(ByteReader([]), now: pair.now).isEmpty)
      for code in [0x00, 0x0F, 0x10, 0x7F, 0x80, 0xFF] as [UInt8] {
        for count in [0, 1, 16, 64] {
          let pdu = [code] + [UInt8](repeating: 1, count: count)
          #expect(session.receive(ByteReader(pdu), now: pair.now).isEmpty)
        }
      }
      #expect(PairingPair.feed(next, to: &session, now: pair.now).failures.isEmpty)
    }
  }

  @Test("Is a pairing's end when another Pairing Request comes in its middle, and no new pairing begins")
  func secondRequest() {
    var peripheral = PairingPair.session(.peripheral)
    _ = peripheral.receive(ByteReader(RefusedPairingTests.request), now: .zero)
    let again = peripheral.receive(ByteReader(RefusedPairingTests.request), now: .zero)
    #expect(again.pdus == [[0x05, 0x08]] && again.failures == [.refused(.unspecifiedReason)])
    #expect(peripheral.receive(ByteReader(RefusedPairingTests.request), now: .zero).pdus == [[0x05, 0x09]])
  }

  @Test("Gets no answer after the end, nor does a key that comes again", arguments: scenarios)
  func afterTheEnd(_ scenario: Scenario) {
    let pair = scenario.run()
    for finished in [pair.central, pair.peripheral] {
      for code in SMPCode.allCases where ![.pairingRequest, .securityRequest].contains(code) {
        var session = finished
        #expect(session.receive(ByteReader(Self.sample(code)), now: pair.now).isEmpty)
      }
    }
  }

  @Test("Never traps with random parameters, in any state", arguments: scenarios) func randomBytes(_ scenario: Scenario)
  {
    let pair = scenario.run()
    let random = RepeatableBytes(42).source
    for (state, _) in pair.history {
      for code in SMPCode.allCases {
        var session = state
        for _ in 0..<2 {
          let outputs = session.receive(ByteReader([code.rawValue] + random(code.parameterCount)), now: pair.now)
          #expect(outputs.bonds.count + outputs.failures.count <= 1)
        }
      }
    }
  }
}
