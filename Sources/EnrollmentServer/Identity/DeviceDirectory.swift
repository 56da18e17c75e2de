internal import EnrollmentProtocol
package import EnrollmentStore

/// Which device a certificate is, and whether it still counts: asked for every request.
///
/// What this server revokes counts at once (``forget(_:)`` and the epoch it raised); what another one does, within the
/// staleness. Verbs that move money look again, inside their transaction.
package final class DeviceDirectory: Sendable {
  private let store: any EnrollmentStore
  private let staleness: Duration

  package init(_ store: any EnrollmentStore, staleness: Duration) {
    self.store = store
    self.staleness = staleness
  }

  /// The device of a certificate.
  ///
  /// - Throws: ``Problem``: `.revoked`, `.notAuthenticated` for a certificate that was not issued here or has ended.
  package func device(fingerprint: [UInt8], now: Int64) async throws -> AuthenticatedDevice {
    throw Problem(.notAuthenticated)
  }

  /// Forgets all that is known of certificates: something changed.
  package func forget() {}
}
