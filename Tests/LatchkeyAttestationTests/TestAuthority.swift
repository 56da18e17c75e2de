import Crypto
import Foundation
import SwiftASN1
import X509

/// The fields of a certificate besides names and keys.
struct TestCertificate {
  var version = Certificate.Version.v3
  var subject = DistinguishedName()
  var basicConstraints: BasicConstraints?
  var keyUsage: KeyUsage?
  var usages: [ASN1ObjectIdentifier]?
  var alternativeNames: [GeneralName]?
  var others: [Certificate.Extension] = []
  var notBefore = Composed.now - 86_400
  var notAfter = Composed.now + 86_400

  static let usage: ASN1ObjectIdentifier = [2, 23, 133, 8, 3]

  static let attestationKey = TestCertificate(
    basicConstraints: .notCertificateAuthority, keyUsage: KeyUsage(digitalSignature: true), usages: [usage],
    alternativeNames: [tpm()])

  static func authority(_ name: String, pathLength: Int? = nil) -> TestCertificate {
    TestCertificate(
      subject: Self.name(name), basicConstraints: .isCertificateAuthority(maxPathLength: pathLength),
      keyUsage: KeyUsage(keyCertSign: true))
  }

  static func name(_ text: String) -> DistinguishedName {
    // The text is fixed, and a common name accepts any.
    (try? DistinguishedName { CommonName(text) }) ?? DistinguishedName()
  }

  /// The names of a TPM, each in a set of its own.
  static func tpm(manufacturer: String? = "id:00001014", model: String? = "m", version: String? = "id:1") -> GeneralName
  {
    let values: [(ASN1ObjectIdentifier, String?)] = [
      ([2, 23, 133, 2, 1], manufacturer), ([2, 23, 133, 2, 2], model), ([2, 23, 133, 2, 3], version),
    ]
    return .directoryName(
      DistinguishedName(
        values.compactMap { type, value in
          value.map { RelativeDistinguishedName(.init(type: type, utf8String: $0)) }
        }))
  }

  func encoded(
    _ key: P256.Signing.PublicKey, issuer: DistinguishedName, by issuerKey: P256.Signing.PrivateKey,
    algorithm: Certificate.SignatureAlgorithm = .ecdsaWithSHA256
  ) throws -> [UInt8] {
    try encoded(Certificate.PublicKey(key), issuer: issuer, by: issuerKey, algorithm: algorithm)
  }

  func encoded(
    _ key: Certificate.PublicKey, issuer: DistinguishedName, by issuerKey: P256.Signing.PrivateKey,
    algorithm: Certificate.SignatureAlgorithm = .ecdsaWithSHA256
  ) throws -> [UInt8] {
    var extensions = Certificate.Extensions()
    if let basicConstraints { try extensions.append(Certificate.Extension(basicConstraints, critical: true)) }
    if let keyUsage { try extensions.append(Certificate.Extension(keyUsage, critical: true)) }
    if let usages {
      let usage = try ExtendedKeyUsage(usages.map { ExtendedKeyUsage.Usage(oid: $0) })
      try extensions.append(Certificate.Extension(usage, critical: false))
    }
    if let alternativeNames {
      try extensions.append(Certificate.Extension(SubjectAlternativeNames(alternativeNames), critical: true))
    }
    for other in others { try extensions.append(other) }
    let certificate = try Certificate(
      version: version, serialNumber: Certificate.SerialNumber(), publicKey: key, notValidBefore: notBefore,
      notValidAfter: notAfter, issuer: issuer, subject: subject, signatureAlgorithm: algorithm, extensions: extensions,
      issuerPrivateKey: .init(issuerKey))
    var serializer = DER.Serializer()
    try serializer.serialize(certificate)
    return serializer.serializedBytes
  }
}

/// A root and one authority below it.
struct TestAuthority {
  var rootKey = P256.Signing.PrivateKey()
  var key = P256.Signing.PrivateKey()
  var rootShape = TestCertificate.authority("Root")
  var shape = TestCertificate.authority("Authority", pathLength: 0)

  func root() throws -> [UInt8] {
    try rootShape.encoded(rootKey.publicKey, issuer: rootShape.subject, by: rootKey)
  }

  func certificate() throws -> [UInt8] {
    try shape.encoded(key.publicKey, issuer: rootShape.subject, by: rootKey)
  }

  func issue(_ certificate: TestCertificate, to key: P256.Signing.PublicKey) throws -> [UInt8] {
    try certificate.encoded(key, issuer: shape.subject, by: self.key)
  }
}
