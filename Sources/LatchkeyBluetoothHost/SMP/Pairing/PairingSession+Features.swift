import LatchkeyByteCoding

/// The exchange of features (Core 6.0 Vol 3 Part H 2.3, 3.5.1, 3.5.2).
extension PairingSession {
  /// Sends a Pairing Request.
  mutating func sendRequest(now: Duration) {
    let features = policy.request(hasIdentity: identity != nil)
    progress = PairingProgress(step: .response)
    progress?.request = features
    send(SMPPairingRequest(features: features), now: now)
  }

  /// Handles a Pairing Request, which begins a pairing.
  mutating func receiveRequest(_ parameters: ByteReader, now: Duration) throws(SMPReason) {
    guard role == .peripheral else { throw .commandNotSupported }
    guard progress == nil || progress?.awaited == .pairingRequest else { throw .unspecifiedReason }
    let request = try decode(SMPPairingRequest.self, parameters).features
    guard policy.acceptsPairing else { throw .pairingNotSupported }
    guard !attempts.isWaiting(now: now) else { throw .repeatedAttempts }
    let response = policy.response(to: request, hasIdentity: identity != nil)
    progress = PairingProgress(step: .confirm)
    progress?.request = request
    try agree(request, response)
    send(SMPPairingResponse(features: response), now: now)
    try beginMethod(now: now)
  }

  /// Handles a Pairing Response.
  mutating func receiveResponse(_ response: SMPPairingFeatures, now: Duration) throws(SMPReason) {
    guard let request = progress?.request else { throw .unspecifiedReason }
    // A responder clears bits of the request and sets none (3.6.1).
    guard response.initiatorKeys.intersection(.all).isSubset(of: request.initiatorKeys),
      response.responderKeys.intersection(.all).isSubset(of: request.responderKeys)
    else { throw .invalidParameters }
    try agree(request, response)
    try beginMethod(now: now)
  }

  /// Validates that both sets of features lead to the security that the policy requires.
  private mutating func agree(_ request: SMPPairingFeatures, _ response: SMPPairingFeatures) throws(SMPReason) {
    let keySize = Int(min(request.maximumKeySize, response.maximumKeySize))
    let method = PairingMethod(initiator: request, responder: response)
    let isSecureConnections = PairingMethod.usesSecureConnections(request, response)
    guard keySize >= policy.leastKeySize else { throw .encryptionKeySize }
    guard isSecureConnections || !policy.requiresSecureConnections else { throw .authenticationRequirements }
    guard method.isAuthenticated || policy.protection != .required else { throw .authenticationRequirements }
    progress?.response = response
    progress?.keySize = keySize
    progress?.method = method
    progress?.isSecureConnections = isSecureConnections
    let peer = role == .central ? response : request
    guard isSecureConnections, peer.hasOutOfBandData else { return }
    guard let localOutOfBand else { throw .outOfBandNotAvailable }
    progress?.localOutOfBandRandom = localOutOfBand.random
  }

  private mutating func beginMethod(now: Duration) throws(SMPReason) {
    if progress?.isSecureConnections == true {
      try beginSecureConnections(now: now)
    } else {
      try beginLegacy(now: now)
    }
  }
}
