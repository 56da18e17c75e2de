import LatchkeyByteCoding

extension PairingSession {
  /// Handles a PDU with a known code.
  mutating func receive(_ code: SMPCode, _ parameters: ByteReader, now: Duration) throws(SMPReason) {
    // Nothing answers Pairing Failed, not even one of a wrong length.
    if code == .pairingFailed {
      let reason = (try? SMPPairingFailed(whole: parameters))?.reason ?? .unspecifiedReason
      return end(.refusedByPeer(reason), now: now)
    }
    guard parameters.remaining == code.parameterCount else { throw .invalidParameters }
    switch code {
    case .pairingRequest: return try receiveRequest(parameters, now: now)
    case .securityRequest:
      guard role == .central else { throw .commandNotSupported }
      // Both ends may ask for security at once: the request in progress answers it.
      if progress == nil {
        outputs.append(.securityRequested(try decode(SMPSecurityRequest.self, parameters).authentication))
      }
      return
    default: break
    }
    // A step of a pairing that does not exist: the peer expects no answer.
    guard let progress else { return }
    if code == .pairingKeypressNotification { return try receiveKeypress(parameters, now: now) }
    if code == .pairingResponse && role == .peripheral { throw .commandNotSupported }
    guard progress.awaited == code else { throw .unspecifiedReason }
    switch code {
    case .pairingResponse: try receiveResponse(decode(SMPPairingResponse.self, parameters).features, now: now)
    case .pairingPublicKey: try receivePublicKey(decode(SMPPairingPublicKey.self, parameters), now: now)
    case .pairingConfirm:
      let value = try decode(SMPPairingConfirm.self, parameters).value
      try progress.bothCommit ? receiveMutualConfirm(value, now: now) : receiveConfirm(value, now: now)
    case .pairingRandom:
      let value = try decode(SMPPairingRandom.self, parameters).value
      try progress.isSecureConnections ? receiveNonce(value, now: now) : receiveLegacyRandom(value, now: now)
    case .pairingDHKeyCheck: try receiveCheck(decode(SMPPairingDHKeyCheck.self, parameters).value, now: now)
    case .encryptionInformation, .centralIdentification, .identityInformation, .identityAddressInformation,
      .signingInformation:
      try receiveKey(code, parameters, now: now)
    case .pairingRequest, .pairingFailed, .securityRequest, .pairingKeypressNotification: break
    }
  }

  /// Handles a keypress of the peer's user, which gives that user more time (3.4).
  private mutating func receiveKeypress(_ parameters: ByteReader, now: Duration) throws(SMPReason) {
    guard progress?.isEnteringPasskey == true else { throw .unspecifiedReason }
    let action = try decode(SMPPairingKeypressNotification.self, parameters).action
    guard let count = progress?.keypresses, count < Self.maximumKeypresses else { return }
    progress?.keypresses = count + 1
    outputs.append(.keypress(action))
    restartTimer(now: now)
  }

  /// Handles the user's answer, other than a rejection.
  mutating func receive(_ answer: PairingAnswer, now: Duration) throws(SMPReason) {
    switch (progress?.question, answer) {
    case (.confirm, .accept), (.compare, .accept): progress?.isAccepted = true
    case (.enter, .passkey(let passkey)): progress?.passkey = passkey
    case (.outOfBandData, .outOfBand(let data)): try receiveOutOfBand(data)
    default: return
    }
    progress?.question = nil
    try continueMethod(now: now)
  }

  /// Goes on with the method once the user has answered and the turn is ours.
  private mutating func continueMethod(now: Duration) throws(SMPReason) {
    if progress?.isSecureConnections == true {
      try continueSecureConnections(now: now)
    } else {
      try continueLegacy(now: now)
    }
  }

  /// Handles the peer's commitment where both ends commit: in legacy pairing and in each round of a passkey. A peripheral
  /// answers with its own, once it knows the secret; a central opens its own.
  private mutating func receiveMutualConfirm(_ value: [UInt8], now: Duration) throws(SMPReason) {
    progress?.peerConfirm = value
    if role == .peripheral {
      progress?.step = .user
      return try continueMethod(now: now)
    }
    // A peer that returns our commitment would open it with our own nonce, without knowing the secret.
    guard let progress, let nonce = progress.localNonce, !constantTimeEquals(value, progress.localConfirm) else {
      throw .confirmValueFailed
    }
    self.progress?.step = .random
    send(SMPPairingRandom(value: nonce.exposedBytes), now: now)
  }

  /// Decodes parameters; those that are out of their range end the pairing.
  func decode<PDU: SMPPDU>(_ type: PDU.Type, _ parameters: ByteReader) throws(SMPReason) -> PDU {
    do { return try PDU(whole: parameters) } catch { throw .invalidParameters }
  }

  /// Asks the user, or shows digits.
  mutating func ask(_ question: PairingQuestion) {
    progress?.question = question
    outputs.append(.ask(question))
  }

  /// Asks for a passkey, or draws one and shows it.
  mutating func askForPasskey() throws(SMPReason) {
    guard progress?.method.displaysPasskey(role) == true else { return ask(.enter) }
    let passkey: PairingPasskey
    if let fixed = policy.fixedPasskey {
      passkey = fixed
    } else {
      passkey = try drawUntil(4) { PairingPasskey(random: $0) }
    }
    progress?.passkey = passkey
    ask(.show(passkey))
  }
}
