// ECIES (Apple, SecKey.h, "SecKeyAlgorithm"; X9.63 5.8, AES-GCM). Values: SecKeyAdaptors.m of Security-61901.

internal import LatchkeyEnclaveKeys

extension SecKeyAlgorithm {
  /// ECIES, standard ECDH, key derived by X9.63 with SHA-1, a zero IV.
  public static let eciesEncryptionStandardX963SHA1AESGCM = SecKeyAlgorithm(
    "algid:encrypt:ECIES:ECDH:KDFX963:SHA1:AESGCM", .ecies(isCofactor: false, .sha1, hasVariableIV: false))
  /// ECIES, standard ECDH, key derived by X9.63 with SHA-224, a zero IV.
  public static let eciesEncryptionStandardX963SHA224AESGCM = SecKeyAlgorithm(
    "algid:encrypt:ECIES:ECDH:KDFX963:SHA224:AESGCM", .ecies(isCofactor: false, .sha224, hasVariableIV: false))
  /// ECIES, standard ECDH, key derived by X9.63 with SHA-256, a zero IV.
  public static let eciesEncryptionStandardX963SHA256AESGCM = SecKeyAlgorithm(
    "algid:encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM", .ecies(isCofactor: false, .sha256, hasVariableIV: false))
  /// ECIES, standard ECDH, key derived by X9.63 with SHA-384, a zero IV.
  public static let eciesEncryptionStandardX963SHA384AESGCM = SecKeyAlgorithm(
    "algid:encrypt:ECIES:ECDH:KDFX963:SHA384:AESGCM", .ecies(isCofactor: false, .sha384, hasVariableIV: false))
  /// ECIES, standard ECDH, key derived by X9.63 with SHA-512, a zero IV.
  public static let eciesEncryptionStandardX963SHA512AESGCM = SecKeyAlgorithm(
    "algid:encrypt:ECIES:ECDH:KDFX963:SHA512:AESGCM", .ecies(isCofactor: false, .sha512, hasVariableIV: false))
  /// ECIES, cofactor ECDH, key derived by X9.63 with SHA-1, a zero IV.
  public static let eciesEncryptionCofactorX963SHA1AESGCM = SecKeyAlgorithm(
    "algid:encrypt:ECIES:ECDHC:KDFX963:SHA1:AESGCM", .ecies(isCofactor: true, .sha1, hasVariableIV: false))
  /// ECIES, cofactor ECDH, key derived by X9.63 with SHA-224, a zero IV.
  public static let eciesEncryptionCofactorX963SHA224AESGCM = SecKeyAlgorithm(
    "algid:encrypt:ECIES:ECDHC:KDFX963:SHA224:AESGCM", .ecies(isCofactor: true, .sha224, hasVariableIV: false))
  /// ECIES, cofactor ECDH, key derived by X9.63 with SHA-256, a zero IV.
  public static let eciesEncryptionCofactorX963SHA256AESGCM = SecKeyAlgorithm(
    "algid:encrypt:ECIES:ECDHC:KDFX963:SHA256:AESGCM", .ecies(isCofactor: true, .sha256, hasVariableIV: false))
  /// ECIES, cofactor ECDH, key derived by X9.63 with SHA-384, a zero IV.
  public static let eciesEncryptionCofactorX963SHA384AESGCM = SecKeyAlgorithm(
    "algid:encrypt:ECIES:ECDHC:KDFX963:SHA384:AESGCM", .ecies(isCofactor: true, .sha384, hasVariableIV: false))
  /// ECIES, cofactor ECDH, key derived by X9.63 with SHA-512, a zero IV.
  public static let eciesEncryptionCofactorX963SHA512AESGCM = SecKeyAlgorithm(
    "algid:encrypt:ECIES:ECDHC:KDFX963:SHA512:AESGCM", .ecies(isCofactor: true, .sha512, hasVariableIV: false))
  /// ECIES, standard ECDH, key and IV derived by X9.63 with SHA-224.
  public static let eciesEncryptionStandardVariableIVX963SHA224AESGCM = SecKeyAlgorithm(
    "algid:encrypt:ECIES:ECDH:KDFX963:SHA224:AESGCM-KDFIV", .ecies(isCofactor: false, .sha224, hasVariableIV: true))
  /// ECIES, standard ECDH, key and IV derived by X9.63 with SHA-256.
  public static let eciesEncryptionStandardVariableIVX963SHA256AESGCM = SecKeyAlgorithm(
    "algid:encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM-KDFIV", .ecies(isCofactor: false, .sha256, hasVariableIV: true))
  /// ECIES, standard ECDH, key and IV derived by X9.63 with SHA-384.
  public static let eciesEncryptionStandardVariableIVX963SHA384AESGCM = SecKeyAlgorithm(
    "algid:encrypt:ECIES:ECDH:KDFX963:SHA384:AESGCM-KDFIV", .ecies(isCofactor: false, .sha384, hasVariableIV: true))
  /// ECIES, standard ECDH, key and IV derived by X9.63 with SHA-512.
  public static let eciesEncryptionStandardVariableIVX963SHA512AESGCM = SecKeyAlgorithm(
    "algid:encrypt:ECIES:ECDH:KDFX963:SHA512:AESGCM-KDFIV", .ecies(isCofactor: false, .sha512, hasVariableIV: true))
  /// ECIES, cofactor ECDH, key and IV derived by X9.63 with SHA-224.
  public static let eciesEncryptionCofactorVariableIVX963SHA224AESGCM = SecKeyAlgorithm(
    "algid:encrypt:ECIES:ECDHC:KDFX963:SHA224:AESGCM-KDFIV", .ecies(isCofactor: true, .sha224, hasVariableIV: true))
  /// ECIES, cofactor ECDH, key and IV derived by X9.63 with SHA-256.
  public static let eciesEncryptionCofactorVariableIVX963SHA256AESGCM = SecKeyAlgorithm(
    "algid:encrypt:ECIES:ECDHC:KDFX963:SHA256:AESGCM-KDFIV", .ecies(isCofactor: true, .sha256, hasVariableIV: true))
  /// ECIES, cofactor ECDH, key and IV derived by X9.63 with SHA-384.
  public static let eciesEncryptionCofactorVariableIVX963SHA384AESGCM = SecKeyAlgorithm(
    "algid:encrypt:ECIES:ECDHC:KDFX963:SHA384:AESGCM-KDFIV", .ecies(isCofactor: true, .sha384, hasVariableIV: true))
  /// ECIES, cofactor ECDH, key and IV derived by X9.63 with SHA-512.
  public static let eciesEncryptionCofactorVariableIVX963SHA512AESGCM = SecKeyAlgorithm(
    "algid:encrypt:ECIES:ECDHC:KDFX963:SHA512:AESGCM-KDFIV", .ecies(isCofactor: true, .sha512, hasVariableIV: true))

  /// All algorithms of this file.
  static let eciesEncryptions: [SecKeyAlgorithm] = [
    .eciesEncryptionStandardX963SHA1AESGCM, .eciesEncryptionStandardX963SHA224AESGCM,
    .eciesEncryptionStandardX963SHA256AESGCM, .eciesEncryptionStandardX963SHA384AESGCM,
    .eciesEncryptionStandardX963SHA512AESGCM, .eciesEncryptionCofactorX963SHA1AESGCM,
    .eciesEncryptionCofactorX963SHA224AESGCM, .eciesEncryptionCofactorX963SHA256AESGCM,
    .eciesEncryptionCofactorX963SHA384AESGCM, .eciesEncryptionCofactorX963SHA512AESGCM,
    .eciesEncryptionStandardVariableIVX963SHA224AESGCM, .eciesEncryptionStandardVariableIVX963SHA256AESGCM,
    .eciesEncryptionStandardVariableIVX963SHA384AESGCM, .eciesEncryptionStandardVariableIVX963SHA512AESGCM,
    .eciesEncryptionCofactorVariableIVX963SHA224AESGCM, .eciesEncryptionCofactorVariableIVX963SHA256AESGCM,
    .eciesEncryptionCofactorVariableIVX963SHA384AESGCM, .eciesEncryptionCofactorVariableIVX963SHA512AESGCM,
  ]
}
