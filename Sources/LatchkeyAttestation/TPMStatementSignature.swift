import Crypto
import CryptoExtras
import LatchkeyEnclaveKeys
import X509

/// The signature in a TPM's statement. The specification requires a TPMT_SIGNATURE (WebAuthn level 2 8.3). Web browsers send
/// the bare signature: ECDSA in DER, or RSA's number. The first byte, for RSA the length, distinguishes them.
enum TPMStatementSignature {
  case es256(P256.Signing.ECDSASignature)
  case rs256([UInt8])

  /// COSE algorithm numbers (RFC 9053 2.1, RFC 8812 2).
  private enum Algorithm: Int64 {
    case es256 = -7
    case rs256 = -257
  }

  init(_ bytes: [UInt8], algorithm: Int64) throws(AttestationError) {
    switch Algorithm(rawValue: algorithm) {
    case .es256?:
      if bytes.first == 0x30, let signature = try? P256.Signing.ECDSASignature(derRepresentation: bytes) {
        self = .es256(signature)
        return
      }
      let parsed = try reading { () throws(AttestationFormatError) in try TPMSignature(encoded: bytes) }
      guard let raw = parsed.p256, let signature = try? P256.Signing.ECDSASignature(rawRepresentation: raw) else {
        throw .unsupportedAlgorithm("a signature that is not ECDSA with SHA-256 on P-256")
      }
      self = .es256(signature)
    case .rs256?:
      // An RSA signature has its modulus's length, a multiple of 8 bytes. A TPMT_SIGNATURE is 6 bytes longer.
      guard !bytes.count.isMultiple(of: 8) else {
        self = .rs256(bytes)
        return
      }
      let parsed = try reading { () throws(AttestationFormatError) in try TPMSignature(encoded: bytes) }
      guard case .rsassa(.sha256, let signature) = parsed else {
        throw .unsupportedAlgorithm("a signature that is not RSASSA-PKCS1-v1_5 with SHA-256")
      }
      self = .rs256(signature)
    case nil: throw .unsupportedAlgorithm("COSE algorithm \(algorithm)")
    }
  }

  /// Whether the signature of `message` verifies under `key`. False for a key of another type.
  func isValid(for message: [UInt8], by key: Certificate.PublicKey) -> Bool {
    switch self {
    case .es256(let signature):
      P256.Signing.PublicKey(key)?.isValidSignature(signature, for: message) ?? false
    case .rs256(let signature):
      CertificateChain.isStrong(key) && _RSA.Signing.PublicKey(key) != nil
        && key.isValidSignature(signature, for: message, signatureAlgorithm: .sha256WithRSAEncryption)
    }
  }
}
