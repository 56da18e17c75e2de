// ECDH (Apple, SecKey.h, "SecKeyAlgorithm"; X9.63 5.4, 5.6.3). Values: SecKeyAdaptors.m of Security-61901.

internal import LatchkeyEnclaveKeys

extension SecKeyAlgorithm {
  /// ECDH: the x coordinate.
  public static let ecdhKeyExchangeStandard = SecKeyAlgorithm("algid:keyexchange:ECDH", .ecdh(isCofactor: false, nil))
  /// ECDH: X9.63 key derivation with SHA-1.
  public static let ecdhKeyExchangeStandardX963SHA1 = SecKeyAlgorithm(
    "algid:keyexchange:ECDH:KDFX963:SHA1", .ecdh(isCofactor: false, .sha1))
  /// ECDH: X9.63 key derivation with SHA-224.
  public static let ecdhKeyExchangeStandardX963SHA224 = SecKeyAlgorithm(
    "algid:keyexchange:ECDH:KDFX963:SHA224", .ecdh(isCofactor: false, .sha224))
  /// ECDH: X9.63 key derivation with SHA-256.
  public static let ecdhKeyExchangeStandardX963SHA256 = SecKeyAlgorithm(
    "algid:keyexchange:ECDH:KDFX963:SHA256", .ecdh(isCofactor: false, .sha256))
  /// ECDH: X9.63 key derivation with SHA-384.
  public static let ecdhKeyExchangeStandardX963SHA384 = SecKeyAlgorithm(
    "algid:keyexchange:ECDH:KDFX963:SHA384", .ecdh(isCofactor: false, .sha384))
  /// ECDH: X9.63 key derivation with SHA-512.
  public static let ecdhKeyExchangeStandardX963SHA512 = SecKeyAlgorithm(
    "algid:keyexchange:ECDH:KDFX963:SHA512", .ecdh(isCofactor: false, .sha512))
  /// ECDH with cofactor: the x coordinate.
  public static let ecdhKeyExchangeCofactor = SecKeyAlgorithm("algid:keyexchange:ECDHC", .ecdh(isCofactor: true, nil))
  /// ECDH with cofactor: X9.63 key derivation with SHA-1.
  public static let ecdhKeyExchangeCofactorX963SHA1 = SecKeyAlgorithm(
    "algid:keyexchange:ECDHC:KDFX963:SHA1", .ecdh(isCofactor: true, .sha1))
  /// ECDH with cofactor: X9.63 key derivation with SHA-224.
  public static let ecdhKeyExchangeCofactorX963SHA224 = SecKeyAlgorithm(
    "algid:keyexchange:ECDHC:KDFX963:SHA224", .ecdh(isCofactor: true, .sha224))
  /// ECDH with cofactor: X9.63 key derivation with SHA-256.
  public static let ecdhKeyExchangeCofactorX963SHA256 = SecKeyAlgorithm(
    "algid:keyexchange:ECDHC:KDFX963:SHA256", .ecdh(isCofactor: true, .sha256))
  /// ECDH with cofactor: X9.63 key derivation with SHA-384.
  public static let ecdhKeyExchangeCofactorX963SHA384 = SecKeyAlgorithm(
    "algid:keyexchange:ECDHC:KDFX963:SHA384", .ecdh(isCofactor: true, .sha384))
  /// ECDH with cofactor: X9.63 key derivation with SHA-512.
  public static let ecdhKeyExchangeCofactorX963SHA512 = SecKeyAlgorithm(
    "algid:keyexchange:ECDHC:KDFX963:SHA512", .ecdh(isCofactor: true, .sha512))

  /// All algorithms of this file.
  static let ecdhKeyExchanges: [SecKeyAlgorithm] = [
    .ecdhKeyExchangeStandard, .ecdhKeyExchangeStandardX963SHA1, .ecdhKeyExchangeStandardX963SHA224,
    .ecdhKeyExchangeStandardX963SHA256, .ecdhKeyExchangeStandardX963SHA384, .ecdhKeyExchangeStandardX963SHA512,
    .ecdhKeyExchangeCofactor, .ecdhKeyExchangeCofactorX963SHA1, .ecdhKeyExchangeCofactorX963SHA224,
    .ecdhKeyExchangeCofactorX963SHA256, .ecdhKeyExchangeCofactorX963SHA384, .ecdhKeyExchangeCofactorX963SHA512,
  ]
}
