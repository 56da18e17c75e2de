package import LatchkeyEnrollmentProtocol
package import LatchkeyEnrollmentStore

/// The device behind a connection's certificate, looked up for this request: not revoked, not past its end.
package struct AuthenticatedDevice: Sendable, Hashable {
  package let id: Identifier
  package let user: UserName
  package let name: String
  /// X9.63 of the certificate's key.
  package let identityKey: [UInt8]
  package let approvalKey: [UInt8]?
  package let approvalEvidence: String?
  /// What vouched for the certificate's key.
  package let identityEvidence: String?
  /// SHA-256 of the certificate.
  package let fingerprint: Fingerprint
  /// The certificate's end.
  package let notAfter: Int64
  /// What it hears when it asks for itself, as JSON, made once and not for each question; nil while an approval key can still
  /// come, which is all that changes.
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
