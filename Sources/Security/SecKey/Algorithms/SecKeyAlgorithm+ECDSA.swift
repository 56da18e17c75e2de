// ECDSA (Apple, SecKey.h, "SecKeyAlgorithm"; FIPS 186-4 6). Values: SecKeyAdaptors.m of Security-61901.

internal import LatchkeyEnclaveKeys

extension SecKeyAlgorithm {
  /// ECDSA of a digest of any length; a DER sequence.
  public static let ecdsaSignatureDigestX962 = SecKeyAlgorithm(
    "algid:sign:ECDSA:digest-X962", .ecdsa(.digest, nil, .x962))
  /// ECDSA of a SHA-1 digest; a DER sequence.
  public static let ecdsaSignatureDigestX962SHA1 = SecKeyAlgorithm(
    "algid:sign:ECDSA:digest-X962:SHA1", .ecdsa(.digest, .sha1, .x962))
  /// ECDSA of a SHA-224 digest; a DER sequence.
  public static let ecdsaSignatureDigestX962SHA224 = SecKeyAlgorithm(
    "algid:sign:ECDSA:digest-X962:SHA224", .ecdsa(.digest, .sha224, .x962))
  /// ECDSA of a SHA-256 digest; a DER sequence.
  public static let ecdsaSignatureDigestX962SHA256 = SecKeyAlgorithm(
    "algid:sign:ECDSA:digest-X962:SHA256", .ecdsa(.digest, .sha256, .x962))
  /// ECDSA of a SHA-384 digest; a DER sequence.
  public static let ecdsaSignatureDigestX962SHA384 = SecKeyAlgorithm(
    "algid:sign:ECDSA:digest-X962:SHA384", .ecdsa(.digest, .sha384, .x962))
  /// ECDSA of a SHA-512 digest; a DER sequence.
  public static let ecdsaSignatureDigestX962SHA512 = SecKeyAlgorithm(
    "algid:sign:ECDSA:digest-X962:SHA512", .ecdsa(.digest, .sha512, .x962))
  /// ECDSA of a message hashed with SHA-1; a DER sequence.
  public static let ecdsaSignatureMessageX962SHA1 = SecKeyAlgorithm(
    "algid:sign:ECDSA:message-X962:SHA1", .ecdsa(.message, .sha1, .x962))
  /// ECDSA of a message hashed with SHA-224; a DER sequence.
  public static let ecdsaSignatureMessageX962SHA224 = SecKeyAlgorithm(
    "algid:sign:ECDSA:message-X962:SHA224", .ecdsa(.message, .sha224, .x962))
  /// ECDSA of a message hashed with SHA-256; a DER sequence.
  public static let ecdsaSignatureMessageX962SHA256 = SecKeyAlgorithm(
    "algid:sign:ECDSA:message-X962:SHA256", .ecdsa(.message, .sha256, .x962))
  /// ECDSA of a message hashed with SHA-384; a DER sequence.
  public static let ecdsaSignatureMessageX962SHA384 = SecKeyAlgorithm(
    "algid:sign:ECDSA:message-X962:SHA384", .ecdsa(.message, .sha384, .x962))
  /// ECDSA of a message hashed with SHA-512; a DER sequence.
  public static let ecdsaSignatureMessageX962SHA512 = SecKeyAlgorithm(
    "algid:sign:ECDSA:message-X962:SHA512", .ecdsa(.message, .sha512, .x962))
  /// ECDSA of a digest of any length; r and s, concatenated.
  public static let ecdsaSignatureDigestRFC4754 = SecKeyAlgorithm(
    "algid:sign:ECDSA:digest-RFC4754", .ecdsa(.digest, nil, .rfc4754))
  /// ECDSA of a SHA-1 digest; r and s, concatenated.
  public static let ecdsaSignatureDigestRFC4754SHA1 = SecKeyAlgorithm(
    "algid:sign:ECDSA:digest-RFC4754:SHA1", .ecdsa(.digest, .sha1, .rfc4754))
  /// ECDSA of a SHA-224 digest; r and s, concatenated.
  public static let ecdsaSignatureDigestRFC4754SHA224 = SecKeyAlgorithm(
    "algid:sign:ECDSA:digest-RFC4754:SHA224", .ecdsa(.digest, .sha224, .rfc4754))
  /// ECDSA of a SHA-256 digest; r and s, concatenated.
  public static let ecdsaSignatureDigestRFC4754SHA256 = SecKeyAlgorithm(
    "algid:sign:ECDSA:digest-RFC4754:SHA256", .ecdsa(.digest, .sha256, .rfc4754))
  /// ECDSA of a SHA-384 digest; r and s, concatenated.
  public static let ecdsaSignatureDigestRFC4754SHA384 = SecKeyAlgorithm(
    "algid:sign:ECDSA:digest-RFC4754:SHA384", .ecdsa(.digest, .sha384, .rfc4754))
  /// ECDSA of a SHA-512 digest; r and s, concatenated.
  public static let ecdsaSignatureDigestRFC4754SHA512 = SecKeyAlgorithm(
    "algid:sign:ECDSA:digest-RFC4754:SHA512", .ecdsa(.digest, .sha512, .rfc4754))
  /// ECDSA of a message hashed with SHA-1; r and s, concatenated.
  public static let ecdsaSignatureMessageRFC4754SHA1 = SecKeyAlgorithm(
    "algid:sign:ECDSA:message-RFC4754:SHA1", .ecdsa(.message, .sha1, .rfc4754))
  /// ECDSA of a message hashed with SHA-224; r and s, concatenated.
  public static let ecdsaSignatureMessageRFC4754SHA224 = SecKeyAlgorithm(
    "algid:sign:ECDSA:message-RFC4754:SHA224", .ecdsa(.message, .sha224, .rfc4754))
  /// ECDSA of a message hashed with SHA-256; r and s, concatenated.
  public static let ecdsaSignatureMessageRFC4754SHA256 = SecKeyAlgorithm(
    "algid:sign:ECDSA:message-RFC4754:SHA256", .ecdsa(.message, .sha256, .rfc4754))
  /// ECDSA of a message hashed with SHA-384; r and s, concatenated.
  public static let ecdsaSignatureMessageRFC4754SHA384 = SecKeyAlgorithm(
    "algid:sign:ECDSA:message-RFC4754:SHA384", .ecdsa(.message, .sha384, .rfc4754))
  /// ECDSA of a message hashed with SHA-512; r and s, concatenated.
  public static let ecdsaSignatureMessageRFC4754SHA512 = SecKeyAlgorithm(
    "algid:sign:ECDSA:message-RFC4754:SHA512", .ecdsa(.message, .sha512, .rfc4754))
  /// ECDSA of a digest of any length; r and s, concatenated (older name).
  public static let ecdsaSignatureRFC4754 = SecKeyAlgorithm("algid:sign:ECDSA:RFC4754", .ecdsa(.digest, nil, .rfc4754))

  /// All algorithms of this file.
  static let ecdsaSignatures: [SecKeyAlgorithm] = [
    .ecdsaSignatureDigestX962, .ecdsaSignatureDigestX962SHA1, .ecdsaSignatureDigestX962SHA224,
    .ecdsaSignatureDigestX962SHA256, .ecdsaSignatureDigestX962SHA384, .ecdsaSignatureDigestX962SHA512,
    .ecdsaSignatureMessageX962SHA1, .ecdsaSignatureMessageX962SHA224, .ecdsaSignatureMessageX962SHA256,
    .ecdsaSignatureMessageX962SHA384, .ecdsaSignatureMessageX962SHA512, .ecdsaSignatureDigestRFC4754,
    .ecdsaSignatureDigestRFC4754SHA1, .ecdsaSignatureDigestRFC4754SHA224, .ecdsaSignatureDigestRFC4754SHA256,
    .ecdsaSignatureDigestRFC4754SHA384, .ecdsaSignatureDigestRFC4754SHA512, .ecdsaSignatureMessageRFC4754SHA1,
    .ecdsaSignatureMessageRFC4754SHA224, .ecdsaSignatureMessageRFC4754SHA256, .ecdsaSignatureMessageRFC4754SHA384,
    .ecdsaSignatureMessageRFC4754SHA512, .ecdsaSignatureRFC4754,
  ]
}
