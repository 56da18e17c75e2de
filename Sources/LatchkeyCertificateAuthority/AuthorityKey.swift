internal import Crypto
internal import Foundation
internal import SwiftASN1
internal import X509

/// An authority's private key: in a file, the keychain's enclave, or a TPM.
public protocol AuthorityKey: Sendable {
  /// The P-256 public key in X9.63 form, 65 bytes.
  var publicKey: [UInt8] { get }
  /// Signs a message with ECDSA and SHA-256 and returns the signature in X9.62 DER. May block.
  func sign(_ message: [UInt8]) throws -> [UInt8]
}

/// Adapts an ``AuthorityKey`` to X509's private key protocol.
struct AuthoritySigner: CustomPrivateKey {
  let key: any AuthorityKey
  let publicKey: Certificate.PublicKey

  init(_ key: any AuthorityKey) throws(AuthorityError) {
    guard let point = try? P256.Signing.PublicKey(x963Representation: key.publicKey) else {
      throw .misuse("an authority's key is one of P-256")
    }
    self.key = key
    publicKey = Certificate.PublicKey(point)
  }

  var defaultSignatureAlgorithm: Certificate.SignatureAlgorithm { .ecdsaWithSHA256 }
  var supportedSignatureAlgorithms: [Certificate.SignatureAlgorithm] { [.ecdsaWithSHA256] }

  /// ECDSA with SHA-256, X9.62 DER.
  func signature(of message: [UInt8]) throws(AuthorityError) -> [UInt8] {
    do { return try key.sign(message) } catch let error as AuthorityError {
      throw error
    } catch {
      throw .keyUnavailable("\(error)")
    }
  }

  func signSynchronously(
    bytes: some DataProtocol, signatureAlgorithm: Certificate.SignatureAlgorithm
  ) throws -> Certificate.Signature {
    guard signatureAlgorithm == .ecdsaWithSHA256 else {
      throw AuthorityError.misuse("an authority signs with ECDSA and SHA-256")
    }
    return try Certificate.Signature(
      signatureAlgorithm: signatureAlgorithm, signatureBytes: ASN1BitString(bytes: signature(of: Array(bytes))[...]))
  }

  // X509 requires keys to serialize to PEM; a key in an enclave cannot.
  static var defaultPEMDiscriminator: String { "PRIVATE KEY" }
  func serialize(into coder: inout DER.Serializer) throws {
    throw AuthorityError.misuse("the authority's key stays where it is")
  }

  static func == (a: AuthoritySigner, b: AuthoritySigner) -> Bool { a.publicKey == b.publicKey }
  func hash(into hasher: inout Hasher) { hasher.combine(publicKey) }
}
