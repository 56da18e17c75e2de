internal import SwiftASN1
internal import X509

/// The CRL distribution point extension (RFC 5280 4.2.1.13): one URL, for all reasons.
struct DistributionPoint: CertificateExtensionConvertible, DERSerializable {
  let url: String

  func makeCertificateExtension() throws -> Certificate.Extension {
    var serializer = DER.Serializer()
    try serializer.serialize(self)
    return Certificate.Extension(oid: [2, 5, 29, 31], critical: false, value: serializer.serializedBytes[...])
  }

  func serialize(into coder: inout DER.Serializer) throws {
    // CRLDistributionPoints { DistributionPoint { distributionPoint [0] { fullName [0] { uniformResourceIdentifier } } } }
    try coder.appendConstructedNode(identifier: .sequence) { coder in
      try coder.appendConstructedNode(identifier: .sequence) { coder in
        try coder.appendConstructedNode(identifier: Self.zero) { coder in
          try coder.appendConstructedNode(identifier: Self.zero) { coder in
            try GeneralName.uniformResourceIdentifier(url).serialize(into: &coder)
          }
        }
      }
    }
  }

  private static let zero = ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific)
}
