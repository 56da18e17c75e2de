/// A certificate (Apple, SecCertificate.h). Two with the same bytes are equal.
public final class SecCertificate: Hashable, Sendable {
  /// The certificate's DER.
  package let der: [UInt8]

  init(der: [UInt8]) { self.der = der }

  /// Whether both have the same bytes.
  public static func == (a: SecCertificate, b: SecCertificate) -> Bool { a.der == b.der }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) { hasher.combine(der) }
}

/// The identifier of certificates: ``CFGetTypeID(_:)`` answers it for them.
public func SecCertificateGetTypeID() -> CFTypeID { 258 }
