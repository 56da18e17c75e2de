import LatchkeyByteCoding
import SwiftASN1

/// All fields of a certificate (RFC 5280 4.1), parsed on demand: ``CertificateFields`` keeps those that the keychain uses.
struct CertificateDocument {
  /// An extension.
  struct Extension {
    let identifier: DERObjectIdentifier
    let isCritical: Bool
    /// The content of the OCTET STRING.
    let value: ArraySlice<UInt8>
  }

  /// The algorithm of the signature, as it is signed.
  let signatureAlgorithm: ASN1Node
  let issuer: ASN1Node
  let subject: ASN1Node
  /// The algorithm of the public key.
  let keyAlgorithm: ASN1Node
  /// The content of BIT STRINGs, with the count of unused bits in front.
  let issuerUniqueID: ArraySlice<UInt8>?
  let subjectUniqueID: ArraySlice<UInt8>?
  /// In the order of the certificate.
  let extensions: [Extension]
  /// The bytes of the signature.
  let signature: ArraySlice<UInt8>

  /// Parses DER that ``CertificateFields`` accepts; nil for any other.
  init?(der: [UInt8]) {
    guard let certificate = (try? DER.parse(der))?.elements(.sequence), certificate.count == 3,
      var fields = certificate[0].elements(.sequence)?[...], let signature = certificate[2].bitString
    else { return nil }
    _ = fields.popFirst(tagged: 0)
    // The serial number, the algorithm, the issuer, the validity, the subject and the key.
    guard fields.count >= 6 else { return nil }
    _ = fields.removeFirst()
    signatureAlgorithm = fields.removeFirst()
    issuer = fields.removeFirst()
    _ = fields.removeFirst()
    subject = fields.removeFirst()
    guard let key = fields.removeFirst().elements(.sequence), let algorithm = key.first else { return nil }
    keyAlgorithm = algorithm
    issuerUniqueID = fields.popFirst(tagged: 1)?.contentBytes
    subjectUniqueID = fields.popFirst(tagged: 2)?.contentBytes
    let explicit = fields.popFirst(tagged: 3)
    let sequence = explicit.flatMap { $0.elements($0.identifier)?.first?.elements(.sequence) } ?? []
    extensions = sequence.compactMap(Self.certificateExtension)
    self.signature = signature
  }

  private static func certificateExtension(_ node: ASN1Node) -> Extension? {
    guard let parts = node.elements(.sequence), let identifier = parts.first?.objectIdentifier,
      let value = parts.last?.primitive(.octetString)
    else { return nil }
    return Extension(
      identifier: identifier, isCritical: parts.count == 3 && parts[1].primitive(.boolean)?.first != 0, value: value)
  }

  /// The value of the first extension of this type; nil if there is none, or none that can be parsed.
  func node(of identifier: DERObjectIdentifier) -> ASN1Node? {
    extensions.first { $0.identifier == identifier }.flatMap { try? DER.parse($0.value) }
  }

  /// The bits of a BIT STRING's content of one or two bytes, the first of them first; nil for another length.
  static func bits(_ content: ArraySlice<UInt8>) -> [Bool]? {
    var bytes = content
    guard let unused = bytes.popFirst(), unused < 8, (1...2).contains(bytes.count) else { return nil }
    var bits: [Bool] = []
    for byte in bytes { bits += (0..<8).map { byte & (0x80 >> $0) != 0 } }
    return Array(bits.dropLast(Int(unused)))
  }
}

/// Object identifiers of extensions (RFC 5280 4.2) and of policy qualifiers.
extension DERObjectIdentifier {
  static let keyUsage = DERObjectIdentifier(2, 5, 29, 15)
  static let issuerAlternativeName = DERObjectIdentifier(2, 5, 29, 18)
  static let basicConstraints = DERObjectIdentifier(2, 5, 29, 19)
  static let nameConstraints = DERObjectIdentifier(2, 5, 29, 30)
  static let crlDistributionPoints = DERObjectIdentifier(2, 5, 29, 31)
  static let certificatePolicies = DERObjectIdentifier(2, 5, 29, 32)
  static let authorityKeyIdentifier = DERObjectIdentifier(2, 5, 29, 35)
  static let policyConstraints = DERObjectIdentifier(2, 5, 29, 36)
  static let extendedKeyUsage = DERObjectIdentifier(2, 5, 29, 37)
  static let authorityInformationAccess = DERObjectIdentifier(1, 3, 6, 1, 5, 5, 7, 1, 1)
  static let subjectInformationAccess = DERObjectIdentifier(1, 3, 6, 1, 5, 5, 7, 1, 11)
  static let practiceStatement = DERObjectIdentifier(1, 3, 6, 1, 5, 5, 7, 2, 1)
  static let userNotice = DERObjectIdentifier(1, 3, 6, 1, 5, 5, 7, 2, 2)
  static let netscapeCertificateType = DERObjectIdentifier(2, 16, 840, 1, 113730, 1, 1)
}
