import LatchkeyByteCoding
import Testing

@testable import LatchkeyBluetoothHost

/// Core 6.0 Vol 3 Part H 3.6.1.
@Suite("The distribution of keys") struct PairingKeyDistributionTests {
  private static let everything = PairingPolicy.make(secure: false) {
    $0.keysToSend = .all
    $0.keysToReceive = .all
  }

  /// Runs a legacy pairing of all keys in which the peripheral's PDU with a code is replaced.
  private func failure(replacing code: UInt8, by pdu: [UInt8], from sender: LinkRole) -> [PairingFailure]? {
    var pair = PairingPair(Self.everything, Self.everything)
    pair.alter = { $0 == sender && $1[0] == code ? pdu : $1 }
    pair.run()
    #expect(pair.bonds[sender == .central ? .peripheral : .central] == nil)
    return pair.failures[sender == .central ? .peripheral : .central]
  }

  private static let roles = [LinkRole.central, .peripheral]

  @Test("Has one order, in which each key comes once", arguments: roles) func order(_ sender: LinkRole) {
    let codes: [SMPCode] = [
      .encryptionInformation, .centralIdentification, .identityInformation, .identityAddressInformation,
      .signingInformation,
    ]
    for code in codes {
      for other in codes where other != code {
        let result = failure(replacing: code.rawValue, by: PairingOrderTests.sample(other), from: sender)
        #expect(result == [.refused(.unspecifiedReason)])
      }
    }
  }

  @Test("Accepts no LTK of zeros", arguments: roles) func zeroKey(_ sender: LinkRole) {
    let zero = [0x06] + [UInt8](repeating: 0, count: 16)
    #expect(failure(replacing: 0x06, by: zero, from: sender) == [.refused(.keyRejected)])
  }

  @Test("Reads an IRK of zeros as none") func zeroResolvingKey() {
    var pair = PairingPair(Self.everything, Self.everything)
    pair.alter = { $1[0] == 0x08 ? [0x08] + [UInt8](repeating: 0, count: 16) : $1 }
    pair.run()
    #expect(pair.bonds.count == 2)
    #expect(pair.bonds[.central]?.peerResolvingKey == nil)
    #expect(pair.bonds[.central]?.identity == PairingPair.identity(.peripheral).address)
  }

  @Test("Accepts no identity address that changes", arguments: [0x01, 0x41, 0xBF] as [UInt8])
  func privateAddress(_ top: UInt8) {
    #expect(
      failure(replacing: 0x09, by: [9, 1, 1, 2, 3, 4, 5, top], from: .peripheral) == [.refused(.invalidParameters)])
    #expect(
      failure(replacing: 0x09, by: [9, 2, 1, 2, 3, 4, 5, 0xC1], from: .peripheral) == [.refused(.invalidParameters)])
  }

  @Test("Begins when the link is encrypted, and not before", arguments: PairingOrderTests.scenarios)
  func encryption(_ scenario: PairingOrderTests.Scenario) {
    let pair = scenario.run()
    var seen = 0
    for (state, next) in pair.history {
      guard case .encrypted = next else { continue }
      seen += 1
      for code in SMPCode.encryptionInformation.rawValue...SMPCode.signingInformation.rawValue {
        var session = state
        let pdu = PairingOrderTests.sample(SMPCode(rawValue: code) ?? .pairingFailed)
        let outputs = session.receive(ByteReader(pdu), now: pair.now)
        #expect(outputs.pdus == [[0x05, 0x08]] && outputs.failures == [.refused(.unspecifiedReason)])
      }
      var unencrypted = state
      #expect(unencrypted.encryptionChanged(isEncrypted: false, now: pair.now).failures == [.encryptionFailed])
      #expect(unencrypted.encryptionChanged(isEncrypted: true, now: pair.now).isEmpty)
    }
    #expect(seen == 2)
  }

  @Test("Ends with the encryption of the link") func lostEncryption() {
    var pair = PairingPair(Self.everything, Self.everything)
    pair.alter = { $0 == .peripheral && $1[0] == 0x0A ? nil : $1 }
    pair.run()
    #expect(pair.central.isPairing && pair.peripheral.isPairing)
    #expect(pair.central.encryptionChanged(isEncrypted: true, now: pair.now).isEmpty)
    #expect(pair.central.encryptionChanged(isEncrypted: false, now: pair.now).failures == [.encryptionFailed])
    #expect(pair.peripheral.encryptionChanged(isEncrypted: false, now: pair.now).failures == [.encryptionFailed])
  }

  @Test("Is not begun by an encryption in the middle of a pairing", arguments: PairingOrderTests.scenarios)
  func earlyEncryption(_ scenario: PairingOrderTests.Scenario) {
    let pair = scenario.run()
    for (state, next) in pair.history {
      if case .encrypted = next { continue }
      var session = state
      let outputs = session.encryptionChanged(isEncrypted: true, now: pair.now)
      #expect(outputs.isEmpty)
      // An encryption ends the wait for the answer to a Security Request, and nothing else.
      let waitsForRequest = state.progress?.awaited == .pairingRequest
      #expect(session.isPairing == (state.isPairing && !waitsForRequest))
    }
  }
}
