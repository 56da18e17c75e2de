/// The object identifiers of keys and of named curves.
extension DERObjectIdentifier {
  /// RSA, for signatures and encryption alike (RFC 8017 A.1).
  package static let rsaEncryption = DERObjectIdentifier(1, 2, 840, 113549, 1, 1, 1)
  /// RSA for RSASSA-PSS alone (RFC 8017 A.2.3).
  package static let rsaPSS = DERObjectIdentifier(1, 2, 840, 113549, 1, 1, 10)
  /// An elliptic curve, which the parameters name (RFC 5480 2.1.1).
  package static let ecPublicKey = DERObjectIdentifier(1, 2, 840, 10045, 2, 1)
  /// P-256, secp256r1 (RFC 5480 2.1.1.1).
  package static let p256 = DERObjectIdentifier(1, 2, 840, 10045, 3, 1, 7)
  /// P-384, secp384r1 (RFC 5480 2.1.1.1).
  package static let p384 = DERObjectIdentifier(1, 3, 132, 0, 34)
  /// P-521, secp521r1 (RFC 5480 2.1.1.1).
  package static let p521 = DERObjectIdentifier(1, 3, 132, 0, 35)
  /// Ed25519 (RFC 8410 3).
  package static let ed25519 = DERObjectIdentifier(1, 3, 101, 112)
  /// X25519 (RFC 8410 3).
  package static let x25519 = DERObjectIdentifier(1, 3, 101, 110)
}
