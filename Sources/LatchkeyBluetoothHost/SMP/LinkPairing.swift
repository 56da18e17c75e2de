/// The pairing of one link: its session, its bond, and the requests that wait for its security.
///
/// A class, so that a link that never needs it stays small; it belongs to its `Link`, and never leaves the host.
final class LinkPairing {
  /// How long the encryption of a link with the key of a bond may take.
  static let encryptionTimeout = Duration.seconds(30)

  /// What the requests of a link wait for.
  enum Wait {
    case nothing
    /// The end of the session's pairing, which has a timer of its own.
    case pairing
    case encryption(until: Duration)
  }

  @exclusivity(unchecked) var session: PairingSession
  /// The key of the pairing in progress, once it has one.
  @exclusivity(unchecked) var sessionKey: LongTermKey?
  /// The bond whose keys the link has: the stored one, or one of this link alone.
  @exclusivity(unchecked) var bond: Bond?
  @exclusivity(unchecked) var wait = Wait.nothing
  /// Whether nothing of an app goes over the link in clear: there is a bond, whose key a stranger has not.
  @exclusivity(unchecked) var mustBeSecured = false
  /// Whether the peer has lost the key of the bond.
  @exclusivity(unchecked) var isKeyMissing = false
  /// The client whose user is asked about the pairing in progress.
  @exclusivity(unchecked) var asked: ClientID?

  init(_ session: PairingSession) { self.session = session }

  /// The earliest deadline of the pairing and of those that wait.
  var nextDeadline: Duration? {
    guard case .encryption(let until) = wait else { return session.nextDeadline }
    return earliest(session.nextDeadline, until)
  }
}

extension Link {
  /// Whether nothing of an app goes over the link as it is now.
  var mustBeSecured: Bool { pairing?.mustBeSecured ?? false }
}

/// What a client demands of the pairings on its links, and whom it has to ask.
package struct PairingTerms: Sendable, Equatable {
  /// Input and output of the client's user; nil if there is nobody to ask. Then only Just Works is possible, where a
  /// request of the client, or an attribute of it that needs encryption, is the cause.
  package var agent: SMPIOCapability?
  /// Whether legacy pairing is refused, on all links of the host.
  package var requiresSecureConnections = false
  /// The length of the shortest key that is accepted on links that the client uses or serves, in bytes, 7...16; nil for
  /// the host's own terms.
  package var leastKeySize: Int?
  /// Whether the user has out-of-band data of the peers.
  package var hasOutOfBandData = false
  /// The digits that are displayed in every pairing, in tests; nil draws them anew.
  package var fixedPasskey: PairingPasskey?

  package init() {}
}
