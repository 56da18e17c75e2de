package import LatchkeyByteCoding

/// Pairing on one link, in either role: legacy pairing and LE Secure Connections (Core 6.0 Vol 3 Part H 2).
///
/// One session lives as long as its link and carries at most one pairing at a time. Each pairing ends with one `finished`
/// or one `failed`. The central is the initiator. Time comes in with each call, randomness by the closure.
///
/// A PDU that its phase does not allow ends the pairing. A PDU that belongs to no pairing gets no answer, apart from a
/// Pairing Request. Reserved codes are ignored (3.3).
package struct PairingSession: Sendable {
  /// How long the peer may be silent (3.4).
  package static let timeout = Duration.seconds(30)
  /// How many keypress notifications extend that time: more than any user needs for six digits.
  static let maximumKeypresses = 128

  let role: LinkRole
  let localAddress: BluetoothAddress
  let peerAddress: BluetoothAddress
  /// What this end can do and requires; the owner may change it between two pairings.
  package var policy: PairingPolicy
  let identity: PairingIdentity?
  /// Out-of-band data of this end; one pairing uses them up.
  var localOutOfBand: LocalOutOfBandData?
  /// Whether a pairing has used them. The owner resets it, and gives them to no other session.
  var hasUsedOutOfBand = false
  /// A key pair that was made ahead; the next pairing that needs one uses it.
  var nextKeyPair: PairingKeyPair?
  private let random: @Sendable (Int) -> [UInt8]

  /// The waiting interval with this peer.
  package private(set) var attempts: PairingAttempts
  /// When `handleTimeout` is to be called; nil if nothing waits.
  package private(set) var nextDeadline: Duration?

  var progress: PairingProgress?
  /// After a timeout the link carries no SMP any more.
  private var isDead = false
  var outputs: [PairingOutput] = []

  /// A session for a new link.
  ///
  /// - Parameters:
  ///   - local: The address of this end with which the link was made, not its identity.
  ///   - peer: The address of the other end with which the link was made.
  ///   - identity: What this end distributes; nil if it has no IRK.
  ///   - localOutOfBand: The data that this end gave to the peer by another way.
  ///   - attempts: The value of the last session with this peer.
  ///   - random: As many random bytes as it is asked for, from a cryptographic source.
  package init(
    role: LinkRole, local: BluetoothAddress, peer: BluetoothAddress, policy: PairingPolicy,
    identity: PairingIdentity? = nil, localOutOfBand: LocalOutOfBandData? = nil,
    attempts: PairingAttempts = PairingAttempts(), random: @escaping @Sendable (Int) -> [UInt8]
  ) {
    self.role = role
    localAddress = local
    peerAddress = peer
    self.policy = policy
    self.identity = identity
    self.localOutOfBand = localOutOfBand
    self.attempts = attempts
    self.random = random
  }

  /// Whether a pairing is in progress.
  package var isPairing: Bool { progress != nil }

  /// Begins a pairing: a central sends a Pairing Request, a peripheral a Security Request. Nothing happens while a pairing is
  /// in progress.
  package mutating func begin(now: Duration) -> [PairingOutput] {
    guard progress == nil else { return [] }
    guard !isDead else { return [.failed(.timedOut)] }
    if let waitsUntil = attempts.waitsUntil, attempts.isWaiting(now: now) {
      return [.failed(.waiting(until: waitsUntil))]
    }
    return perform(now: now) { session throws(SMPReason) in
      if session.role == .central {
        session.sendRequest(now: now)
      } else {
        session.progress = PairingProgress(step: .securityRequest)
        session.send(SMPSecurityRequest(authentication: session.policy.authentication), now: now)
      }
    }
  }

  /// Handles an SMP PDU of the peer.
  package mutating func receive(_ pdu: ByteReader, now: Duration) -> [PairingOutput] {
    var parameters = pdu
    guard !isDead, let value = try? parameters.uint8("code"), let code = SMPCode(rawValue: value) else { return [] }
    return perform(now: now) { session throws(SMPReason) in
      try session.receive(code, parameters, now: now)
    }
  }

  /// Handles the user's answer. An answer to a question that is not asked is ignored.
  package mutating func answer(_ answer: PairingAnswer, now: Duration) -> [PairingOutput] {
    guard let progress else { return [] }
    return perform(now: now) { session throws(SMPReason) in
      if answer == .reject { throw progress.rejection }
      try session.receive(answer, now: now)
    }
  }

  /// Handles Encryption Change and Encryption Key Refresh Complete of the link.
  package mutating func encryptionChanged(isEncrypted: Bool, now: Duration) -> [PairingOutput] {
    guard let step = progress?.step else { return [] }
    switch step {
    case .encryption where isEncrypted:
      return perform(now: now) { session throws(SMPReason) in try session.distributeKeys(now: now) }
    case .encryption, .keys:
      if !isEncrypted { end(.encryptionFailed, now: now) }
    case .securityRequest:
      // The central has a key of an earlier pairing.
      if isEncrypted { end(nil, now: now) }
    case .response, .publicKey, .confirm, .random, .dhKeyCheck, .user: break
    }
    return dequeueOutputs()
  }

  /// Handles the passing of `nextDeadline`.
  package mutating func handleTimeout(now: Duration) -> [PairingOutput] {
    guard let nextDeadline, nextDeadline <= now else { return [] }
    isDead = true
    end(.timedOut, now: now)
    return dequeueOutputs()
  }

  /// Cancels a pairing in progress on the app's request.
  package mutating func cancel(now: Duration) -> [PairingOutput] {
    guard progress != nil else { return [] }
    send(SMPPairingFailed(reason: .unspecifiedReason), now: now)
    end(.canceled, now: now)
    return dequeueOutputs()
  }

  /// Ends a pairing in progress when the link has ended. No other call has an effect from here on.
  package mutating func linkEnded(now: Duration) -> [PairingOutput] {
    isDead = true
    end(.linkEnded, now: now)
    return dequeueOutputs()
  }
}

extension PairingSession: CustomReflectable {
  /// No secret of a pairing in progress.
  package var customMirror: Mirror { Mirror(self, children: ["role": role, "isPairing": isPairing]) }
}

extension PairingSession {
  /// Runs a step. The reason that it throws is sent to the peer and ends the pairing.
  private mutating func perform(
    now: Duration, _ step: (inout PairingSession) throws(SMPReason) -> Void
  ) -> [PairingOutput] {
    do {
      try step(&self)
    } catch {
      send(SMPPairingFailed(reason: error), now: now)
      end(.refused(error), now: now)
    }
    return dequeueOutputs()
  }

  private mutating func dequeueOutputs() -> [PairingOutput] {
    defer { outputs = [] }
    return outputs
  }

  /// Sends a PDU, which resets the timer of a pairing (3.4).
  mutating func send(_ pdu: some SMPPDU, now: Duration) {
    outputs.append(.send(pdu.frame()))
    restartTimer(now: now)
  }

  /// Restarts the timer of a pairing in progress.
  mutating func restartTimer(now: Duration) {
    nextDeadline = progress == nil ? nil : now + Self.timeout
  }

  /// Ends the pairing in progress, if there is one, with a failure, or without a result.
  mutating func end(_ failure: PairingFailure?, now: Duration) {
    guard let progress else { return }
    if let failure {
      if progress.isPastFeatures && failure != .canceled { attempts.fail(now: now) }
      outputs.append(.failed(failure))
    }
    release()
  }

  /// Ends the pairing in progress with a bond.
  mutating func finish(_ bond: Bond) {
    attempts = PairingAttempts()
    outputs.append(.finished(bond))
    release()
  }

  private mutating func release() {
    progress = nil
    nextDeadline = nil
  }

  /// Random bytes, not all of them zero: a source that is broken ends the pairing.
  func draw(_ count: Int) throws(SMPReason) -> [UInt8] {
    let bytes = random(count)
    guard bytes.count == count, !constantTimeIsZero(bytes) else { throw .unspecifiedReason }
    return bytes
  }

  /// A random key or nonce.
  func drawKey() throws(SMPReason) -> SecurityKey {
    var bytes = try draw(SecurityKey.byteCount)
    guard let key = SecurityKey(consuming: &bytes) else { throw .unspecifiedReason }
    return key
  }

  /// The result of the first candidate, of `count` random bytes, that `make` accepts. Each refuses less than one in 10,000, so
  /// that a source which has none in eight is broken.
  func drawUntil<Value>(_ count: Int, _ make: ([UInt8]) -> Value?) throws(SMPReason) -> Value {
    for _ in 0..<8 {
      var candidate = try draw(count)
      defer { candidate.wipe() }
      if let value = make(candidate) { return value }
    }
    throw .unspecifiedReason
  }
}
