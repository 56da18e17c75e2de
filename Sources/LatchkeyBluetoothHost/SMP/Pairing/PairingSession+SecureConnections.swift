import LatchkeyByteCoding

/// LE Secure Connections: the public keys, authentication stage 1 but for the rounds of a passkey, and stage 2 (Core 6.0
/// Vol 3 Part H 2.3.5.6).
extension PairingSession {
  /// Makes the key pair; a central sends its public key.
  mutating func beginSecureConnections(now: Duration) throws(SMPReason) {
    let keyPair = try makeKeyPair()
    progress?.keyPair = keyPair
    progress?.step = .publicKey
    if role == .central { send(keyPair.publicKey, now: now) }
  }

  /// The pair that out-of-band data committed to, the one made ahead, each once, or a new one.
  private mutating func makeKeyPair() throws(SMPReason) -> PairingKeyPair {
    let peer = role == .central ? progress?.response : progress?.request
    if peer?.hasOutOfBandData == true, let keyPair = localOutOfBand?.keyPair {
      localOutOfBand = nil
      hasUsedOutOfBand = true
      return keyPair
    }
    if policy.usesDebugKey, let keyPair = PairingKeyPair.debug { return keyPair }
    if let keyPair = nextKeyPair {
      nextKeyPair = nil
      return keyPair
    }
    return try drawUntil(PairingCryptography.coordinateSize) { PairingKeyPair(privateKey: $0) }
  }

  /// Handles a Pairing Public Key. A peripheral validates it before it sends its own.
  mutating func receivePublicKey(_ key: SMPPairingPublicKey, now: Duration) throws(SMPReason) {
    guard let keyPair = progress?.keyPair else { throw .unspecifiedReason }
    progress?.sharedSecret = try keyPair.sharedSecret(
      with: key, permitsDebugKey: policy.permitsDebugKey || policy.usesDebugKey)
    progress?.peerPublicKey = key
    if role == .peripheral { send(keyPair.publicKey, now: now) }
    switch progress?.method {
    case .passkeyEntry:
      progress?.step = role == .central ? .user : .confirm
      try askForPasskey()
      try continueSecureConnections(now: now)
    case .outOfBand:
      progress?.step = role == .central ? .user : .random
      let local = role == .central ? progress?.request : progress?.response
      if local?.hasOutOfBandData == true {
        ask(.outOfBandData(secureConnections: true))
      } else {
        progress?.isAccepted = true
      }
      try continueSecureConnections(now: now)
    case .justWorks, .numericComparison, nil:
      guard role == .peripheral else {
        progress?.step = .confirm
        return
      }
      let nonce = try drawKey()
      progress?.localNonce = nonce
      progress?.step = .random
      send(SMPPairingConfirm(value: try commitment(ofPeer: false, nonce: nonce.exposedBytes)), now: now)
    }
  }

  /// Goes on once the user has answered and the turn is ours.
  mutating func continueSecureConnections(now: Duration) throws(SMPReason) {
    guard let progress, progress.step == .user else { return }
    switch progress.method {
    case .passkeyEntry:
      if progress.passkey != nil { try sendRoundConfirm(now: now) }
    case .justWorks, .numericComparison:
      guard progress.isAccepted else { return }
      if role == .central {
        try sendCheck(now: now)
      } else if let check = progress.heldCheck {
        try verify(check, now: now)
      }
    case .outOfBand:
      guard progress.isAccepted else { return }
      let nonce = try drawKey()
      self.progress?.localNonce = nonce
      self.progress?.step = role == .central ? .random : .dhKeyCheck
      send(SMPPairingRandom(value: nonce.exposedBytes), now: now)
      if role == .peripheral { try deriveKeys() }
    }
  }

  /// Handles a Pairing Confirm of a method in which the responder alone commits.
  mutating func receiveConfirm(_ value: [UInt8], now: Duration) throws(SMPReason) {
    let nonce = try drawKey()
    progress?.peerConfirm = value
    progress?.localNonce = nonce
    progress?.step = .random
    send(SMPPairingRandom(value: nonce.exposedBytes), now: now)
  }

  /// Handles a Pairing Random.
  mutating func receiveNonce(_ value: [UInt8], now: Duration) throws(SMPReason) {
    guard let progress else { return }
    if let nonce = progress.localNonce, constantTimeEquals(nonce.exposedBytes, value) { throw .confirmValueFailed }
    self.progress?.peerNonce = value
    switch progress.method {
    case .passkeyEntry: try receiveRoundNonce(now: now)
    case .outOfBand where role == .central:
      try deriveKeys()
      try sendCheck(now: now)
    case .outOfBand:
      self.progress?.step = .user
      try continueSecureConnections(now: now)
    case .justWorks, .numericComparison:
      if role == .central {
        guard constantTimeEquals(try commitment(ofPeer: true, nonce: value), progress.peerConfirm) else {
          throw .confirmValueFailed
        }
        self.progress?.step = .user
      } else {
        guard let nonce = progress.localNonce else { throw .unspecifiedReason }
        self.progress?.step = .dhKeyCheck
        send(SMPPairingRandom(value: nonce.exposedBytes), now: now)
      }
      try deriveKeys()
      ask(progress.method == .justWorks ? .confirm : .compare(try comparedDigits()))
    }
  }

  /// Validates the peer's out-of-band data against its public key.
  mutating func receiveOutOfBand(_ data: PairingOutOfBandData) throws(SMPReason) {
    switch data {
    case .legacy(let temporaryKey):
      guard progress?.isSecureConnections == false else { throw .outOfBandNotAvailable }
      progress?.temporaryKey = temporaryKey
    case .secureConnections(let random, let confirm):
      guard progress?.isSecureConnections == true, let key = progress?.peerPublicKey else {
        throw .outOfBandNotAvailable
      }
      guard constantTimeEquals(try PairingCryptography.commitment(to: key, random: random), confirm) else {
        throw .confirmValueFailed
      }
      progress?.peerOutOfBandRandom = random
      progress?.isAccepted = true
    }
  }

  /// The commitment of one end to its nonce, f4(PK of that end, PK of the other, nonce, z).
  func commitment(ofPeer: Bool, nonce: [UInt8], z: UInt8 = 0) throws(SMPReason) -> [UInt8] {
    guard let local = progress?.keyPair?.publicKey.x, let peer = progress?.peerPublicKey?.x else {
      throw .unspecifiedReason
    }
    return try PairingCryptography.f4(u: ofPeer ? peer : local, v: ofPeer ? local : peer, x: nonce, z: z)
  }

  /// The digits of numeric comparison: g2(PKa, PKb, Na, Nb).
  private func comparedDigits() throws(SMPReason) -> PairingPasskey {
    guard let progress, let local = progress.keyPair?.publicKey.x, let peer = progress.peerPublicKey?.x,
      let nonce = progress.localNonce?.exposedBytes
    else { throw .unspecifiedReason }
    let isCentral = role == .central
    return PairingPasskey(
      comparing: try PairingCryptography.g2(
        u: isCentral ? local : peer, v: isCentral ? peer : local, x: isCentral ? nonce : progress.peerNonce,
        y: isCentral ? progress.peerNonce : nonce))
  }
}

/// Authentication stage 2 (2.3.5.6.5).
extension PairingSession {
  /// Computes the MacKey and the LTK.
  mutating func deriveKeys() throws(SMPReason) {
    guard let progress, let secret = progress.sharedSecret, let nonce = progress.localNonce?.exposedBytes else {
      throw .unspecifiedReason
    }
    let keys = try PairingCryptography.f5(
      w: secret, n1: role == .central ? nonce : progress.peerNonce, n2: role == .central ? progress.peerNonce : nonce,
      a1: initiatorAddress, a2: responderAddress)
    self.progress?.macKey = keys.macKey
    self.progress?.longTermKey = keys.longTermKey
    self.progress?.sharedSecret = nil
  }

  /// A central sends its DHKey Check.
  mutating func sendCheck(now: Duration) throws(SMPReason) {
    progress?.step = .dhKeyCheck
    send(SMPPairingDHKeyCheck(value: try check(ofPeer: false)), now: now)
  }

  /// Handles a DHKey Check. A peripheral holds it until its user accepts.
  mutating func receiveCheck(_ value: [UInt8], now: Duration) throws(SMPReason) {
    guard let progress else { return }
    let needsAcceptance = progress.method == .justWorks || progress.method == .numericComparison
    if needsAcceptance && !progress.isAccepted {
      self.progress?.heldCheck = value
      self.progress?.step = .user
    } else {
      try verify(value, now: now)
    }
  }

  private mutating func verify(_ value: [UInt8], now: Duration) throws(SMPReason) {
    guard constantTimeEquals(try check(ofPeer: true), value), let key = progress?.longTermKey else {
      throw .dhKeyCheckFailed
    }
    let answer = try check(ofPeer: false)
    encrypt(with: key)
    if role == .peripheral { send(SMPPairingDHKeyCheck(value: answer), now: now) }
  }

  /// The DHKey Check of one end: f6(MacKey, its nonce, the other's, r of the other, its IOcap, its address, the other's).
  private func check(ofPeer: Bool) throws(SMPReason) -> [UInt8] {
    guard let progress, let macKey = progress.macKey, let nonce = progress.localNonce?.exposedBytes,
      let request = progress.request, let response = progress.response
    else { throw .unspecifiedReason }
    let isInitiator = (role == .central) != ofPeer
    let r: SecurityKey
    if case .passkeyEntry = progress.method {
      guard let passkey = progress.passkey else { throw .unspecifiedReason }
      r = SecurityKey(number: UInt64(passkey.value))
    } else {
      r = ofPeer ? progress.localOutOfBandRandom : progress.peerOutOfBandRandom
    }
    let features = isInitiator ? request : response
    return try PairingCryptography.f6(
      w: macKey, n1: ofPeer ? progress.peerNonce : nonce, n2: ofPeer ? nonce : progress.peerNonce, r: r,
      ioCap: [
        features.ioCapability.rawValue, features.hasOutOfBandData ? 1 : 0, features.authentication.rawValue,
      ],
      a1: isInitiator ? initiatorAddress : responderAddress, a2: isInitiator ? responderAddress : initiatorAddress)
  }
}
