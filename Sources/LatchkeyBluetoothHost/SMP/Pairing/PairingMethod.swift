/// How two devices authenticate each other while they pair (Core 6.0 Vol 3 Part H 2.3.5.1).
package enum PairingMethod: Hashable, Sendable {
  /// Nothing is compared. A man in the middle stays unseen.
  case justWorks
  /// Both users compare six digits; Secure Connections only.
  case numericComparison
  /// Six digits that one device displays are entered in the other one, or the user enters the same in both.
  case passkeyEntry(PasskeyDisplay)
  /// Data that came by another way than Bluetooth.
  case outOfBand

  /// Which device displays a passkey; the other one, or both, ask for it.
  package enum PasskeyDisplay: Hashable, Sendable {
    /// The initiator displays, the responder's user enters.
    case initiator
    /// The responder displays, the initiator's user enters.
    case responder
    /// The users enter the same digits in both.
    case neither
  }

  /// Whether the keys are protected against a man in the middle. An out-of-band way counts as protected.
  package var isAuthenticated: Bool { self != .justWorks }

  /// Whether the device with the role displays the passkey. A central is the initiator (2.1).
  func displaysPasskey(_ role: LinkRole) -> Bool {
    switch self {
    case .passkeyEntry(.initiator): role == .central
    case .passkeyEntry(.responder): role == .peripheral
    case .passkeyEntry(.neither), .justWorks, .numericComparison, .outOfBand: false
    }
  }

  /// The method that both sets of features lead to.
  package init(initiator: SMPPairingFeatures, responder: SMPPairingFeatures) {
    let secureConnections = Self.usesSecureConnections(initiator, responder)
    // Tables 2.6 and 2.7: legacy pairing needs the data of both ends, Secure Connections of one.
    let outOfBand =
      secureConnections
      ? initiator.hasOutOfBandData || responder.hasOutOfBandData
      : initiator.hasOutOfBandData && responder.hasOutOfBandData
    if outOfBand {
      self = .outOfBand
    } else if !initiator.authentication.contains(.mitm) && !responder.authentication.contains(.mitm) {
      self = .justWorks
    } else {
      let cell = Self.methods[Int(responder.ioCapability.rawValue)][Int(initiator.ioCapability.rawValue)]
      self = secureConnections ? cell.secureConnections : cell.legacy
    }
  }

  /// Whether both ends support LE Secure Connections, which is then used (3.5.1).
  package static func usesSecureConnections(_ initiator: SMPPairingFeatures, _ responder: SMPPairingFeatures) -> Bool {
    initiator.authentication.contains(.secureConnections) && responder.authentication.contains(.secureConnections)
  }

  private typealias Cell = (legacy: PairingMethod, secureConnections: PairingMethod)

  /// Table 2.8. A row is the responder's IO capability, a column the initiator's, both in the order of their values.
  private static let methods: [[Cell]] = {
    let justWorks: Cell = (.justWorks, .justWorks)
    let compare: Cell = (.justWorks, .numericComparison)
    let initiator: Cell = (.passkeyEntry(.initiator), .passkeyEntry(.initiator))
    let responder: Cell = (.passkeyEntry(.responder), .passkeyEntry(.responder))
    let neither: Cell = (.passkeyEntry(.neither), .passkeyEntry(.neither))
    let initiatorOrCompare: Cell = (.passkeyEntry(.initiator), .numericComparison)
    let responderOrCompare: Cell = (.passkeyEntry(.responder), .numericComparison)
    return [
      [justWorks, justWorks, responder, justWorks, responder],
      [justWorks, compare, responder, justWorks, responderOrCompare],
      [initiator, initiator, neither, justWorks, initiator],
      [justWorks, justWorks, justWorks, justWorks, justWorks],
      [initiator, initiatorOrCompare, responder, justWorks, initiatorOrCompare],
    ]
  }()
}
