import LatchkeyByteCoding

/// The distribution of keys on the encrypted link: first those of the responder, then those of the initiator (Core 6.0
/// Vol 3 Part H 2.4.3, 3.6.1).
extension PairingSession {
  /// Begins the distribution, once the link is encrypted with the key of this pairing.
  mutating func distributeKeys(now: Duration) throws(SMPReason) {
    guard let progress, let linkKey = progress.linkKey, let request = progress.request,
      let response = progress.response
    else { throw .unspecifiedReason }
    var bond = Bond(
      identity: peerAddress,
      isPersistent: request.authentication.isBonding && response.authentication.isBonding)
    if progress.isSecureConnections {
      bond.keyAsCentral = linkKey
      bond.keyAsPeripheral = linkKey
    }
    self.progress?.bond = bond
    self.progress?.step = .keys
    let codes = Self.codes(of: agreedKeys(ofPeer: true))
    self.progress?.keysToReceive = codes
    if role == .peripheral { try sendKeys(now: now) }
    try finishDistribution(now: now)
  }

  /// Handles the next key of the peer.
  mutating func receiveKey(_ code: SMPCode, _ parameters: ByteReader, now: Duration) throws(SMPReason) {
    guard let progress, var bond = progress.bond, let linkKey = progress.linkKey else { throw .unspecifiedReason }
    switch code {
    case .encryptionInformation:
      // Bytes beyond the agreed size are no part of the key, whatever the peer sends there.
      let key = try decode(SMPEncryptionInformation.self, parameters).longTermKey.masked(toSize: linkKey.size)
      guard !key.isZero else { throw .keyRejected }
      bond.keyAsCentral = linkKey
      bond.keyAsCentral?.key = key
    case .centralIdentification:
      let identification = try decode(SMPCentralIdentification.self, parameters)
      bond.keyAsCentral?.encryptedDiversifier = identification.encryptedDiversifier
      bond.keyAsCentral?.randomNumber = identification.randomNumber
    case .identityInformation:
      let key = try decode(SMPIdentityInformation.self, parameters).resolvingKey
      bond.peerResolvingKey = key.isZero ? nil : key
    case .identityAddressInformation:
      bond.identity = try decode(SMPIdentityAddressInformation.self, parameters).address
    case .signingInformation:
      bond.peerSigningKey = try decode(SMPSigningInformation.self, parameters).signatureKey
    default: throw .unspecifiedReason
    }
    self.progress?.bond = bond
    self.progress?.keysToReceive.removeFirst()
    try finishDistribution(now: now)
  }

  /// Ends the pairing once all keys have come; a central then sends its own.
  private mutating func finishDistribution(now: Duration) throws(SMPReason) {
    guard progress?.keysToReceive.isEmpty == true else { return }
    if role == .central { try sendKeys(now: now) }
    if let bond = progress?.bond { finish(bond) }
  }

  /// Sends the keys of this end that both ends agreed on.
  private mutating func sendKeys(now: Duration) throws(SMPReason) {
    guard let progress, var key = progress.linkKey else { throw .unspecifiedReason }
    let keys = agreedKeys(ofPeer: false)
    if keys.contains(.encryptionKey) {
      key.key = try drawKey().masked(toSize: key.size)
      var numbers = ByteReader(try draw(10))
      guard let diversifier = try? numbers.uint16("EDIV"), let number = try? numbers.uint64("Rand") else {
        throw .unspecifiedReason
      }
      key.encryptedDiversifier = diversifier
      key.randomNumber = number
      self.progress?.bond?.keyAsPeripheral = key
      send(SMPEncryptionInformation(longTermKey: key.key), now: now)
      send(SMPCentralIdentification(encryptedDiversifier: diversifier, randomNumber: number), now: now)
    }
    if keys.contains(.identityKey), let identity {
      self.progress?.bond?.localIdentity = identity
      send(SMPIdentityInformation(resolvingKey: identity.resolvingKey), now: now)
      send(SMPIdentityAddressInformation(address: identity.address), now: now)
    }
    if keys.contains(.signingKey) {
      let signatureKey = try drawKey()
      self.progress?.bond?.localSigningKey = signatureKey
      send(SMPSigningInformation(signatureKey: signatureKey), now: now)
    }
  }

  /// The kinds of keys that one end distributes by PDUs. Secure Connections has computed the LTK (2.4.3).
  private func agreedKeys(ofPeer: Bool) -> SMPKeyDistribution {
    guard let progress, let request = progress.request, let response = progress.response else { return [] }
    let isInitiator = (role == .central) != ofPeer
    let keys =
      isInitiator
      ? request.initiatorKeys.intersection(response.initiatorKeys)
      : request.responderKeys.intersection(response.responderKeys)
    return progress.isSecureConnections ? keys.subtracting(.encryptionKey) : keys
  }

  /// The PDUs that carry the keys, in the order of 3.6.1.
  private static func codes(of keys: SMPKeyDistribution) -> [SMPCode] {
    var codes: [SMPCode] = []
    if keys.contains(.encryptionKey) { codes += [.encryptionInformation, .centralIdentification] }
    if keys.contains(.identityKey) { codes += [.identityInformation, .identityAddressInformation] }
    if keys.contains(.signingKey) { codes.append(.signingInformation) }
    return codes
  }
}
