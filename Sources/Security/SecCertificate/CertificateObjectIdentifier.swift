/// The content of an OBJECT IDENTIFIER, as a certificate carries it. Compared as bytes: nobody asks for its numbers.
struct CertificateObjectIdentifier: Hashable, Sendable {
  /// The bytes behind tag and length.
  let bytes: [UInt8]

  /// 2.5.4.3.
  static let commonName = Self(bytes: [0x55, 0x04, 0x03])
  /// 2.5.4.10.
  static let organization = Self(bytes: [0x55, 0x04, 0x0A])
  /// 2.5.4.11.
  static let organizationalUnit = Self(bytes: [0x55, 0x04, 0x0B])
  /// 2.5.4.13.
  static let description = Self(bytes: [0x55, 0x04, 0x0D])
  /// 1.2.840.113549.1.9.1.
  static let emailAddress = Self(bytes: [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x01])
  /// 2.5.29.14.
  static let subjectKeyIdentifier = Self(bytes: [0x55, 0x1D, 0x0E])
  /// 2.5.29.17.
  static let subjectAlternativeName = Self(bytes: [0x55, 0x1D, 0x11])
}
