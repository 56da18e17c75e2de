/// Limits that follow from an RSA key's size.
enum RSASizes {
  /// The accepted sizes of a modulus in bits: BoringSSL accepts none above.
  static let readable = 1024...8192

  /// Whether a key of this size can be generated: BoringSSL generates multiples of 128 bits.
  static func canGenerate(_ bits: Int) -> Bool { readable.contains(bits) && bits.isMultiple(of: 128) }

  /// The bytes of a signature or a ciphertext.
  static func blockByteCount(_ bits: Int) -> Int { (bits + 7) / 8 }

  /// Whether PSS with this digest, and a salt as long, fits (RFC 8017 9.1.1).
  static func hasRoomForPSS(_ bits: Int, _ digest: DigestAlgorithm) -> Bool {
    (bits - 1 + 7) / 8 >= 2 * digest.byteCount + 2
  }

  /// The maximum bytes of a text under OAEP with this digest (RFC 8017 7.1.1); below 0, not even an empty text fits.
  static func longestOAEPText(_ bits: Int, _ digest: DigestAlgorithm) -> Int {
    blockByteCount(bits) - 2 * digest.byteCount - 2
  }

  /// The maximum bytes of a text under PKCS #1's older padding (RFC 8017 7.2.1).
  static func longestPKCS1Text(_ bits: Int) -> Int { blockByteCount(bits) - 11 }

  /// The bytes of the AES key for a key of this size (SecKey.h, kSecKeyAlgorithmRSAEncryptionOAEP…AESGCM).
  static func sessionKeyByteCount(_ bits: Int) -> Int { bits >= 4096 ? 32 : 16 }
}
