internal import Crypto
internal import SwiftASN1
internal import X509

// RFC 2986. Names and extensions that a request asks for are not looked at: the server decides on them.

extension CertificateAuthority {
  /// The longest request that is read, in bytes.
  public static var longestRequest: Int { 16 * 1024 }

  /// Checks a PKCS#10 request: size, P-256, its own signature.
  ///
  /// - Returns: X9.63 of its public key, 65 bytes. Names and extensions it asks for are not looked at.
  public static func publicKey(ofRequest der: [UInt8]) throws(AuthorityError) -> [UInt8] {
    guard der.count <= longestRequest else {
      throw .invalidRequest("a signing request has at most \(longestRequest) bytes")
    }
    guard let request = try? CertificateSigningRequest(derEncoded: der) else {
      throw .invalidRequest("this is no PKCS#10 signing request in DER")
    }
    // One spelling: X509 takes a signature whose last bits are said not to count, and nobody signs how many those are.
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
