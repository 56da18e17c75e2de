internal import Crypto
internal import Foundation
internal import Security
internal import SwiftASN1
internal import X509

/// A PKCS#10 request (RFC 2986) for a key that never leaves its keychain, which signs the request.
enum SigningRequest {
  /// Creates the request of a P-256 key, DER. The server chooses the subject, so the request states only its purpose.
  static func der(for key: SecKey, commonName: String) async throws(EnrollmentError) -> [UInt8] {
    let signer = try KeychainSigner(key)
    do {
      let request = try await CertificateSigningRequest(
        version: .v1, subject: try DistinguishedName { CommonName(commonName) },
        asyncPrivateKey: Certificate.PrivateKey(signer), attributes: CertificateSigningRequest.Attributes(),
        signatureAlgorithm: .ecdsaWithSHA256)
      var serializer = DER.Serializer()
      try serializer.serialize(request)
      return serializer.serializedBytes
    } catch let error as EnrollmentError {
      throw error
    } catch {
      throw .misuse("a signing request cannot be made of this: \(error)")
    }
  }
}

/// Adapts a keychain's private key to X509: it signs, and is never exported.
struct KeychainSigner: CustomPrivateKey {
  let key: SecKey
  let publicKey: Certificate.PublicKey

  /// - Throws: `.misuse` for anything but a private P-256 key.
  init(_ key: SecKey) throws(EnrollmentError) {
    guard SecKeyIsAlgorithmSupported(key, .sign, .ecdsaSignatureMessageX962SHA256),
      let half = try? P256.Signing.PublicKey(x963Representation: key.publicKeyX963())
    else { throw .misuse("signing requests are for private P-256 keys that may sign") }
    self.key = key
    publicKey = Certificate.PublicKey(half)
  }

  var defaultSignatureAlgorithm: Certificate.SignatureAlgorithm { .ecdsaWithSHA256 }
  var supportedSignatureAlgorithms: [Certificate.SignatureAlgorithm] { [.ecdsaWithSHA256] }

  func signSynchronously(
    bytes: some DataProtocol, signatureAlgorithm: Certificate.SignatureAlgorithm
  ) throws -> Certificate.Signature {
    guard signatureAlgorithm == .ecdsaWithSHA256 else {
      throw EnrollmentError.misuse("this key signs with ECDSA and SHA-256")
    }
    let signature = try key.signature(of: Array(bytes), by: .ecdsaSignatureMessageX962SHA256)
    return try Certificate.Signature(
      signatureAlgorithm: signatureAlgorithm, signatureBytes: ASN1BitString(bytes: signature[...]))
  }

  func signAsynchronously(
    bytes: some DataProtocol & Sendable, signatureAlgorithm: Certificate.SignatureAlgorithm
  ) async throws -> Certificate.Signature {
    let message = Array(bytes)
    return try await blocking { () throws(EnrollmentError) in
      do {
        return try signSynchronously(bytes: message, signatureAlgorithm: signatureAlgorithm)
      } catch let error as EnrollmentError {
        throw error
      } catch {
        throw .misuse("the key's signature cannot be read: \(error)")
      }
    }
  }

  static var defaultPEMDiscriminator: String { "PRIVATE KEY" }

  func serializeAsPEM(discriminator: String) throws -> PEMDocument { throw Self.staysInside }

  func serialize(into coder: inout DER.Serializer) throws { throw Self.staysInside }

  private static let staysInside = EnrollmentError.misuse("this key stays in the keychain")
}
