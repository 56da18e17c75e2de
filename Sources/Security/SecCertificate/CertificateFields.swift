import LatchkeyByteCoding
internal import LatchkeyEnclaveKeys
import SwiftASN1

/// The fields of a certificate (RFC 5280 4.1) that the keychain uses.
///
/// The parser accepts the same input as Apple's (SecCertificate.c of Security-61901): versions 1 to 3, serial numbers up to
/// 37 bytes, names in any string type. It refuses invalid DER, trailing bytes, and malformed names.
struct CertificateFields: Sendable {
  /// 1, 2 or 3.
  let version: Int
  /// The bytes of the serial number's INTEGER.
  let serialNumber: [UInt8]
  /// The issuer's name.
  let issuer: DistinguishedName
  /// The subject's name.
  let subject: DistinguishedName
  /// The start of validity, in seconds since 2001-01-01 00:00:00 UTC.
  let notBefore: Double
  /// The end of validity (inclusive), in seconds since 2001-01-01 00:00:00 UTC.
  let notAfter: Double
  /// The bytes of the subjectPublicKey BIT STRING.
  let publicKey: [UInt8]
  /// The family of the public key; nil if it is not supported.
  let publicKeyFamily: KeyFamily?
  /// The extensions that the keychain uses.
  let extensions: CertificateExtensions

  /// The maximum length in bytes. A longer certificate could make the parser hold more than 20 MB of nodes.
  static let longest = 256 * 1024

  /// Parses DER; nil if it is not a certificate.
  init?(der: [UInt8]) {
    guard der.count <= Self.longest, let root = try? DER.parse(der),
      let certificate = root.elements(.sequence), certificate.count == 3,
      let toBeSigned = certificate[0].elements(.sequence), certificate[1].isAlgorithmIdentifier,
      certificate[2].bitString != nil
    else { return nil }
    var fields = toBeSigned[...]
    guard let version = Self.version(&fields), let serialNumber = fields.popFirst()?.primitive(.integer),
      (1...37).contains(serialNumber.count), fields.popFirst()?.isAlgorithmIdentifier == true,
      let issuer = fields.popFirst().flatMap(DistinguishedName.init),
      let validity = fields.popFirst()?.elements(.sequence), validity.count == 2,
      let notBefore = CertificateTime.seconds(validity[0]), let notAfter = CertificateTime.seconds(validity[1]),
      let subject = fields.popFirst().flatMap(DistinguishedName.init),
      let keyInfo = fields.popFirst()?.elements(.sequence), keyInfo.count == 2, keyInfo[0].isAlgorithmIdentifier,
      let publicKey = keyInfo[1].bitString, let extensions = Self.extensions(&fields), fields.isEmpty
    else { return nil }
    self.version = version
    self.serialNumber = Array(serialNumber)
    self.issuer = issuer
    self.subject = subject
    self.notBefore = notBefore
    self.notAfter = notAfter
    self.publicKey = Array(publicKey)
    publicKeyFamily = keyInfo[0].elements(.sequence)?.first?.objectIdentifier.flatMap(Self.family)
    self.extensions = extensions
  }

  /// Parses `[0] EXPLICIT INTEGER DEFAULT v1`; the default must not be encoded.
  private static func version(_ fields: inout ArraySlice<ASN1Node>) -> Int? {
    guard fields.first?.identifier == tag(0) else { return 1 }
    guard let explicit = fields.popFirst()?.elements(tag(0)), explicit.count == 1,
      let number = explicit[0].primitive(.integer), number.count == 1, let value = number.first, (1...2).contains(value)
    else { return nil }
    return Int(value) + 1
  }

  /// Skips the unique identifiers, which are unused, and parses `[3] EXPLICIT Extensions`.
  private static func extensions(_ fields: inout ArraySlice<ASN1Node>) -> CertificateExtensions? {
    for identifier in [tag(1), tag(2)] where fields.first?.identifier == identifier { fields.removeFirst() }
    guard fields.first?.identifier == tag(3) else { return CertificateExtensions() }
    guard let explicit = fields.popFirst()?.elements(tag(3)), explicit.count == 1 else { return nil }
    return CertificateExtensions(explicit[0])
  }

  /// The family of a key's algorithm.
  private static func family(_ algorithm: DERObjectIdentifier) -> KeyFamily? {
    switch algorithm {
    case .ecPublicKey: .ellipticCurve
    case .rsaEncryption: .rsa
    default: nil
    }
  }

  private static func tag(_ number: UInt) -> ASN1Identifier {
    ASN1Identifier(tagWithNumber: number, tagClass: .contextSpecific)
  }
}

/// The object identifiers of name attributes and extensions that the keychain uses.
extension DERObjectIdentifier {
  // Attributes of names (X.520 6, RFC 2985 5.2.1).
  static let commonName = DERObjectIdentifier(2, 5, 4, 3)
  static let organization = DERObjectIdentifier(2, 5, 4, 10)
  static let organizationalUnit = DERObjectIdentifier(2, 5, 4, 11)
  static let nameDescription = DERObjectIdentifier(2, 5, 4, 13)
  static let emailAddress = DERObjectIdentifier(1, 2, 840, 113549, 1, 9, 1)

  // Extensions (RFC 5280 4.2.1).
  static let subjectKeyIdentifier = DERObjectIdentifier(2, 5, 29, 14)
  static let subjectAlternativeName = DERObjectIdentifier(2, 5, 29, 17)
}
