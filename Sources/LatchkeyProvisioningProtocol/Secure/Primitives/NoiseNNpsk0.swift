import Crypto
import LatchkeyByteCoding

/// One side of `Noise_NNpsk0_25519_ChaChaPoly_SHA256` (The Noise Protocol Framework, revision 34).
struct NoiseNNpsk0: Sendable {
  /// What a finished handshake gives.
  struct Outcome: Sendable {
    /// The handshake hash, 32 bytes.
    let hash: [UInt8]
    /// The key from initiator to responder, and the other one.
    let initiatorKey: SymmetricKey
    let responderKey: SymmetricKey
  }

  private var chaining: SecretBytes
  private var hash: [UInt8]
  private var cipher: SecureRecordCipher?
  private let secret: SecretBytes

  /// - Parameter secret: This side's ephemeral key, 32 bytes, for one handshake.
  init(prologue: [UInt8], preSharedKey: SecretBytes, secret: SecretBytes) {
    hash = Array(SHA256.hash(data: Array("Noise_NNpsk0_25519_ChaChaPoly_SHA256".utf8)))
    chaining = SecretBytes(hash)
    self.secret = secret
    mixHash(prologue)
    // The token psk, with which either side begins.
    let output = Self.expanded(chaining, preSharedKey, count: 96)
    chaining = output.copy(0..<32)
    mixHash(output.array(32..<64))
    cipher = SecureRecordCipher(output.copy(64..<96))
  }

  /// The next message without DH: an initiator's first one, `-> psk, e`.
  mutating func firstMessage(payload: [UInt8] = []) -> [UInt8]? {
    guard let own = sendEphemeral(), let sealed = encrypt(payload) else { return nil }
    return own + sealed
  }

  /// Reads the initiator's message; its payload and its key, or nil if it does not verify.
  mutating func readFirst(_ message: [UInt8]) -> (payload: [UInt8], peer: [UInt8])? {
    guard message.count >= X25519.length + SecureRecordCipher.tagLength else { return nil }
    let peer = Array(message[..<X25519.length])
    receiveEphemeral(peer)
    guard let payload = decrypt(Array(message[X25519.length...])) else { return nil }
    return (payload, peer)
  }

  /// The responder's message, `<- e, ee`.
  mutating func secondMessage(to peer: [UInt8], payload: [UInt8] = []) -> [UInt8]? {
    guard let own = sendEphemeral(), mixShared(with: peer), let sealed = encrypt(payload) else { return nil }
    return own + sealed
  }

  /// Reads the responder's message; its payload, or nil if it does not verify.
  mutating func readSecond(_ message: [UInt8]) -> [UInt8]? {
    guard message.count >= X25519.length + SecureRecordCipher.tagLength else { return nil }
    let peer = Array(message[..<X25519.length])
    receiveEphemeral(peer)
    guard mixShared(with: peer) else { return nil }
    return decrypt(Array(message[X25519.length...]))
  }

  /// Split(), after the second message.
  func split() -> Outcome {
    let output = Self.expanded(chaining, SecretBytes(count: 0), count: 64)
    return Outcome(
      hash: hash, initiatorKey: output.withUnsafeBytes(in: 0..<32) { SymmetricKey(data: $0) },
      responderKey: output.withUnsafeBytes(in: 32..<64) { SymmetricKey(data: $0) })
  }

  private mutating func sendEphemeral() -> [UInt8]? {
    guard let own = X25519.publicKey(secret) else { return nil }
    receiveEphemeral(own)
    return own
  }

  /// Token e: with a pre-shared key the public key enters the key, too (9.2).
  private mutating func receiveEphemeral(_ key: [UInt8]) {
    mixHash(key)
    mixKey(SecretBytes(key))
  }

  /// Token ee.
  private mutating func mixShared(with peer: [UInt8]) -> Bool {
    guard let shared = X25519.multiply(secret, peer) else { return false }
    mixKey(shared)
    return true
  }

  private mutating func mixHash(_ bytes: [UInt8]) { hash = Array(SHA256.hash(data: hash + bytes)) }

  private mutating func mixKey(_ material: SecretBytes) {
    let output = Self.expanded(chaining, material, count: 64)
    chaining = output.copy(0..<32)
    cipher = SecureRecordCipher(output.copy(32..<64))
  }

  private mutating func encrypt(_ payload: [UInt8]) -> [UInt8]? {
    guard let sealed = cipher?.seal(payload, authenticating: hash) else { return nil }
    mixHash(sealed)
    return sealed
  }

  private mutating func decrypt(_ sealed: [UInt8]) -> [UInt8]? {
    guard let payload = cipher?.open(sealed, authenticating: hash) else { return nil }
    mixHash(sealed)
    return payload
  }

  /// Noise's HKDF (4.3), which is RFC 5869's with an empty info.
  static func expanded(_ chaining: SecretBytes, _ material: SecretBytes, count: Int) -> SecretBytes {
    var authentication = HMAC<SHA256>(key: chaining.withUnsafeBytes { SymmetricKey(data: $0) })
    material.withUnsafeBytes { authentication.update(data: $0) }
    let key = HKDF<SHA256>.expand(
      pseudoRandomKey: authentication.finalize(), info: [UInt8](), outputByteCount: count)
    return key.withUnsafeBytes { SecretBytes($0) }
  }
}
