import Crypto
package import LatchkeyByteCoding

/// ML-KEM-768 (FIPS 203), which is swift-crypto's, in bytes.
package enum MLKEM {
  package static let publicKeyLength = 1184
  package static let ciphertextLength = 1088
  package static let secretLength = 32
  package static let seedLength = 64

  /// Encapsulates a fresh secret; nil if the bytes are no public key.
  @Sendable
  package static func encapsulate(_ publicKey: [UInt8]) -> (ciphertext: [UInt8], secret: SecretBytes)? {
    guard publicKey.count == publicKeyLength, let key = try? MLKEM768.PublicKey(rawRepresentation: publicKey),
      let result = try? key.encapsulate()
    else { return nil }
    return (Array(result.encapsulated), result.sharedSecret.withUnsafeBytes { SecretBytes($0) })
  }

  /// The public key of a seed, d and z; nil if there is none.
  package static func publicKey(seed: SecretBytes) -> [UInt8]? {
    guard let key = privateKey(seed) else { return nil }
    return Array(key.publicKey.rawRepresentation)
  }

  /// The secret inside a ciphertext. One that was made for another key gives a secret that nobody else has.
  package static func decapsulate(_ ciphertext: [UInt8], seed: SecretBytes) -> SecretBytes? {
    guard ciphertext.count == ciphertextLength, let key = privateKey(seed),
      let secret = try? key.decapsulate(ciphertext)
    else { return nil }
    return secret.withUnsafeBytes { SecretBytes($0) }
  }

  private static func privateKey(_ seed: SecretBytes) -> MLKEM768.PrivateKey? {
    guard seed.count == seedLength else { return nil }
    var bytes = seed.array()
    defer { bytes.wipe() }
    return try? MLKEM768.PrivateKey(seedRepresentation: bytes, publicKey: nil)
  }
}
