import SwiftASN1
import X509

// WebAuthn level 2 8.3.1; TCG "EK Credential Profile" 3.2.9 for the names of a TPM.

/// The requirements for an attestation key's certificate.
enum AttestationKeyCertificate {
  /// Validates the certificate and returns the TPM's identity.
  static func check(_ certificate: Certificate) throws(CertificateFault) -> TPMIdentity {
    guard certificate.version == .v3 else { throw .version }
    guard certificate.subject.isEmpty else { throw .subject }
    guard case .notCertificateAuthority? = try? certificate.extensions.basicConstraints else { throw .basicConstraints }
    guard let usage = try? certificate.extensions.keyUsage ?? KeyUsage(digitalSignature: true), usage.digitalSignature
    else { throw .keyUsage }
    try checkUsage(certificate, mayBeAbsent: false)
    guard let names = try? certificate.extensions.subjectAlternativeNames, let identity = identity(names) else {
      throw .alternativeName
    }
    return identity
  }

  /// tcg-kp-AIKCertificate must be among the extended key usages.
  static func checkUsage(_ certificate: Certificate, mayBeAbsent: Bool) throws(CertificateFault) {
    let usages: ExtendedKeyUsage?
    do { usages = try certificate.extensions.extendedKeyUsage } catch { throw .extendedKeyUsage }
    guard let usages else {
      if mayBeAbsent { return }
      throw .extendedKeyUsage
    }
    guard usages.contains(attestationKey) || (mayBeAbsent && usages.contains(.any)) else { throw .extendedKeyUsage }
  }

  private static func identity(_ names: SubjectAlternativeNames) -> TPMIdentity? {
    for case .directoryName(let name) in names {
      var values: [ASN1ObjectIdentifier: String] = [:]
      for attribute in name.lazy.joined() where [manufacturer, model, version].contains(attribute.type) {
        // A repeated attribute is ambiguous.
        guard let value = String(attribute.value), values.updateValue(value, forKey: attribute.type) == nil else {
          return nil
        }
      }
      guard let maker = values[manufacturer], let model = values[model], let version = values[version] else { continue }
      // The vendor's number is four bytes (TCG Vendor ID Registry).
      guard maker.hasPrefix("id:"), maker.utf8.count == 11, maker.dropFirst(3).allSatisfy(\.isHexDigit) else {
        return nil
      }
      return TPMIdentity(manufacturer: maker, model: model, version: version)
    }
    return nil
  }

  private static let attestationKey = ExtendedKeyUsage.Usage(oid: [2, 23, 133, 8, 3])
  private static let manufacturer: ASN1ObjectIdentifier = [2, 23, 133, 2, 1]
  private static let model: ASN1ObjectIdentifier = [2, 23, 133, 2, 2]
  private static let version: ASN1ObjectIdentifier = [2, 23, 133, 2, 3]
}
