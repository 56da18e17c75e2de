internal import SwiftASN1
internal import X509

/// The authority information access extension (RFC 5280 4.2.2.1): where the issuer's certificate and the OCSP responder are.
struct AuthorityAccess: CertificateExtensionConvertible, DERSerializable {
  let issuer: String?
  let status: String?

  func makeCertificateExtension() throws -> Certificate.Extension {
    var serializer = DER.Serializer()
    try serializer.serialize(self)
    return Certificate.Extension(
      oid: [1, 3, 6, 1, 5, 5, 7, 1, 1], critical: false, value: serializer.serializedBytes[...])
  }

  func serialize(into coder: inout DER.Serializer) throws {
    let descriptions: [(ASN1ObjectIdentifier, String?)] = [
      ([1, 3, 6, 1, 5, 5, 7, 48, 1], status), ([1, 3, 6, 1, 5, 5, 7, 48, 2], issuer),
    ]
    try coder.appendConstructedNode(identifier: .sequence) { coder in
      for case (let method, let url?) in descriptions {
        try coder.appendConstructedNode(identifier: .sequence) { coder in
          try coder.serialize(method)
          try GeneralName.uniformResourceIdentifier(url).serialize(into: &coder)
        }
      }
    }
  }
}
