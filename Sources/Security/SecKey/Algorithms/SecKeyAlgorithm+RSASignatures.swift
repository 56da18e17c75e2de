// RSA signatures (Apple, SecKey.h, "SecKeyAlgorithm"; RFC 8017 8). Values: SecKeyAdaptors.m of Security-61901.

internal import LatchkeyEnclaveKeys

extension SecKeyAlgorithm {
  /// RSA without padding of a block as long as the modulus.
  public static let rsaSignatureRaw = SecKeyAlgorithm("algid:sign:RSA:raw", .rsaSignatureRaw)
  /// PKCS #1 v1.5 of a DigestInfo that the caller supplies.
  public static let rsaSignatureDigestPKCS1v15Raw = SecKeyAlgorithm(
    "algid:sign:RSA:digest-PKCS1v15", .rsaPKCS1v15(.digest, nil))
  /// PKCS #1 v1.5 of a SHA-1 digest.
  public static let rsaSignatureDigestPKCS1v15SHA1 = SecKeyAlgorithm(
    "algid:sign:RSA:digest-PKCS1v15:SHA1", .rsaPKCS1v15(.digest, .sha1))
  /// PKCS #1 v1.5 of a SHA-224 digest.
  public static let rsaSignatureDigestPKCS1v15SHA224 = SecKeyAlgorithm(
    "algid:sign:RSA:digest-PKCS1v15:SHA224", .rsaPKCS1v15(.digest, .sha224))
  /// PKCS #1 v1.5 of a SHA-256 digest.
  public static let rsaSignatureDigestPKCS1v15SHA256 = SecKeyAlgorithm(
    "algid:sign:RSA:digest-PKCS1v15:SHA256", .rsaPKCS1v15(.digest, .sha256))
  /// PKCS #1 v1.5 of a SHA-384 digest.
  public static let rsaSignatureDigestPKCS1v15SHA384 = SecKeyAlgorithm(
    "algid:sign:RSA:digest-PKCS1v15:SHA384", .rsaPKCS1v15(.digest, .sha384))
  /// PKCS #1 v1.5 of a SHA-512 digest.
  public static let rsaSignatureDigestPKCS1v15SHA512 = SecKeyAlgorithm(
    "algid:sign:RSA:digest-PKCS1v15:SHA512", .rsaPKCS1v15(.digest, .sha512))
  /// PKCS #1 v1.5 of a message hashed with SHA-1.
  public static let rsaSignatureMessagePKCS1v15SHA1 = SecKeyAlgorithm(
    "algid:sign:RSA:message-PKCS1v15:SHA1", .rsaPKCS1v15(.message, .sha1))
  /// PKCS #1 v1.5 of a message hashed with SHA-224.
  public static let rsaSignatureMessagePKCS1v15SHA224 = SecKeyAlgorithm(
    "algid:sign:RSA:message-PKCS1v15:SHA224", .rsaPKCS1v15(.message, .sha224))
  /// PKCS #1 v1.5 of a message hashed with SHA-256.
  public static let rsaSignatureMessagePKCS1v15SHA256 = SecKeyAlgorithm(
    "algid:sign:RSA:message-PKCS1v15:SHA256", .rsaPKCS1v15(.message, .sha256))
  /// PKCS #1 v1.5 of a message hashed with SHA-384.
  public static let rsaSignatureMessagePKCS1v15SHA384 = SecKeyAlgorithm(
    "algid:sign:RSA:message-PKCS1v15:SHA384", .rsaPKCS1v15(.message, .sha384))
  /// PKCS #1 v1.5 of a message hashed with SHA-512.
  public static let rsaSignatureMessagePKCS1v15SHA512 = SecKeyAlgorithm(
    "algid:sign:RSA:message-PKCS1v15:SHA512", .rsaPKCS1v15(.message, .sha512))
  /// PSS of a SHA-1 digest, with a salt as long as the digest.
  public static let rsaSignatureDigestPSSSHA1 = SecKeyAlgorithm(
    "algid:sign:RSA:digest-PSS:SHA1:SHA1:20", .rsaPSS(.digest, .sha1))
  /// PSS of a SHA-224 digest, with a salt as long as the digest.
  public static let rsaSignatureDigestPSSSHA224 = SecKeyAlgorithm(
    "algid:sign:RSA:digest-PSS:SHA224:SHA224:24", .rsaPSS(.digest, .sha224))
  /// PSS of a SHA-256 digest, with a salt as long as the digest.
  public static let rsaSignatureDigestPSSSHA256 = SecKeyAlgorithm(
    "algid:sign:RSA:digest-PSS:SHA256:SHA256:32", .rsaPSS(.digest, .sha256))
  /// PSS of a SHA-384 digest, with a salt as long as the digest.
  public static let rsaSignatureDigestPSSSHA384 = SecKeyAlgorithm(
    "algid:sign:RSA:digest-PSS:SHA384:SHA384:48", .rsaPSS(.digest, .sha384))
  /// PSS of a SHA-512 digest, with a salt as long as the digest.
  public static let rsaSignatureDigestPSSSHA512 = SecKeyAlgorithm(
    "algid:sign:RSA:digest-PSS:SHA512:SHA512:64", .rsaPSS(.digest, .sha512))
  /// PSS of a message hashed with SHA-1, with a salt as long as the digest.
  public static let rsaSignatureMessagePSSSHA1 = SecKeyAlgorithm(
    "algid:sign:RSA:message-PSS:SHA1:SHA1:20", .rsaPSS(.message, .sha1))
  /// PSS of a message hashed with SHA-224, with a salt as long as the digest.
  public static let rsaSignatureMessagePSSSHA224 = SecKeyAlgorithm(
    "algid:sign:RSA:message-PSS:SHA224:SHA224:24", .rsaPSS(.message, .sha224))
  /// PSS of a message hashed with SHA-256, with a salt as long as the digest.
  public static let rsaSignatureMessagePSSSHA256 = SecKeyAlgorithm(
    "algid:sign:RSA:message-PSS:SHA256:SHA256:32", .rsaPSS(.message, .sha256))
  /// PSS of a message hashed with SHA-384, with a salt as long as the digest.
  public static let rsaSignatureMessagePSSSHA384 = SecKeyAlgorithm(
    "algid:sign:RSA:message-PSS:SHA384:SHA384:48", .rsaPSS(.message, .sha384))
  /// PSS of a message hashed with SHA-512, with a salt as long as the digest.
  public static let rsaSignatureMessagePSSSHA512 = SecKeyAlgorithm(
    "algid:sign:RSA:message-PSS:SHA512:SHA512:64", .rsaPSS(.message, .sha512))

  /// All algorithms of this file.
  static let rsaSignatures: [SecKeyAlgorithm] = [
    .rsaSignatureRaw, .rsaSignatureDigestPKCS1v15Raw, .rsaSignatureDigestPKCS1v15SHA1,
    .rsaSignatureDigestPKCS1v15SHA224, .rsaSignatureDigestPKCS1v15SHA256, .rsaSignatureDigestPKCS1v15SHA384,
    .rsaSignatureDigestPKCS1v15SHA512, .rsaSignatureMessagePKCS1v15SHA1, .rsaSignatureMessagePKCS1v15SHA224,
    .rsaSignatureMessagePKCS1v15SHA256, .rsaSignatureMessagePKCS1v15SHA384, .rsaSignatureMessagePKCS1v15SHA512,
    .rsaSignatureDigestPSSSHA1, .rsaSignatureDigestPSSSHA224, .rsaSignatureDigestPSSSHA256,
    .rsaSignatureDigestPSSSHA384, .rsaSignatureDigestPSSSHA512, .rsaSignatureMessagePSSSHA1,
    .rsaSignatureMessagePSSSHA224, .rsaSignatureMessagePSSSHA256, .rsaSignatureMessagePSSSHA384,
    .rsaSignatureMessagePSSSHA512,
  ]
}
