import LatchkeyByteCoding

/// The rounds of a passkey in LE Secure Connections: one bit each (Core 6.0 Vol 3 Part H 2.3.5.6.3).
extension PairingSession {
  /// The number of bits of a passkey.
  static let passkeyRounds = 20

  /// Commits to the bit of this round.
  mutating func sendRoundConfirm(now: Duration) throws(SMPReason) {
    guard let progress, let passkey = progress.passkey else { return }
    let nonce = try drawKey()
    let confirm = try commitment(
      ofPeer: false, nonce: nonce.exposedBytes, z: passkey.committedBit(progress.round))
    self.progress?.localNonce = nonce
    self.progress?.localConfirm = confirm
    self.progress?.step = role == .central ? .confirm : .random
    send(SMPPairingConfirm(value: confirm), now: now)
  }

  /// Verifies the opened commitment, then begins the next round, or stage 2.
  mutating func receiveRoundNonce(now: Duration) throws(SMPReason) {
    guard let progress, let passkey = progress.passkey, let nonce = progress.localNonce else {
      throw .unspecifiedReason
    }
    let expected = try commitment(ofPeer: true, nonce: progress.peerNonce, z: passkey.committedBit(progress.round))
    guard constantTimeEquals(expected, progress.peerConfirm) else { throw .confirmValueFailed }
    if role == .peripheral { send(SMPPairingRandom(value: nonce.exposedBytes), now: now) }
    self.progress?.round = progress.round + 1
    if progress.round + 1 < Self.passkeyRounds {
      self.progress?.step = role == .central ? .user : .confirm
      return try continueSecureConnections(now: now)
    }
    try deriveKeys()
    if role == .central {
      try sendCheck(now: now)
    } else {
      self.progress?.step = .dhKeyCheck
    }
  }
}
