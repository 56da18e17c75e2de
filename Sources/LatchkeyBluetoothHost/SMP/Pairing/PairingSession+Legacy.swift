import LatchkeyByteCoding

/// LE legacy pairing (Core 6.0 Vol 3 Part H 2.3.5.2 to 2.3.5.5).
extension PairingSession {
  /// Asks for what the TK is made of.
  mutating func beginLegacy(now: Duration) throws(SMPReason) {
    progress?.step = role == .central ? .user : .confirm
    switch progress?.method {
    case .passkeyEntry: try askForPasskey()
    case .outOfBand: ask(.outOfBandData(secureConnections: false))
    case .justWorks, .numericComparison, nil: ask(.confirm)
    }
    try continueLegacy(now: now)
  }

  /// Sends the confirm value, once the TK is known and the turn is ours.
  mutating func continueLegacy(now: Duration) throws(SMPReason) {
    guard let progress else { return }
    if progress.temporaryKey == nil {
      if let passkey = progress.passkey {
        self.progress?.temporaryKey = SecurityKey(number: UInt64(passkey.value))
      } else if progress.method == .justWorks, progress.isAccepted {
        self.progress?.temporaryKey = SecurityKey(number: 0)
      }
    }
    guard progress.step == .user, self.progress?.temporaryKey != nil else { return }
    let nonce = try drawKey()
    let confirm = try legacyConfirm(nonce.exposedBytes)
    guard confirm != progress.peerConfirm else { throw .confirmValueFailed }
    self.progress?.localNonce = nonce
    self.progress?.localConfirm = confirm
    self.progress?.step = role == .central ? .confirm : .random
    send(SMPPairingConfirm(value: confirm), now: now)
  }

  /// Handles a Pairing Random: the peer opens its commitment.
  mutating func receiveLegacyRandom(_ value: [UInt8], now: Duration) throws(SMPReason) {
    guard let progress, let temporaryKey = progress.temporaryKey, let nonce = progress.localNonce else {
      throw .unspecifiedReason
    }
    let confirm = try legacyConfirm(value)
    let local = nonce.exposedBytes
    guard constantTimeEquals(confirm, progress.peerConfirm) else { throw .confirmValueFailed }
    let stk = try PairingCryptography.s1(
      k: temporaryKey, r1: role == .central ? value : local, r2: role == .central ? local : value)
    encrypt(with: stk)
    if role == .peripheral { send(SMPPairingRandom(value: local), now: now) }
  }

  /// The confirm value of either end for a random value.
  private func legacyConfirm(_ random: [UInt8]) throws(SMPReason) -> [UInt8] {
    guard let progress, let key = progress.temporaryKey, let request = progress.request,
      let response = progress.response
    else { throw .unspecifiedReason }
    return try PairingCryptography.c1(
      k: key, r: random, preq: SMPPairingRequest(features: request).bytes,
      pres: SMPPairingResponse(features: response).bytes, initiator: initiatorAddress, responder: responderAddress)
  }
}

extension PairingSession {
  /// The central's address on the link.
  var initiatorAddress: BluetoothAddress { role == .central ? localAddress : peerAddress }
  /// The peripheral's address on the link.
  var responderAddress: BluetoothAddress { role == .central ? peerAddress : localAddress }

  /// Encrypts the link with the key of this pairing, or has it ready for the central's request.
  mutating func encrypt(with key: SecurityKey) {
    guard let progress else { return }
    let linkKey = LongTermKey(
      key: key.masked(toSize: progress.keySize), size: progress.keySize,
      isAuthenticated: progress.method.isAuthenticated,
      isSecureConnections: progress.isSecureConnections)
    self.progress?.linkKey = linkKey
    self.progress?.question = nil
    self.progress?.step = .encryption
    outputs.append(role == .central ? .startEncryption(linkKey) : .provideKey(linkKey))
  }
}
