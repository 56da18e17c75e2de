internal import Crypto
internal import SwiftASN1
internal import X509

// RFC 2986. The server decides on names and extensions, so those in a request are ignored.

extension CertificateAuthority {
  /// The maximum length of a request, in bytes.
  public static var longestRequest: Int { 16 * 1024 }

  /// Verifies a PKCS#10 request: size, P-256, its own signature.
  ///
  /// - Returns: the public key in X9.63 form, 65 bytes. Requested names and extensions are ignored.
  public static func publicKey(ofRequest der: [UInt8]) throws(AuthorityError) -> [UInt8] {
    guard der.count <= longestRequest else {
      throw .invalidRequest("a signing request has at most \(longestRequest) bytes")
    }
    guard let request = try? CertificateSigningRequest(derEncoded: der) else {
      throw .invalidRequest("this is no PKCS#10 signing request in DER")
    }
    // Only the canonical encoding is accepted. X509 accepts a BIT STRING with unused bits, and their count is not signed.
    let signature = [0] + request.signature.rawRepresentation
    guard der.suffix(signature.count).elementsEqual(signature) else {
      throw .invalidRequest("the signature of the signing request is not in DER")
    }
    guard let key = P256.Signing.PublicKey(request.publicKey) else {
      throw .invalidRequest("the key of a signing request must be one of P-256")
    }
    guard request.signatureAlgorithm == .ecdsaWithSHA256 else {
      throw .invalidRequest("a signing request is signed with ECDSA and SHA-256")
    }
    guard request.publicKey.isValidSignature(request.signature, for: request) else {
      throw .invalidRequest("the signing request is not signed by its own key")
    }
    return [UInt8](key.x963Representation)
  }
}
