package import LatchkeyEnrollmentProtocol
package import LatchkeyEnrollmentStore

/// The device that a connection's certificate identifies, looked up for this request: neither revoked nor expired.
package struct AuthenticatedDevice: Sendable, Hashable {
  package let id: Identifier
  package let user: UserName
  package let name: String
  /// X9.63 of the certificate's key.
  package let identityKey: [UInt8]
  package let approvalKey: [UInt8]?
  package let approvalEvidence: String?
  /// The evidence for the certificate's key.
  package let identityEvidence: String?
  /// SHA-256 of the certificate.
  package let fingerprint: Fingerprint
  /// The certificate's expiry.
  package let notAfter: Int64
  /// The device's own status as JSON, encoded once instead of per request; nil while an approval key can still be registered,
  /// the only possible change.
  let status: [UInt8]?

  package init(
    id: Identifier, user: UserName, name: String, identityKey: [UInt8], approvalKey: [UInt8]?,
    approvalEvidence: String?, identityEvidence: String? = nil, fingerprint: Fingerprint, notAfter: Int64
  ) {
    self.id = id
    self.user = user
    self.name = name
    self.identityKey = identityKey
    self.approvalKey = approvalKey
    self.approvalEvidence = approvalEvidence
    self.identityEvidence = identityEvidence
    self.fingerprint = fingerprint
    self.notAfter = notAfter
    let status = DeviceStatus(
      device: id.description, name: name, user: user.text, notAfter: notAfter, hasApprovalKey: true,
      approvalKeyEvidence: approvalEvidence)
    self.status = approvalKey == nil ? nil : try? JSONBytes.encode(status)
  }
}
