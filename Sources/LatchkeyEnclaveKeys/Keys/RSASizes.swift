/// What an RSA key's size allows.
enum RSASizes {
  /// Moduli that are read: BoringSSL takes none above.
  static let readable = 1024...8192

  /// Whether a key of so many bits is made: BoringSSL makes multiples of 128.
  static func canGenerate(_ bits: Int) -> Bool { readable.contains(bits) && bits.isMultiple(of: 128) }

  /// How many bytes a signature or a ciphertext has.
  static func blockByteCount(_ bits: Int) -> Int { (bits + 7) / 8 }

  /// Whether PSS with this digest, and a salt as long, has room (RFC 8017 9.1.1).
  static func hasRoomForPSS(_ bits: Int, _ digest: DigestAlgorithm) -> Bool {
    (bits - 1 + 7) / 8 >= 2 * digest.byteCount + 2
  }

  /// The longest text that OAEP with this digest takes (RFC 8017 7.1.1); below 0: not even none.
  static func longestOAEPText(_ bits: Int, _ digest: DigestAlgorithm) -> Int {
    blockByteCount(bits) - 2 * digest.byteCount - 2
  }

  /// The longest text that PKCS #1's older padding takes (RFC 8017 7.2.1).
  static func longestPKCS1Text(_ bits: Int) -> Int { blockByteCount(bits) - 11 }

  /// How long the AES key is that goes with so many bits (SecKey.h, kSecKeyAlgorithmRSAEncryptionOAEP…AESGCM).
  static func sessionKeyByteCount(_ bits: Int) -> Int { bits >= 4096 ? 32 : 16 }
}
