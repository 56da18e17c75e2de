internal import EnrollmentProtocol
internal import EnrollmentStore

/// The end of a device: its certificates and sessions count no more, here at once, elsewhere within the staleness.
struct RevocationCeremony: Sendable {
  let services: Services

  /// CRLReason: cessationOfOperation (RFC 5280 5.3.1).
  private static let reason = 5

  /// Ends the device that asks.
  func revoke(_ shown: AuthenticatedDevice) async throws {
    let now = services.now
    try await services.store.write { store in
      guard try store.revokeDevice(shown.id, at: now, reason: Self.reason) else { throw Problem(.revoked) }
      try store.audit(
        AuditEntry(
          event: "device.revoked", time: now,
          fields: ["device": shown.id.description, "user": shown.user, "by": "device", "reason": "\(Self.reason)"]))
    }
    services.directory.forget()
  }
}
