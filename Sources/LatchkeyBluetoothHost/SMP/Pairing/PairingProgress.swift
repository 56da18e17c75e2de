import LatchkeyByteCoding

/// The state of one pairing. The end of the pairing releases it, and with it all secrets.
struct PairingProgress: Sendable {
  /// The event that the pairing waits for.
  enum Step: Sendable {
    /// Our Security Request was sent; the central begins.
    case securityRequest
    /// Our Pairing Request was sent.
    case response
    case publicKey
    case confirm
    case random
    case dhKeyCheck
    /// The user; the peer waits for us.
    case user
    /// Encryption of the link.
    case encryption
    /// The keys of the peer in `keysToReceive`.
    case keys
  }

  var step: Step

  // The exchange of features.
  var request: SMPPairingFeatures?
  var response: SMPPairingFeatures?
  var method = PairingMethod.justWorks
  var isSecureConnections = false
  var keySize = 0

  /// The question that the user has not answered.
  var question: PairingQuestion?
  /// The user accepted an unprotected pairing, or the compared digits.
  var isAccepted = false

  /// The TK of legacy pairing, once it is known.
  var temporaryKey: SecurityKey?
  /// The passkey of Secure Connections, once it is known.
  var passkey: PairingPasskey?
  /// The round of a passkey, 0..<20.
  var round = 0

  var keyPair: PairingKeyPair?
  var peerPublicKey: SMPPairingPublicKey?
  var sharedSecret: SecretBytes?
  var localNonce: SecurityKey?
  var peerNonce: [UInt8] = []
  var localConfirm: [UInt8] = []
  /// The peer's commitment; empty if there is none yet.
  var peerConfirm: [UInt8] = []
  /// The random values that out-of-band data carried; zero without such data.
  var localOutOfBandRandom = SecurityKey(number: 0)
  var peerOutOfBandRandom = SecurityKey(number: 0)
  /// The peer's DHKey Check, which came before the user's answer.
  var heldCheck: [UInt8]?
  var macKey: SecurityKey?
  /// The LTK of Secure Connections, before the DHKey Check.
  var longTermKey: SecurityKey?
  /// The STK or the LTK that this pairing encrypts with.
  var linkKey: LongTermKey?

  /// The codes of the peer's keys that are still to come, in order.
  var keysToReceive: [SMPCode] = []
  var bond: Bond?
  /// How many keypress notifications came.
  var keypresses = 0

  init(step: Step) { self.step = step }

  /// The PDU that may come now, apart from Pairing Failed; nil for none.
  var awaited: SMPCode? {
    switch step {
    case .securityRequest: .pairingRequest
    case .response: .pairingResponse
    case .publicKey: .pairingPublicKey
    case .confirm: .pairingConfirm
    case .random: .pairingRandom
    case .dhKeyCheck: .pairingDHKeyCheck
    case .user, .encryption: nil
    case .keys: keysToReceive.first
    }
  }

  /// Whether both ends send a Pairing Confirm, in place of the responder alone (2.3.5.5, 2.3.5.6.3).
  var bothCommit: Bool {
    if case .passkeyEntry = method { return true }
    return !isSecureConnections
  }

  /// Whether a passkey is entered now, so that keypress notifications make sense.
  var isEnteringPasskey: Bool {
    guard case .passkeyEntry = method else { return false }
    return switch step {
    case .confirm, .random, .user: true
    case .securityRequest, .response, .publicKey, .dhKeyCheck, .encryption, .keys: false
    }
  }

  /// Whether features were exchanged; a failure from here on counts as an attempt.
  var isPastFeatures: Bool { response != nil && request != nil }

  /// The reason for the peer when the user rejects.
  var rejection: SMPReason {
    switch method {
    case _ where !isPastFeatures: .unspecifiedReason
    case .justWorks: .unspecifiedReason
    case .numericComparison: .numericComparisonFailed
    case .passkeyEntry: .passkeyEntryFailed
    case .outOfBand: .outOfBandNotAvailable
    }
  }
}
