internal import Crypto
internal import CryptoExtras
internal import Foundation

/// An algorithm of RFC 9421 3.3, for verification. This product signs only with ``ecdsaP256SHA256``; the others verify the
/// RFC's examples and signatures of other programs.
package enum SignatureAlgorithm: String, Sendable, CaseIterable {
  case ecdsaP256SHA256 = "ecdsa-p256-sha256"
  case ecdsaP384SHA384 = "ecdsa-p384-sha384"
  case ed25519 = "ed25519"
  case hmacSHA256 = "hmac-sha256"
  case rsaPSSSHA512 = "rsa-pss-sha512"
  case rsaV15SHA256 = "rsa-v1_5-sha256"

  /// Whether a signature verifies.
  ///
  /// - Parameter key: X9.63 for ECDSA, the 32 bytes for Ed25519, the secret for HMAC, SubjectPublicKeyInfo for RSA.
  package func isValid(_ signature: [UInt8], of message: [UInt8], key: [UInt8]) -> Bool {
    switch self {
    case .ecdsaP256SHA256:
      // Raw r and s, 32 bytes each. A signature in X9.62 DER is invalid here.
      guard signature.count == 64, let key = try? P256.Signing.PublicKey(x963Representation: key),
        let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
      else { return false }
      return key.isValidSignature(signature, for: message)
    case .ecdsaP384SHA384:
      guard signature.count == 96, let key = try? P384.Signing.PublicKey(x963Representation: key),
        let signature = try? P384.Signing.ECDSASignature(rawRepresentation: signature)
      else { return false }
      return key.isValidSignature(signature, for: message)
    case .ed25519:
      guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: key) else { return false }
      return key.isValidSignature(signature, for: message)
    case .hmacSHA256:
      return HMAC<SHA256>.isValidAuthenticationCode(
        signature, authenticating: message, using: SymmetricKey(data: key))
    case .rsaPSSSHA512:
      guard let key = try? _RSA.Signing.PublicKey(derRepresentation: key) else { return false }
      return key.isValidSignature(
        _RSA.Signing.RSASignature(rawRepresentation: signature), for: SHA512.hash(data: message), padding: .PSS)
    case .rsaV15SHA256:
      guard let key = try? _RSA.Signing.PublicKey(derRepresentation: key) else { return false }
      return key.isValidSignature(
        _RSA.Signing.RSASignature(rawRepresentation: signature), for: SHA256.hash(data: message),
        padding: .insecurePKCS1v1_5)
    }
  }
}
