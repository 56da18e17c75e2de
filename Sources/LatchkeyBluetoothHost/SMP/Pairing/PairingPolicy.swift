/// The abilities of this end, and the security that it asks for and requires when it pairs.
package struct PairingPolicy: Equatable, Sendable {
  /// Protection against a man in the middle.
  package enum Protection: Sendable {
    /// Not asked for; used if the peer asks for it.
    case none
    /// Asked for; a pairing without it succeeds.
    case preferred
    /// A pairing that would be Just Works ends with Authentication Requirements.
    case required
  }

  /// Whether a Pairing Request of a peer is accepted.
  package var acceptsPairing = true
  /// Input and output of this end.
  package var ioCapability = SMPIOCapability.noInputNoOutput
  /// Protection against a man in the middle.
  package var protection = Protection.none
  /// Whether keys are to be stored.
  package var isBonding = true
  /// Whether LE Secure Connections is used if the peer can.
  package var supportsSecureConnections = true
  /// Whether legacy pairing is refused (Core 6.0 Vol 3 Part C 10.2.4).
  package var requiresSecureConnections = false
  /// The length of the shortest key that is accepted, in bytes, 7...16. A short key can be searched for.
  package var leastKeySize = 16
  /// The length of the longest key that this end offers, in bytes, 7...16.
  package var maximumKeySize = 16
  /// The kinds of keys that this end distributes, if the peer agrees.
  package var keysToSend: SMPKeyDistribution = [.encryptionKey, .identityKey]
  /// The kinds of keys that this end asks its peer for.
  package var keysToReceive: SMPKeyDistribution = [.encryptionKey, .identityKey]
  /// The digits that this end displays in every pairing; nil draws them anew. For tests alone: a peer that tries again and
  /// again learns one bit of a fixed passkey in each pairing (Core 6.0 Vol 3 Part H 2.3.5.6.3).
  package var fixedPasskey: PairingPasskey?
  /// Whether out-of-band data of the peer are at hand; the session asks for them.
  package var hasOutOfBandData = false
  /// Whether a peer in debug mode is accepted.
  package var permitsDebugKey = false
  /// Whether this end uses the debug key, so that tools can decrypt its links (Core 6.0 Vol 3 Part H 2.3.5.6.1).
  package var usesDebugKey = false

  package init() {}

  /// The policy of a host that does not pair.
  package static let refusing = {
    var policy = PairingPolicy()
    policy.acceptsPairing = false
    return policy
  }()

  /// AuthReq.
  var authentication: SMPAuthenticationRequirements {
    var requirements: SMPAuthenticationRequirements = []
    if isBonding { requirements.insert(.bonding) }
    if protection != .none { requirements.insert(.mitm) }
    if supportsSecureConnections || requiresSecureConnections { requirements.insert(.secureConnections) }
    return requirements
  }

  /// The kinds of keys that PDUs can carry; a link key of BR/EDR is not derived, so that it replaces no stronger one.
  private static let carried: SMPKeyDistribution = [.encryptionKey, .identityKey, .signingKey]

  /// The features that an initiator requests.
  func request(hasIdentity: Bool) -> SMPPairingFeatures {
    features(
      initiatorKeys: isBonding ? sendable(hasIdentity) : [],
      responderKeys: isBonding ? keysToReceive.intersection(Self.carried) : [])
  }

  /// The features that a responder answers with.
  func response(to request: SMPPairingFeatures, hasIdentity: Bool) -> SMPPairingFeatures {
    let bonds = isBonding && request.authentication.isBonding
    return features(
      initiatorKeys: bonds ? request.initiatorKeys.intersection(keysToReceive).intersection(Self.carried) : [],
      responderKeys: bonds ? request.responderKeys.intersection(sendable(hasIdentity)) : [])
  }

  private func sendable(_ hasIdentity: Bool) -> SMPKeyDistribution {
    let keys = keysToSend.intersection(Self.carried)
    return hasIdentity ? keys : keys.subtracting(.identityKey)
  }

  private func features(initiatorKeys: SMPKeyDistribution, responderKeys: SMPKeyDistribution) -> SMPPairingFeatures {
    SMPPairingFeatures(
      ioCapability: ioCapability, hasOutOfBandData: hasOutOfBandData, authentication: authentication,
      maximumKeySize: UInt8(clamping: min(max(7, maximumKeySize), 16)), initiatorKeys: initiatorKeys,
      responderKeys: responderKeys)
  }
}
