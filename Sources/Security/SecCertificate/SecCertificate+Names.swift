// The names in a certificate (Apple, SecCertificate.h).

public import Foundation

/// The certificate's title in a list: usually its subject's common name. Nil if it has no names.
@discardableResult
public func SecCertificateCopySubjectSummary(_ certificate: SecCertificate) -> CFString? {
  SubjectSummary.text(of: certificate.fields).map { $0 as NSString }
}

/// Stores the subject's common name, the last one if there are several, and returns `errSecSuccess`. For a subject without
/// one it returns -26276, which has no public name, and stores nothing.
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
/// none, or if one cannot be parsed.
@discardableResult
public func SecCertificateCopyEmailAddresses(
  _ certificate: SecCertificate, _ emailAddresses: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
  emailAddresses.pointee = (certificate.fields.mailAddresses ?? []) as NSArray
  return errSecSuccess
}

/// The issuer's name as normalized DER, for use with `kSecMatchIssuers`.
@discardableResult
public func SecCertificateCopyNormalizedIssuerSequence(_ certificate: SecCertificate) -> CFData? {
  Data(certificate.fields.issuer.normalizedSequence) as NSData
}

/// The subject's name as normalized DER.
@discardableResult
public func SecCertificateCopyNormalizedSubjectSequence(_ certificate: SecCertificate) -> CFData? {
  Data(certificate.fields.subject.normalizedSequence) as NSData
}
