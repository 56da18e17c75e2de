import Crypto
package import LatchkeyKeychainModel

extension SecCertificate {
  /// The item attributes of a certificate that is added by reference (SecCertificate.c,
  /// `SecCertificateCopyAttributeDictionary`): the version as the type, the encoding, the names, the serial number, the
  /// subject key identifier if there is one, the hash of the public key, and the subject summary as the label.
  package var itemAttributes: [ItemAttribute: AttributeValue] {
    var attributes: [ItemAttribute: AttributeValue] = [
      .certificateType: .number(Int64(fields.version)),
      .certificateEncoding: .number(Self.encodedAsDER),
      // The content without its SEQUENCE, unlike the result of `SecCertificateCopyNormalizedSubjectSequence`.
      .subject: .bytes(fields.subject.normalizedContent),
      .issuer: .bytes(fields.issuer.normalizedContent),
      .serialNumber: .bytes(fields.serialNumber),
      .publicKeyHash: .bytes(publicKeyHash),
    ]
    attributes[.subjectKeyID] = fields.extensions.subjectKeyID.map { .bytes($0) }
    attributes[.label] = SubjectSummary.text(of: fields).map { .text($0) }
    return attributes
  }

  /// The SHA-1 of the public key's bits, which is the application label of the certificate's private key.
  package var publicKeyHash: [UInt8] { Array(Insecure.SHA1.hash(data: fields.publicKey)) }

  /// The SHA-256 of the DER.
  var digest: [UInt8] { Array(SHA256.hash(data: der)) }

  /// The SHA-1 of the DER.
  var legacyDigest: [UInt8] { Array(Insecure.SHA1.hash(data: der)) }

  /// `CSSM_CERT_ENCODING_DER`.
  private static let encodedAsDER: Int64 = 3
}
