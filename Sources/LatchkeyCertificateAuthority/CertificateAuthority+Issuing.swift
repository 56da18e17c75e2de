internal import Crypto
public import Foundation
internal import SwiftASN1
internal import X509

extension CertificateAuthority {
  /// Issues a client's certificate: subject `CN=device, O=user` (without O for a user of more than 64 characters, the limit of
  /// RFC 5280 A.1; the device identifies the user), alternative name `urn:latchkey:device:<device>`, key usage
  /// digitalSignature, extended clientAuth.
  ///
  /// - Parameters:
  ///   - publicKey: X9.63, 65 bytes.
  ///   - serial: 16 to 20 random bytes, the first below 0x80 and not 0.
  ///   - alternativeNames: further alternative names.
  /// - Returns: DER.
  public func issueClient(
    device: String, user: String, publicKey: [UInt8], serial: [UInt8], notBefore: Date, notAfter: Date,
    alternativeNames: [AlternativeName] = []
  ) throws(AuthorityError) -> [UInt8] {
    let subject = try Self.clientSubject(device: device, user: user)
    return try issueLeaf(
      subject: subject, publicKey: publicKey, serial: serial, notBefore: notBefore, notAfter: notAfter,
      usage: .clientAuth, names: Self.clientNames(device: device) + alternativeNames.map(\.generalName))
  }

  /// The subject of a client's certificate.
  static func clientSubject(device: String, user: String) throws(AuthorityError) -> DistinguishedName {
    do {
      return try DistinguishedName {
        if (1...64).contains(user.unicodeScalars.count) { OrganizationName(user) }
        CommonName(device)
      }
    } catch { throw .misuse("these are no names for a certificate: \(device), \(user)") }
  }

  /// The alternative names of a client's certificate.
  static func clientNames(device: String) -> [GeneralName] {
    [.uniformResourceIdentifier("urn:latchkey:device:\(device)")]
  }

  /// Issues a server's certificate for host names and addresses: extended key usage serverAuth.
  ///
  /// - Parameters:
  ///   - names: DNS names (also `*.` and a name), IPv4 and IPv6 addresses; the first is the common name as well.
  ///   - publicKey: X9.63, 65 bytes.
  ///   - serial: as for a client.
  /// - Returns: DER.
  public func issueServer(
    names: [String], publicKey: [UInt8], serial: [UInt8], notBefore: Date, notAfter: Date
  ) throws(AuthorityError) -> [UInt8] {
    guard let first = names.first else { throw .misuse("a server's certificate is for at least one name") }
    var general: [GeneralName] = []
    for name in names { general.append(try HostName(name).generalName) }
    let subject: DistinguishedName
    // A common name has at most 64 characters (RFC 5280 A.1). Verifiers compare the alternative names, not the common name.
    do { subject = try DistinguishedName { CommonName(String(first.prefix(64))) } } catch {
      throw .misuse("this is no name for a certificate: \(first)")
    }
    return try issueLeaf(
      subject: subject, publicKey: publicKey, serial: serial, notBefore: notBefore, notAfter: notAfter,
      usage: .serverAuth, names: general)
  }

  private func issueLeaf(
    subject: DistinguishedName, publicKey: [UInt8], serial: [UInt8], notBefore: Date, notAfter: Date,
    usage: ExtendedKeyUsage.Usage, names: [GeneralName]
  ) throws(AuthorityError) -> [UInt8] {
    guard let point = try? P256.Signing.PublicKey(x963Representation: publicKey) else {
      throw .misuse("a certificate is issued for a key of P-256, 65 bytes of X9.63")
    }
    guard notAfter <= self.notAfter else {
      throw .misuse("the authority's own certificate ends before: renew it first")
    }
    let key = Certificate.PublicKey(point)
    return try Self.issue(
      subject: subject, publicKey: key, serial: serial, issuer: certificate.subject, signer: signer,
      notBefore: notBefore, notAfter: notAfter
    ) {
      try $0.append(Critical(BasicConstraints.notCertificateAuthority).makeCertificateExtension())
      try $0.append(Critical(KeyUsage(digitalSignature: true)).makeCertificateExtension())
      try $0.append(ExtendedKeyUsage([usage]).makeCertificateExtension())
      try $0.append(SubjectKeyIdentifier(hash: key).makeCertificateExtension())
      try $0.append(AuthorityKeyIdentifier(keyIdentifier: keyIdentifier).makeCertificateExtension())
      try $0.append(SubjectAlternativeNames(names).makeCertificateExtension())
      let statusURL = usage == .clientAuth ? statusURL : nil
      if issuerURL != nil || statusURL != nil {
        try $0.append(AuthorityAccess(issuer: issuerURL, status: statusURL).makeCertificateExtension())
      }
      if let revocationListURL { try $0.append(DistributionPoint(url: revocationListURL).makeCertificateExtension()) }
    }
  }

  /// Builds and signs a certificate.
  static func issue(
    subject: DistinguishedName, publicKey: Certificate.PublicKey, serial: [UInt8], issuer: DistinguishedName,
    signer: AuthoritySigner, notBefore: Date, notAfter: Date,
    extensions add: (inout [Certificate.Extension]) throws -> Void
  ) throws(AuthorityError) -> [UInt8] {
    // CA/Browser Forum BR 7.1: at least 64 random bits; RFC 5280 4.1.2.2: positive, at most 20 bytes.
    guard (16...20).contains(serial.count), let first = serial.first, (0x01..<0x80).contains(first) else {
      throw .misuse("a serial number has 16 to 20 bytes, the first below 0x80 and not 0")
    }
    guard notBefore < notAfter else { throw .misuse("a certificate ends after it begins") }
    do {
      var extensions: [Certificate.Extension] = []
      try add(&extensions)
      let certificate = try Certificate(
        version: .v3, serialNumber: Certificate.SerialNumber(bytes: serial), publicKey: publicKey,
        notValidBefore: notBefore, notValidAfter: notAfter, issuer: issuer, subject: subject,
        signatureAlgorithm: .ecdsaWithSHA256, extensions: Certificate.Extensions(extensions),
        issuerPrivateKey: Certificate.PrivateKey(signer))
      var serializer = DER.Serializer()
      try serializer.serialize(certificate)
      return serializer.serializedBytes
    } catch let error as AuthorityError {
      throw error
    } catch {
      throw .misuse("this cannot be put into a certificate: \(error)")
    }
  }
}
