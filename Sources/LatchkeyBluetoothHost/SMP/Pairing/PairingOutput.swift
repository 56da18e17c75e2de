/// An action that a `PairingSession` requests, in order.
package enum PairingOutput: Sendable {
  /// Send an SMP PDU to the peer; it has the headroom of an outgoing frame.
  case send([UInt8])
  /// Encrypt the link, or encrypt it anew, with this key: LE Enable Encryption. This end is the central.
  case startEncryption(LongTermKey)
  /// Answer the Long Term Key Request for EDIV and Rand zero with this key, until the pairing ends. This end is the
  /// peripheral.
  case provideKey(LongTermKey)
  /// Show something to the user, or ask for something; `PairingSession.answer` receives the answer. The end of the pairing
  /// ends the question.
  case ask(PairingQuestion)
  /// The peer's user did something at the keyboard: for the display of a passkey.
  case keypress(SMPPairingKeypressNotification.Action)
  /// The peripheral asks for security: encrypt with the key of a bond, or begin a pairing.
  case securityRequested(SMPAuthenticationRequirements)
  /// The pairing succeeded.
  case finished(Bond)
  /// The pairing failed.
  case failed(PairingFailure)
}

/// A question to the user.
package enum PairingQuestion: Equatable, Sendable {
  /// Whether to pair with the peer, unprotected (Just Works): answered by `accept` or `reject`.
  case confirm
  /// Whether both devices display these digits: answered by `accept` or `reject`.
  case compare(PairingPasskey)
  /// To enter these digits in the other device; `reject` cancels.
  case show(PairingPasskey)
  /// For the digits that the other device displays: answered by `passkey` or `reject`.
  case enter
  /// For the peer's out-of-band data, of the kind of Secure Connections or of legacy pairing: answered by `outOfBand` or
  /// `reject`.
  case outOfBandData(secureConnections: Bool)
}

/// An answer of the user.
package enum PairingAnswer: Equatable, Sendable {
  /// Yes: to pair, or the digits are the same.
  case accept
  /// No, or the user cancels: ends the pairing in any state.
  case reject
  /// The digits that the user entered.
  case passkey(PairingPasskey)
  /// The data that the peer gave by another way.
  case outOfBand(PairingOutOfBandData)
}

/// Why a pairing ended without a bond.
package enum PairingFailure: Error, Hashable, Sendable {
  /// This end refused, and sent the reason.
  case refused(SMPReason)
  /// The peer sent this reason.
  case refusedByPeer(SMPReason)
  /// This end canceled.
  case canceled
  /// 30 s passed without a PDU of this end. The link carries no SMP any more (Core 6.0 Vol 3 Part H 3.4).
  case timedOut
  /// The link could not be encrypted, or lost its encryption.
  case encryptionFailed
  /// The link ended.
  case linkEnded
  /// The last failure is too recent; nothing was sent.
  case waiting(until: Duration)
}
