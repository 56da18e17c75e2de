import Crypto
package import LatchkeyByteCoding

/// What a side of the secure protocol draws at random: the shell gives the system's bytes, tests fixed ones. ML-KEM draws its own.
package struct SecureRandomness: Sendable {
  /// An encapsulated key and the secret inside; nil if the public key is none (FIPS 203 7.2).
  package typealias Encapsulation = @Sendable (_ publicKey: [UInt8]) -> (ciphertext: [UInt8], secret: SecretBytes)?

  /// So many random bytes.
  package var bytes: @Sendable (Int) -> [UInt8]
  /// Draws a secret and encapsulates it by ML-KEM-768.
  package var encapsulate: Encapsulation

  package init(
    bytes: @escaping @Sendable (Int) -> [UInt8], encapsulate: @escaping Encapsulation = MLKEM.encapsulate
  ) {
    self.bytes = bytes
    self.encapsulate = encapsulate
  }

  /// Random bytes that are wiped.
  func secret(_ count: Int) -> SecretBytes {
    var drawn = bytes(count)
    return SecretBytes(consuming: &drawn)
  }
}
