// Whose a certificate is (Apple, SecCertificate.h).

public import Foundation

/// What the certificate is called in a list: usually its subject's common name. Nil if its names hold nothing.
@discardableResult
public func SecCertificateCopySubjectSummary(_ certificate: SecCertificate) -> CFString? {
  SubjectSummary.text(of: certificate.fields).map { $0 as NSString }
}

/// Stores the subject's common name, the last one if there are several, and answers `errSecSuccess`. A subject without
/// one answers -26276, which has no public name, and stores nothing.
@discardableResult
public func SecCertificateCopyCommonName(
  _ certificate: SecCertificate, _ commonName: UnsafeMutablePointer<CFString?>
) -> OSStatus {
  guard let name = certificate.fields.subject.texts(of: .commonName).last else { return noCommonName }
  commonName.pointee = name as NSString
  return errSecSuccess
}

/// `errSecInternal` of Apple's private header.
private let noCommonName: OSStatus = -26276

/// Stores an array of the certificate's mail addresses, those of the subject alternative name first; empty if there are
/// none, or if one cannot be read.
@discardableResult
public func SecCertificateCopyEmailAddresses(
  _ certificate: SecCertificate, _ emailAddresses: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
  emailAddresses.pointee = (certificate.fields.mailAddresses ?? []) as NSArray
  return errSecSuccess
}

/// The issuer's name as DER, normalized: what `kSecMatchIssuers` compares.
@discardableResult
public func SecCertificateCopyNormalizedIssuerSequence(_ certificate: SecCertificate) -> CFData? {
  Data(certificate.fields.issuer.normalizedSequence) as NSData
}

/// The subject's name as DER, normalized.
@discardableResult
public func SecCertificateCopyNormalizedSubjectSequence(_ certificate: SecCertificate) -> CFData? {
  Data(certificate.fields.subject.normalizedSequence) as NSData
}
