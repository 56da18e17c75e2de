internal import SwiftASN1
internal import X509

/// The attributes that a signing request should contain (CsrAttrs: RFC 7030 4.5.2, as RFC 9908 reads it): ECDSA with SHA-256, a key on
/// P-256, and alternative names.
package struct RequestAttributes: Sendable {
  private let names: [AlternativeName]

  /// Creates attributes.
  ///
  /// - Parameter names: the alternative names to request; none: no extensions are requested.
  package init(names: [AlternativeName] = []) { self.names = names }

  /// The DER of the attributes.
  package var der: [UInt8] {
    get throws(AuthorityError) {
      var coder = DER.Serializer()
      do { try serialize(into: &coder) } catch { throw .misuse("these names cannot be encoded: \(error)") }
      return coder.serializedBytes
    }
  }

  private func serialize(into coder: inout DER.Serializer) throws {
    try coder.appendConstructedNode(identifier: .sequence) { coder in
      try coder.serialize(Self.ecdsaWithSHA256)
      try Self.attribute(Self.ecPublicKey, into: &coder) { try $0.serialize(Self.prime256v1) }
      guard !names.isEmpty else { return }
      let requested = try SubjectAlternativeNames(names.map(\.generalName)).makeCertificateExtension()
      try Self.attribute(Self.extensionRequest, into: &coder) {
        try $0.appendConstructedNode(identifier: .sequence) { try $0.serialize(requested) }
      }
    }
  }

  /// Attribute ::= SEQUENCE { type, values SET OF }, with one value.
  private static func attribute(
    _ type: ASN1ObjectIdentifier, into coder: inout DER.Serializer, _ value: (inout DER.Serializer) throws -> Void
  ) throws {
    try coder.appendConstructedNode(identifier: .sequence) { coder in
      try coder.serialize(type)
      try coder.appendConstructedNode(identifier: .set) { try value(&$0) }
    }
  }

  private static let ecdsaWithSHA256: ASN1ObjectIdentifier = [1, 2, 840, 10045, 4, 3, 2]
  private static let ecPublicKey: ASN1ObjectIdentifier = [1, 2, 840, 10045, 2, 1]
  private static let prime256v1: ASN1ObjectIdentifier = [1, 2, 840, 10045, 3, 1, 7]
  private static let extensionRequest: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 9, 14]
}
