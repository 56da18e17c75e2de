// Written as programs write it.
// swift-format-ignore-file: NeverForceUnwrap

import Foundation
import Security
import Testing

@Suite struct CertificateValues {
  /// As viewers of certificates and pinning libraries do.
  private func expiration(of certificate: SecCertificate) -> Date? {
    guard
      let values = SecCertificateCopyValues(certificate, [kSecOIDX509V1ValidityNotAfter] as CFArray, nil)
        as? [CFString: [CFString: Any]],
      let number = values[kSecOIDX509V1ValidityNotAfter]?[kSecPropertyKeyValue] as? NSNumber
    else { return nil }
    return Date(timeIntervalSinceReferenceDate: number.doubleValue)
  }

  private func subject(of certificate: SecCertificate) -> [String: String] {
    var error: Unmanaged<CFError>?
    guard let values = SecCertificateCopyValues(certificate, nil, &error) as? [String: Any],
      let subject = values[kSecOIDX509V1SubjectName as String] as? [String: Any],
      subject[kSecPropertyKeyType as String] as? String == kSecPropertyTypeSection as String,
      let attributes = subject[kSecPropertyKeyValue as String] as? [[String: Any]]
    else { return [:] }
    var names: [String: String] = [:]
    for attribute in attributes {
      if let label = attribute[kSecPropertyKeyLabel as String] as? String {
        names[label] = attribute[kSecPropertyKeyValue as String] as? String
      }
    }
    return names
  }

  @Test func endAndSubject() throws {
    let certificate = SecCertificateCreateWithData(nil, SmallNames.certificate as CFData)!
    #expect(expiration(of: certificate) == SecCertificateCopyNotValidAfterDate(certificate)! as Date)
    #expect(subject(of: certificate) == [kSecOIDCommonName as String: "Version One"])
  }

  @Test func usage() {
    let usage: SecKeyUsage = [.digitalSignature, .keyEncipherment]
    #expect(usage.contains(.digitalSignature) && !usage.contains(.crlSign) && usage.rawValue == 5)
  }
}
