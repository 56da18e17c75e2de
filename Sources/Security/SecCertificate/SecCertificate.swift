public import Foundation

/// A certificate (Apple, SecCertificate.h). Two with the same bytes are equal.
public final class SecCertificate: Hashable, Sendable {
  /// The certificate's DER.
  package let der: [UInt8]
  /// What it says.
  let fields: CertificateFields

  /// The certificate with this DER; nil for everything that is none.
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
  /// What subject and issuer are called.
  public var description: String {
    "<cert s: \(SubjectSummary.text(of: fields) ?? "") i: \(SubjectSummary.text(of: fields.issuer) ?? "")>"
  }
}

/// The certificate whose DER `data` is; nil if it is none, is longer than 256 KiB, or has bytes after its end.
@discardableResult
public func SecCertificateCreateWithData(_ allocator: CFAllocator?, _ data: CFData) -> SecCertificate? {
  guard data.length <= CertificateFields.longest else { return nil }
  return SecCertificate(der: Array(data as Data))
}

/// The certificate's DER.
@discardableResult
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData { Data(certificate.der) as NSData }

/// The bytes of the serial number's INTEGER. `error` is never set: each certificate has one.
@discardableResult
public func SecCertificateCopySerialNumberData(
  _ certificate: SecCertificate, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
  Data(certificate.fields.serialNumber) as NSData
}

/// The bytes of the serial number's INTEGER, as iOS before 11 spells the call.
@available(*, deprecated, renamed: "SecCertificateCopySerialNumberData")
@discardableResult
public func SecCertificateCopySerialNumber(_ certificate: SecCertificate) -> CFData? {
  SecCertificateCopySerialNumberData(certificate, nil)
}

/// The bytes of the serial number's INTEGER, as macOS before 10.13 spells the call.
@available(*, deprecated, renamed: "SecCertificateCopySerialNumberData")
@discardableResult
public func SecCertificateCopySerialNumber(
  _ certificate: SecCertificate, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
  SecCertificateCopySerialNumberData(certificate, error)
}

/// The first moment of the certificate's validity.
@discardableResult
public func SecCertificateCopyNotValidBeforeDate(_ certificate: SecCertificate) -> CFDate? {
  NSDate(timeIntervalSinceReferenceDate: certificate.fields.notBefore)
}

/// The last moment of the certificate's validity.
@discardableResult
public func SecCertificateCopyNotValidAfterDate(_ certificate: SecCertificate) -> CFDate? {
  NSDate(timeIntervalSinceReferenceDate: certificate.fields.notAfter)
}

/// The identifier of certificates: ``CFGetTypeID(_:)`` answers it for them.
@discardableResult
public func SecCertificateGetTypeID() -> CFTypeID { 258 }
