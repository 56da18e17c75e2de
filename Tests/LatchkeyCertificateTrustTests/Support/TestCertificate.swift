import Crypto
import Foundation
import Security
import SwiftASN1
import X509

/// A certificate made for a test, with its key.
struct TestCertificate {
  let certificate: Certificate
  let key: P256.Signing.PrivateKey

  /// In the API's form.
  var object: SecCertificate {
    guard let object = SecCertificateCreateWithData(nil, Data(der) as CFData) else { fatalError("no certificate") }
    return object
  }

  var der: [UInt8] {
    var serializer = DER.Serializer()
    guard (try? serializer.serialize(certificate)) != nil else { fatalError("no certificate") }
    return serializer.serializedBytes
  }

  /// The time at which test certificates are evaluated: 2030-01-01 00:00:00 UTC.
  static let now = Date(timeIntervalSince1970: 1_893_456_000)
  static let day: TimeInterval = 86_400

  /// A certificate of `subject`, signed by `issuer` or by itself.
  static func make(
    _ subject: String, by issuer: TestCertificate? = nil, key: P256.Signing.PrivateKey = .init(),
    version: Certificate.Version = .v3, from: Date = now - 100 * day, to: Date = now + 100 * day,
    organization: String? = nil, _ extensions: [any CertificateExtensionConvertible] = []
  ) -> TestCertificate {
    do {
      let certificate = try Certificate(
        version: version, serialNumber: Certificate.SerialNumber(), publicKey: .init(key.publicKey),
        notValidBefore: from, notValidAfter: to, issuer: issuer?.certificate.subject ?? name(subject, organization),
        subject: name(subject, organization), signatureAlgorithm: .ecdsaWithSHA256,
        extensions: try Certificate.Extensions(extensions.map { try $0.makeCertificateExtension() }),
        issuerPrivateKey: .init(issuer?.key ?? key))
      return TestCertificate(certificate: certificate, key: key)
    } catch {
      fatalError("\(error)")
    }
  }

  /// An authority, signed by `issuer` or by itself.
  static func authority(
    _ subject: String, by issuer: TestCertificate? = nil, key: P256.Signing.PrivateKey = .init(),
    longest: Int? = nil, from: Date = now - 100 * day, to: Date = now + 100 * day,
    _ more: [any CertificateExtensionConvertible] = []
  ) -> TestCertificate {
    make(
      subject, by: issuer, key: key, from: from, to: to,
      [Critical(BasicConstraints.isCertificateAuthority(maxPathLength: longest))] + more)
  }

  /// A server's certificate for these hosts.
  static func server(
    _ hosts: String..., by issuer: TestCertificate, _ more: [any CertificateExtensionConvertible] = []
  ) -> TestCertificate {
    make("server", by: issuer, [SubjectAlternativeNames(hosts.map { .dnsName($0) })] + more)
  }

  private static func name(_ common: String, _ organization: String?) throws -> DistinguishedName {
    try DistinguishedName {
      if let organization { OrganizationName(organization) }
      CommonName(common)
    }
  }

  /// The same bytes but for one bit, `place` from the end.
  func altered(at place: Int) -> SecCertificate? {
    var bytes = der
    bytes[bytes.count - 1 - place] ^= 1
    return SecCertificateCreateWithData(nil, Data(bytes) as CFData)
  }
}

/// An extension that must be understood.
struct UnknownExtension: CertificateExtensionConvertible {
  var isCritical: Bool
  var oid: ASN1ObjectIdentifier = [1, 2, 3, 4]

  func makeCertificateExtension() -> Certificate.Extension {
    .init(oid: oid, critical: isCritical, value: [4, 1, 0])
  }
}
