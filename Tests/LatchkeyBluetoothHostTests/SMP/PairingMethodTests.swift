import Testing

@testable import LatchkeyBluetoothHost

/// Core 6.0 Vol 3 Part H 2.3.5.1, tables 2.6 to 2.8.
@Suite("The method of a pairing") struct PairingMethodTests {
  static func features(
    _ capability: SMPIOCapability, mitm: Bool = true, secure: Bool = true, outOfBand: Bool = false
  ) -> SMPPairingFeatures {
    var authentication: SMPAuthenticationRequirements = []
    if mitm { authentication.insert(.mitm) }
    if secure { authentication.insert(.secureConnections) }
    return SMPPairingFeatures(
      ioCapability: capability, hasOutOfBandData: outOfBand, authentication: authentication, initiatorKeys: [],
      responderKeys: [])
  }

  /// The cells of table 2.8: `j` Just Works, `n` numeric comparison, `i` and `r` passkey displayed by the initiator or the
  /// responder, `b` entered in both. Rows and columns: DisplayOnly, DisplayYesNo, KeyboardOnly, NoInputNoOutput,
  /// KeyboardDisplay; a row is a responder.
  private static let legacy = ["jjrjr", "jjrjr", "iibji", "jjjjj", "iirji"]
  private static let secure = ["jjrjr", "jnrjn", "iibji", "jjjjj", "inrjn"]

  private func letter(_ method: PairingMethod) -> Character {
    switch method {
    case .justWorks: "j"
    case .numericComparison: "n"
    case .passkeyEntry(.initiator): "i"
    case .passkeyEntry(.responder): "r"
    case .passkeyEntry(.neither): "b"
    case .outOfBand: "o"
    }
  }

  @Test("Follows from both IO capabilities, in legacy pairing and in Secure Connections", arguments: [false, true])
  func capabilities(_ secure: Bool) {
    let table = SMPIOCapability.allCases.map { responder in
      String(
        SMPIOCapability.allCases.map { initiator in
          letter(
            PairingMethod(
              initiator: Self.features(initiator, secure: secure), responder: Self.features(responder, secure: secure)))
        })
    }
    #expect(table == (secure ? Self.secure : Self.legacy))
  }

  @Test("Is Just Works if neither end asks for protection, and the table's if one does") func protection() {
    for initiator in SMPIOCapability.allCases {
      for responder in SMPIOCapability.allCases {
        func method(_ a: Bool, _ b: Bool) -> PairingMethod {
          PairingMethod(initiator: Self.features(initiator, mitm: a), responder: Self.features(responder, mitm: b))
        }
        #expect(method(false, false) == .justWorks)
        #expect(method(true, false) == method(true, true))
        #expect(method(false, true) == method(true, true))
      }
    }
  }

  @Test("Is that of legacy pairing if one end lacks Secure Connections") func mixedSupport() {
    for (a, b) in [(true, false), (false, true)] {
      let method = PairingMethod(
        initiator: Self.features(.displayYesNo, secure: a), responder: Self.features(.displayYesNo, secure: b))
      #expect(method == .justWorks)
    }
  }

  @Test(
    "Is out of band with the data of both ends in legacy pairing, of one in Secure Connections",
    arguments: [(false, false), (false, true), (true, false), (true, true)])
  func outOfBand(_ initiator: Bool, _ responder: Bool) {
    for secure in [false, true] {
      for mitm in [false, true] {
        let method = PairingMethod(
          initiator: Self.features(.noInputNoOutput, mitm: mitm, secure: secure, outOfBand: initiator),
          responder: Self.features(.keyboardOnly, mitm: mitm, secure: secure, outOfBand: responder))
        let expected = secure ? initiator || responder : initiator && responder
        #expect((method == .outOfBand) == expected)
        #expect(expected || method == .justWorks)
      }
    }
  }

  @Test("Authenticates unless it is Just Works, and one end at most displays a passkey") func security() {
    let passkeys: [PairingMethod] = [.passkeyEntry(.initiator), .passkeyEntry(.responder), .passkeyEntry(.neither)]
    #expect(!PairingMethod.justWorks.isAuthenticated)
    for method in passkeys + [.numericComparison, .outOfBand] { #expect(method.isAuthenticated) }
    #expect(passkeys.map { $0.displaysPasskey(.central) } == [true, false, false])
    #expect(passkeys.map { $0.displaysPasskey(.peripheral) } == [false, true, false])
    for method in [PairingMethod.justWorks, .numericComparison, .outOfBand] {
      #expect(!method.displaysPasskey(.central) && !method.displaysPasskey(.peripheral))
    }
  }
}
