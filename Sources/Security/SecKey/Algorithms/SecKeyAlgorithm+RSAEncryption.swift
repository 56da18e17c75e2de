// RSA encryption (Apple, SecKey.h, "SecKeyAlgorithm"; RFC 8017 7). Values: SecKeyAdaptors.m of Security-61901.

internal import LatchkeyEnclaveKeys

extension SecKeyAlgorithm {
  /// RSA without padding.
  public static let rsaEncryptionRaw = SecKeyAlgorithm("algid:encrypt:RSA:raw", .rsaEncryptionRaw)
  /// RSA with the padding of PKCS #1 v1.5.
  public static let rsaEncryptionPKCS1 = SecKeyAlgorithm("algid:encrypt:RSA:PKCS1", .rsaEncryptionPKCS1)
  /// RSA with OAEP and SHA-1.
  public static let rsaEncryptionOAEPSHA1 = SecKeyAlgorithm("algid:encrypt:RSA:OAEP:SHA1", .rsaOAEP(.sha1))
  /// RSA with OAEP and SHA-224.
  public static let rsaEncryptionOAEPSHA224 = SecKeyAlgorithm("algid:encrypt:RSA:OAEP:SHA224", .rsaOAEP(.sha224))
  /// RSA with OAEP and SHA-256.
  public static let rsaEncryptionOAEPSHA256 = SecKeyAlgorithm("algid:encrypt:RSA:OAEP:SHA256", .rsaOAEP(.sha256))
  /// RSA with OAEP and SHA-384.
  public static let rsaEncryptionOAEPSHA384 = SecKeyAlgorithm("algid:encrypt:RSA:OAEP:SHA384", .rsaOAEP(.sha384))
  /// RSA with OAEP and SHA-512.
  public static let rsaEncryptionOAEPSHA512 = SecKeyAlgorithm("algid:encrypt:RSA:OAEP:SHA512", .rsaOAEP(.sha512))
  /// AES-GCM of the text, with its key encrypted by RSA with OAEP and SHA-1.
  public static let rsaEncryptionOAEPSHA1AESGCM = SecKeyAlgorithm(
    "algid:encrypt:RSA:OAEP:SHA1:AESGCM", .rsaOAEPAESGCM(.sha1))
  /// AES-GCM of the text, with its key encrypted by RSA with OAEP and SHA-224.
  public static let rsaEncryptionOAEPSHA224AESGCM = SecKeyAlgorithm(
    "algid:encrypt:RSA:OAEP:SHA224:AESGCM", .rsaOAEPAESGCM(.sha224))
  /// AES-GCM of the text, with its key encrypted by RSA with OAEP and SHA-256.
  public static let rsaEncryptionOAEPSHA256AESGCM = SecKeyAlgorithm(
    "algid:encrypt:RSA:OAEP:SHA256:AESGCM", .rsaOAEPAESGCM(.sha256))
  /// AES-GCM of the text, with its key encrypted by RSA with OAEP and SHA-384.
  public static let rsaEncryptionOAEPSHA384AESGCM = SecKeyAlgorithm(
    "algid:encrypt:RSA:OAEP:SHA384:AESGCM", .rsaOAEPAESGCM(.sha384))
  /// AES-GCM of the text, with its key encrypted by RSA with OAEP and SHA-512.
  public static let rsaEncryptionOAEPSHA512AESGCM = SecKeyAlgorithm(
    "algid:encrypt:RSA:OAEP:SHA512:AESGCM", .rsaOAEPAESGCM(.sha512))

  /// All algorithms of this file.
  static let rsaEncryptions: [SecKeyAlgorithm] = [
    .rsaEncryptionRaw, .rsaEncryptionPKCS1, .rsaEncryptionOAEPSHA1, .rsaEncryptionOAEPSHA224,
    .rsaEncryptionOAEPSHA256, .rsaEncryptionOAEPSHA384, .rsaEncryptionOAEPSHA512, .rsaEncryptionOAEPSHA1AESGCM,
    .rsaEncryptionOAEPSHA224AESGCM, .rsaEncryptionOAEPSHA256AESGCM, .rsaEncryptionOAEPSHA384AESGCM,
    .rsaEncryptionOAEPSHA512AESGCM,
  ]
}
