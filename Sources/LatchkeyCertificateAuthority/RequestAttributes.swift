internal import SwiftASN1
internal import X509

/// The attributes that a signing request should contain (CsrAttrs: RFC 7030 4.5.2, as RFC 9908 reads it): ECDSA with SHA-256, a key on
/// P-256, and alternative names. Where clients may add names of their own, they are told so by a template (RFC 9908 3.4), which has an empty
/// name of each kind for them to fill in; there is no way to tell them which names. Clients that do not know it read the rest.
package struct RequestAttributes: Sendable {
  /// The kinds of names.
  package enum Kind: String, CaseIterable, Sendable { case dns, ip, uri }

  private let names: [AlternativeName]
  private let kinds: [Kind]

  /// Creates attributes.
  ///
  /// - Parameters:
  ///   - names: the alternative names to request; none: no extensions are requested.
  ///   - permitted: patterns of the names that clients may add (``NamePattern``).
  package init(names: [AlternativeName] = [], permitted: [String] = []) {
    self.names = names
    kinds = Kind.allCases.filter { kind in permitted.contains { $0.hasPrefix("\(kind.rawValue):") } }
  }

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
      if !names.isEmpty { try Self.request(names.map(\.generalName), into: &coder) }
      if !kinds.isEmpty { try serializeTemplate(into: &coder) }
    }
  }

  /// CertificationRequestInfoTemplate: version, key, and attributes.
  private func serializeTemplate(into coder: inout DER.Serializer) throws {
    let blanks = kinds.map { kind -> GeneralName in
      switch kind {
      case .dns: .dnsName("")
      case .ip: .ipAddress(ASN1OctetString(contentBytes: []))
      case .uri: .uniformResourceIdentifier("")
      }
    }
    try Self.attribute(Self.requestTemplate, into: &coder) { coder in
      try coder.appendConstructedNode(identifier: .sequence) { coder in
        try coder.serialize(0)
        try coder.appendConstructedNode(identifier: .init(tagWithNumber: 0, tagClass: .contextSpecific)) { coder in
          try coder.appendConstructedNode(identifier: .sequence) { coder in
            try coder.serialize(Self.ecPublicKey)
            try coder.serialize(Self.prime256v1)
          }
        }
        try coder.appendConstructedNode(identifier: .init(tagWithNumber: 1, tagClass: .contextSpecific)) {
          try Self.request(names.map(\.generalName) + blanks, into: &$0)
        }
      }
    }
  }

  /// The attribute that asks for these alternative names.
  private static func request(_ names: [GeneralName], into coder: inout DER.Serializer) throws {
    let requested = try SubjectAlternativeNames(names).makeCertificateExtension()
    try attribute(extensionRequest, into: &coder) {
      try $0.appendConstructedNode(identifier: .sequence) { try $0.serialize(requested) }
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
  /// id-aa-certificationRequestInfoTemplate (RFC 9908 3.4).
  private static let requestTemplate: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 9, 16, 2, 61]
}
