public import Foundation
internal import LatchkeyEnclaveKeys

/// A certificate (Apple, SecCertificate.h). Two certificates with the same bytes are equal.
public final class SecCertificate: Hashable, Sendable {
  /// The certificate's DER.
  package let der: [UInt8]
  /// The parsed fields.
  let fields: CertificateFields

  /// Creates a certificate from its DER; nil if it is not a certificate.
  package init?(der: [UInt8]) {
    guard let fields = CertificateFields(der: der) else { return nil }
    self.der = der
    self.fields = fields
  }

  /// Whether both have the same bytes.
  public static func == (a: SecCertificate, b: SecCertificate) -> Bool { a.der == b.der }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) { hasher.combine(der) }
}

extension SecCertificate: CustomStringConvertible {
  /// The summaries of the subject and the issuer.
  public var description: String {
    "<cert s: \(SubjectSummary.text(of: fields) ?? "") i: \(SubjectSummary.text(of: fields.issuer) ?? "")>"
  }
}

/// Creates a certificate from its DER; nil if `data` is not a certificate, is longer than 256 KiB, or has trailing bytes.
@discardableResult
public func SecCertificateCreateWithData(_ allocator: CFAllocator?, _ data: CFData) -> SecCertificate? {
  guard data.length <= CertificateFields.longest else { return nil }
  return SecCertificate(der: Array(data as Data))
}

/// The certificate's DER.
@discardableResult
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData { Data(certificate.der) as NSData }

/// The bytes of the serial number's INTEGER. `error` is never set, because each certificate has a serial number.
@discardableResult
public func SecCertificateCopySerialNumberData(
  _ certificate: SecCertificate, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
  Data(certificate.fields.serialNumber) as NSData
}

/// The bytes of the serial number's INTEGER, by the name of the function before iOS 11.
@available(*, deprecated, renamed: "SecCertificateCopySerialNumberData")
@discardableResult
public func SecCertificateCopySerialNumber(_ certificate: SecCertificate) -> CFData? {
  SecCertificateCopySerialNumberData(certificate, nil)
}

/// The bytes of the serial number's INTEGER, by the name of the function before macOS 10.13.
@available(*, deprecated, renamed: "SecCertificateCopySerialNumberData")
@discardableResult
public func SecCertificateCopySerialNumber(
  _ certificate: SecCertificate, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
  SecCertificateCopySerialNumberData(certificate, error)
}

/// The start of the certificate's validity.
@discardableResult
public func SecCertificateCopyNotValidBeforeDate(_ certificate: SecCertificate) -> CFDate? {
  NSDate(timeIntervalSinceReferenceDate: certificate.fields.notBefore)
}

/// The end of the certificate's validity.
@discardableResult
public func SecCertificateCopyNotValidAfterDate(_ certificate: SecCertificate) -> CFDate? {
  NSDate(timeIntervalSinceReferenceDate: certificate.fields.notAfter)
}

/// The identifier of certificates, which ``CFGetTypeID(_:)`` returns for them.
@discardableResult
public func SecCertificateGetTypeID() -> CFTypeID { 258 }

/// The public key of a certificate (Apple, SecCertificate.h); nil for an unsupported key, such as a curve other than P-256,
/// P-384 and P-521, or RSA with more than 16384 bits.
@discardableResult
public func SecCertificateCopyKey(_ certificate: SecCertificate) -> SecKey? {
  guard let family = certificate.fields.publicKeyFamily,
    let key = try? PublicKey(externalRepresentation: certificate.fields.publicKey, family: family)
  else { return nil }
  return SecKey(.public(key))
}

/// The older iOS name of ``SecCertificateCopyKey(_:)``.
@available(*, deprecated, renamed: "SecCertificateCopyKey")
@discardableResult
public func SecCertificateCopyPublicKey(_ certificate: SecCertificate) -> SecKey? { SecCertificateCopyKey(certificate) }
