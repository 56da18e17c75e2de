import Crypto
package import Foundation
package import Security
import SwiftASN1
package import X509

/// An authority that lives as long as a test: a root, an issuer below it, and what they issue.
package struct TestAuthority: Sendable {
  /// A certificate with the key that can issue below it.
  package struct Signer: Sendable {
    package let certificate: Certificate
    package let key: Certificate.PrivateKey
  }

  package let root: Signer
  package let issuer: Signer

  package init(name: String = "Latchkey test") throws {
    root = try Self.authority(named: "\(name) root", by: nil)
    issuer = try Self.authority(named: "\(name) issuer", by: root)
  }

  /// The issuer and the root, DER.
  package var chain: [[UInt8]] { get throws { try [issuer.certificate.bytes, root.certificate.bytes] } }

  /// A server's certificate, for localhost unless said otherwise, with its key in PKCS#8.
  ///
  /// - Parameter names: no address is among them: NIOSSL would accept one that fits the connection, whatever the host's name.
  package func server(names: [String] = ["localhost"]) throws -> (chain: [[UInt8]], key: [UInt8]) {
    let key = P256.Signing.PrivateKey()
    let leaf = try Self.leaf(
      "server", .init(key.publicKey), by: issuer, usage: .serverAuth,
      names: names.map { .dnsName($0) })
    return ([try leaf.bytes, try issuer.certificate.bytes], Array(key.derRepresentation))
  }

  /// A client's certificate for a public key.
  package func client(
    _ name: String, for key: Certificate.PublicKey, notBefore: Date = Date() - 60, notAfter: Date = Date() + 3600
  ) throws -> SecCertificate {
    let leaf = try Self.leaf(name, key, by: issuer, usage: .clientAuth, notBefore: notBefore, notAfter: notAfter)
    return try SecCertificate(leaf)
  }

  /// A client's certificate for a key of the keychain.
  package func client(
    _ name: String, for key: SecKey, notBefore: Date = Date() - 60, notAfter: Date = Date() + 3600
  ) throws -> SecCertificate {
    let half = SecKeyCopyPublicKey(key).flatMap { SecKeyCopyExternalRepresentation($0, nil) }
    let point = Array((half ?? NSData()) as Data)
    return try client(
      name, for: .init(P256.Signing.PublicKey(x963Representation: point)), notBefore: notBefore, notAfter: notAfter)
  }

  /// An authority's certificate, self-signed without an issuer.
  package static func authority(named name: String, by parent: Signer?) throws -> Signer {
    let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
    let subject = try DistinguishedName { CommonName(name) }
    let certificate = try Certificate(
      version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key.publicKey, notValidBefore: Date() - 3600,
      notValidAfter: Date() + 86_400, issuer: parent?.certificate.subject ?? subject, subject: subject,
      signatureAlgorithm: .ecdsaWithSHA256,
      extensions: try Certificate.Extensions {
        Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
        Critical(KeyUsage(keyCertSign: true, cRLSign: true))
      },
      issuerPrivateKey: parent?.key ?? key)
    return Signer(certificate: certificate, key: key)
  }

  private static func leaf(
    _ name: String, _ key: Certificate.PublicKey, by signer: Signer, usage: ExtendedKeyUsage.Usage,
    names: [GeneralName] = [], notBefore: Date = Date() - 60, notAfter: Date = Date() + 3600
  ) throws -> Certificate {
    try Certificate(
      version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key, notValidBefore: notBefore,
      notValidAfter: notAfter, issuer: signer.certificate.subject,
      subject: try DistinguishedName { CommonName(name) }, signatureAlgorithm: .ecdsaWithSHA256,
      extensions: try Certificate.Extensions {
        Critical(BasicConstraints.notCertificateAuthority)
        Critical(KeyUsage(digitalSignature: true))
        try ExtendedKeyUsage([usage])
        if !names.isEmpty { SubjectAlternativeNames(names) }
      },
      issuerPrivateKey: signer.key)
  }
}

extension Certificate {
  /// The DER.
  package var bytes: [UInt8] {
    get throws {
      var serializer = DER.Serializer()
      try serializer.serialize(self)
      return serializer.serializedBytes
    }
  }
}

/// The same certificate as `Security` has it.
package func SecCertificate(_ certificate: Certificate) throws -> SecCertificate {
  guard let made = SecCertificateCreateWithData(nil, Data(try certificate.bytes) as CFData) else {
    throw CocoaError(.fileReadCorruptFile)
  }
  return made
}
