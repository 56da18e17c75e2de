/// A key algorithm: Apple's `SecKeyAlgorithm`, by its components.
public enum KeyAlgorithm: Hashable, Sendable {
  /// ECDSA (FIPS 186-4, X9.62). A nil digest: any digest of the caller, up to the longest.
  case ecdsa(SignatureInput, DigestAlgorithm?, SignatureFormat)
  /// RSASSA-PKCS1-v1_5 (RFC 8017 8.2). A nil digest: the caller passes the whole DigestInfo.
  case rsaPKCS1v15(SignatureInput, DigestAlgorithm?)
  /// RSASSA-PSS (RFC 8017 8.1), the salt as long as the digest, MGF1 with the same digest.
  case rsaPSS(SignatureInput, DigestAlgorithm)
  /// RSA signing without padding.
  case rsaSignatureRaw
  /// RSA encryption without padding.
  case rsaEncryptionRaw
  /// RSAES-PKCS1-v1_5 (RFC 8017 7.2).
  case rsaEncryptionPKCS1
  /// RSAES-OAEP (RFC 8017 7.1).
  case rsaOAEP(DigestAlgorithm)
  /// RSAES-OAEP of an AES-GCM key, and AES-GCM of the text.
  case rsaOAEPAESGCM(DigestAlgorithm)
  /// ECDH (X9.63). A nil digest: the x coordinate itself; otherwise X9.63's key derivation function with it. With cofactor 1
  /// both variants are the same.
  case ecdh(isCofactor: Bool, DigestAlgorithm?)
  /// ECIES (X9.63 5.8): an ephemeral key, X9.63's key derivation, AES-GCM.
  case ecies(isCofactor: Bool, DigestAlgorithm, hasVariableIV: Bool)
}

/// The input of a signature.
public enum SignatureInput: Hashable, Sendable {
  /// The message.
  case message
  /// Its digest.
  case digest
}

/// The format of an ECDSA signature.
public enum SignatureFormat: Hashable, Sendable {
  /// As a DER sequence of r and s.
  case x962
  /// As r and s, each as long as the curve's order (RFC 4754).
  case rfc4754
}

/// A hash function.
public enum DigestAlgorithm: Hashable, Sendable, CaseIterable {
  case sha1, sha224, sha256, sha384, sha512
}

/// An operation of a key (`SecKeyOperationType`).
public enum KeyOperation: Int, Hashable, Sendable, CaseIterable {
  case sign = 0
  case verify = 1
  case encrypt = 2
  case decrypt = 3
  case exchange = 4
}

/// A curve over a prime field (FIPS 186-4 D.1.2).
public enum Curve: Int, Hashable, Sendable, CaseIterable {
  case p256 = 256
  case p384 = 384
  case p521 = 521
}

/// The type and the size of a key.
public enum KeyType: Hashable, Sendable {
  /// On a curve.
  case ellipticCurve(Curve)
  /// RSA, with the modulus's size in bits.
  case rsa(bits: Int)
}

extension Curve {
  /// The bytes of a coordinate, a scalar, and each half of a signature: 32, 48 or 66.
  public var byteCount: Int { (rawValue + 7) / 8 }

  /// The bytes of a point in X9.63's uncompressed form.
  public var pointByteCount: Int { 1 + 2 * byteCount }

  /// The curve with points of this length; nil if there is none.
  init?(pointByteCount: Int) {
    guard let curve = Curve.allCases.first(where: { $0.pointByteCount == pointByteCount }) else { return nil }
    self = curve
  }
}
