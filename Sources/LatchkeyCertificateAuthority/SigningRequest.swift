internal import Crypto
internal import SwiftASN1
internal import X509

// RFC 2986. The server decides on names and extensions: of those in a request it reads the alternative names, where it permits any.

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
      throw .invalidRequest(
        "this is no PKCS#10 signing request in DER, or its key or signature is of a kind that is not supported: use a key on P-256, "
          + "its point not compressed, its curve by name, and sign with ECDSA and SHA-256")
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

  /// The common name that a request asks for, which may be shown to people; nil for none.
  ///
  /// - Parameter der: a request that ``publicKey(ofRequest:)`` accepts.
  public static func commonName(ofRequest der: [UInt8]) -> String? {
    guard let request = try? CertificateSigningRequest(derEncoded: der) else { return nil }
    for name in request.subject {
      for attribute in name where attribute.type == .RDNAttributeType.commonName { return String(attribute.value) }
    }
    return nil
  }

  /// The most alternative names that a signing request may ask for.
  public static var mostRequestedNames: Int { 16 }

  /// The alternative names that a request asks for (RFC 2985 5.4.2), each in its one spelling.
  ///
  /// - Parameter der: a request that ``publicKey(ofRequest:)`` accepts.
  /// - Throws: ``AuthorityError``: `.invalidRequest` for more than ``mostRequestedNames``, for one twice, and for a name that no
  ///   certificate gets: of another kind, with a wildcard, in upper case, not in ASCII.
  public static func alternativeNames(ofRequest der: [UInt8]) throws(AuthorityError) -> [AlternativeName] {
    let requested: SubjectAlternativeNames?
    do {
      requested = try CertificateSigningRequest(derEncoded: der).attributes.extensionRequest?.extensions
        .subjectAlternativeNames
    } catch {
      throw .invalidRequest("the extensions that the signing request asks for cannot be read")
    }
    guard let requested else { return [] }
    guard requested.count <= mostRequestedNames else {
      throw .invalidRequest("a signing request asks for at most \(mostRequestedNames) alternative names")
    }
    var names: [AlternativeName] = []
    for name in requested {
      let name = try AlternativeName(requested: name)
      guard !names.contains(name) else {
        throw .invalidRequest("the signing request asks for an alternative name twice")
      }
      names.append(name)
    }
    return names
  }

  /// Whether a request asks for the subject and the alternative names that a client's certificate has, and for no others
  /// (RFC 7030 4.2.2).
  ///
  /// - Parameter alternativeNames: the further alternative names of the certificate.
  public static func isRequest(
    _ der: [UInt8], forClient device: String, user: String, alternativeNames: [AlternativeName] = []
  ) -> Bool {
    guard let subject = try? clientSubject(device: device, user: user) else { return false }
    return isRequest(der, for: subject, clientNames(device: device) + alternativeNames.map(\.generalName))
  }

  /// Whether a request asks for the subject and the alternative names of a certificate, and for no others (RFC 7030 4.2.2).
  ///
  /// - Parameter certificate: DER.
  public static func isRequest(_ der: [UInt8], forRenewalOf certificate: [UInt8]) -> Bool {
    guard let certificate = try? Certificate(derEncoded: certificate),
      let names = try? certificate.extensions.subjectAlternativeNames
    else { return false }
    return isRequest(der, for: certificate.subject, Array(names))
  }

  private static func isRequest(_ der: [UInt8], for subject: DistinguishedName, _ names: [GeneralName]) -> Bool {
    guard let request = try? CertificateSigningRequest(derEncoded: der),
      texts(of: request.subject) == texts(of: subject),
      let wanted = try? request.attributes.extensionRequest?.extensions.subjectAlternativeNames
    else { return false }
    // Their order says nothing.
    return wanted.count == names.count && Set(wanted) == Set(names)
  }

  /// A name without its types of strings, which clients choose otherwise than the authority did.
  private static func texts(of name: DistinguishedName) -> [[String]] {
    name.map { $0.map { "\($0.type)=\(String($0.value) ?? "")" }.sorted() }
  }
}
