import Crypto
import CryptoExtras
import Foundation

/// The padding and digest of an RSA signature: the subset of ``KeyAlgorithm`` supported here.
struct RSASignatureScheme {
  let input: SignatureInput
  let digest: DigestAlgorithm
  let padding: _RSA.Signing.Padding

  /// - Throws: `.unsupported`.
  init(_ algorithm: KeyAlgorithm) throws(KeyError) {
    switch algorithm {
    case .rsaPKCS1v15(let input, let digest?):
      (self.input, self.digest, padding) = (input, digest, .insecurePKCS1v1_5)
    case .rsaPSS(let input, let digest):
      (self.input, self.digest, padding) = (input, digest, .PSS)
    default: throw .unsupported("this RSA signature is not there: use PKCS #1 or PSS with a named digest")
    }
  }
}

extension _RSA.Signing.PrivateKey {
  /// Signs `input`.
  func sign(_ input: [UInt8], by scheme: RSASignatureScheme) throws(KeyError) -> [UInt8] {
    let digest = try scheme.input.digest(of: input, by: scheme.digest)
    return try RSADigest.with(digest, of: scheme.digest) { digest throws(KeyError) in
      do {
        return [UInt8](try signature(for: digest, padding: scheme.padding).rawRepresentation)
      } catch {
        throw .invalidInput("the key is too short for this digest")
      }
    }
  }
}

extension _RSA.Signing.PublicKey {
  /// Whether `signature` is valid for `input`.
  func isValid(_ signature: [UInt8], of input: [UInt8], by scheme: RSASignatureScheme) throws(KeyError) -> Bool {
    let digest = try scheme.input.digest(of: input, by: scheme.digest)
    guard signature.count == RSASizes.blockByteCount(keySizeInBits) else { return false }
    let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
    return try RSADigest.with(digest, of: scheme.digest) { digest throws(KeyError) in
      isValidSignature(signature, for: digest, padding: scheme.padding)
    }
  }
}
