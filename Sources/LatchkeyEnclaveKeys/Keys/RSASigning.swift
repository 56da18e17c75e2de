import Crypto
import CryptoExtras
import Foundation
import LatchkeyByteCoding
import LatchkeySecretData

/// The padding and digest of an RSA signature: the subset of ``KeyAlgorithm`` supported here.
struct RSASignatureScheme {
  let input: SignatureInput
  /// nil: the caller's bytes are signed as they are.
  let digest: DigestAlgorithm?
  let isPSS: Bool

  /// - Throws: `.unsupported`.
  init(_ algorithm: KeyAlgorithm) throws(KeyError) {
    switch algorithm {
    case .rsaPKCS1v15(let input, let digest): (self.input, self.digest, isPSS) = (input, digest, false)
    case .rsaPSS(let input, let digest): (self.input, self.digest, isPSS) = (input, digest, true)
    default: throw .unsupported("this RSA signature is not there: use PKCS #1 or PSS with a named digest")
    }
    guard digest != nil || input == .digest else {
      throw .unsupported("a message is signed by its digest: name the digest's function")
    }
  }

  /// The digest, if swift-crypto signs by it.
  fileprivate var commonDigest: DigestAlgorithm? { digest.flatMap { RSADigest.algorithms.contains($0) ? $0 : nil } }
  fileprivate var padding: _RSA.Signing.Padding { isPSS ? .PSS : .insecurePKCS1v1_5 }
  fileprivate var boringSSLPadding: BoringSSLRSA.Padding { isPSS ? .pss : .pkcs1 }

  /// What is signed for `input`.
  fileprivate func signed(_ input: [UInt8]) throws(KeyError) -> [UInt8] {
    guard let digest else { return input }
    return try self.input.digest(of: input, by: digest)
  }
}

extension _RSA.Signing.PrivateKey {
  /// Signs `input`.
  func sign(_ input: [UInt8], by scheme: RSASignatureScheme) throws(KeyError) -> [UInt8] {
    let signed = try scheme.signed(input)
    guard let common = scheme.commonDigest else {
      var written = derRepresentation
      var key = written.movedOut()
      defer { key.wipe() }
      guard let signature = BoringSSLRSA.sign(signed, with: key, scheme.boringSSLPadding, scheme.digest) else {
        throw .invalidInput("the key is too short for these \(signed.count) bytes")
      }
      return signature
    }
    return try RSADigest.with(signed, of: common) { digest throws(KeyError) in
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
    let signed = try scheme.signed(input)
    guard signature.count == RSASizes.blockByteCount(keySizeInBits) else { return false }
    guard let common = scheme.commonDigest else {
      let key = [UInt8](pkcs1DERRepresentation)
      return BoringSSLRSA.isValid(signature, of: signed, by: key, scheme.boringSSLPadding, scheme.digest)
    }
    let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
    return try RSADigest.with(signed, of: common) { digest throws(KeyError) in
      isValidSignature(signature, for: digest, padding: scheme.padding)
    }
  }
}
