/// A certificate that was issued.
public struct CertificateRecord: Sendable, Hashable {
  /// SHA-256 of the DER.
  public var fingerprint: Fingerprint
  /// The serial number, big endian, as it stands in the certificate.
  public var serial: [UInt8]
  /// Whose it is.
  public var device: Identifier
  /// Its end.
  public var notAfter: Int64
  /// When it was revoked.
  public var revoked: Int64?
  /// CRLReason (RFC 5280 5.3.1).
  public var reason: Int?
  /// The key identifier of the authority that issued it (RFC 5280 4.2.1.2). Nil for a certificate from before this was recorded:
  /// any authority of the server may have issued it.
  public var issuer: [UInt8]?

  /// A certificate.
  public init(
    fingerprint: Fingerprint, serial: [UInt8], device: Identifier, notAfter: Int64, revoked: Int64? = nil,
    reason: Int? = nil, issuer: [UInt8]? = nil
  ) {
    self.fingerprint = fingerprint
    self.serial = serial
    self.device = device
    self.notAfter = notAfter
    self.revoked = revoked
    self.reason = reason
    self.issuer = issuer
  }

  /// Whether the authority with this key identifier issued it, as far as is recorded.
  public func mayBe(issuedBy authority: [UInt8]) -> Bool { issuer == nil || issuer == authority }
}
