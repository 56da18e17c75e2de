import Crypto
package import LatchkeyKeychainModel

extension SecCertificate {
  /// The attributes that a certificate added by reference brings along (SecCertificate.c,
  /// `SecCertificateCopyAttributeDictionary`): its type by its version, its encoding, its names, its serial number, its
  /// subject key identifier if it has one, the hash of its public key, and its subject summary as the label.
  package var itemAttributes: [ItemAttribute: AttributeValue] {
    var attributes: [ItemAttribute: AttributeValue] = [
      .certificateType: .number(Int64(fields.version)),
      .certificateEncoding: .number(Self.encodedAsDER),
      // Without the SEQUENCE round them, unlike those of `SecCertificateCopyNormalizedSubjectSequence`.
      .subject: .bytes(fields.subject.normalizedContent),
      .issuer: .bytes(fields.issuer.normalizedContent),
      .serialNumber: .bytes(fields.serialNumber),
      .publicKeyHash: .bytes(publicKeyHash),
    ]
    attributes[.subjectKeyID] = fields.extensions.subjectKeyID.map { .bytes($0) }
    attributes[.label] = SubjectSummary.text(of: fields).map { .text($0) }
    return attributes
  }

  /// The SHA-1 of the public key's bits: the application label of the private key that belongs to this certificate.
  package var publicKeyHash: [UInt8] { Array(Insecure.SHA1.hash(data: fields.publicKey)) }

  /// `CSSM_CERT_ENCODING_DER`.
  private static let encodedAsDER: Int64 = 3
}
