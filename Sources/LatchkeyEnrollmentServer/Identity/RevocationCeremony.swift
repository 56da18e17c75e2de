internal import LatchkeyByteCoding
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore

/// Revokes a device, or one of its certificates: here at once, on other servers within the staleness.
struct RevocationCeremony: Sendable {
  let services: Services

  /// CRLReason: cessationOfOperation (RFC 5280 5.3.1).
  private static let reason = 5

  /// Revokes the calling device, with its certificates and sessions.
  func revoke(_ shown: AuthenticatedDevice) async throws {
    let now = services.now
    try await services.store.write { store in
      guard try store.revokeDevice(shown.id, at: now, reason: Self.reason) else { throw Problem(.revoked) }
      try store.audit(
        AuditEntry(
          event: "device.revoked", time: now,
          fields: [
            "device": shown.id.description, "user": shown.user.text, "by": "device", "reason": "\(Self.reason)",
          ]))
    }
    services.directory.forget()
  }

  /// Revokes one certificate of the calling device, by its serial number; also the one that was presented.
  ///
  /// - Parameter actor: who asked, as the audit log has it.
  /// - Throws: ``Problem``: `.notFound` for a certificate of another device; one that was already revoked is accepted.
  func revoke(
    serial: SerialNumber, of shown: AuthenticatedDevice, reason: Int = Self.reason, by actor: String = "device"
  ) async throws {
    let now = services.now
    let fingerprint = try await services.store.write { store in
      _ = try KnownCertificate(store.certificate(fingerprint: shown.fingerprint)).device(at: now)
      guard let certificate = try store.certificate(serial: serial.bytes), certificate.device == shown.id else {
        throw Problem(.notFound, detail: "this device has no certificate of that serial number")
      }
      if try store.revokeCertificate(fingerprint: certificate.fingerprint, at: now, reason: reason) {
        try store.audit(
          AuditEntry(
            event: "certificate.revoked", time: now,
            fields: ["device": shown.id.description, "serial": "\(serial)", "by": actor]))
      }
      return certificate.fingerprint
    }
    services.directory.forget([fingerprint])
  }
}

/// A certificate's serial number, in OpenSSL's text form without colons.
struct SerialNumber: Sendable, Hashable, CustomStringConvertible {
  /// The number in big-endian order, as in the certificate.
  let bytes: [UInt8]

  init(bytes: [UInt8]) { self.bytes = bytes }

  /// Parses hexadecimal digits, at most 20 bytes; colons between them and capitals are accepted.
  init?(_ text: String) {
    guard text.utf8.count <= 60, let bytes = try? Hexadecimal.decode(text.replacing(":", with: "").lowercased()),
      (1...20).contains(bytes.count)
    else { return nil }
    self.bytes = bytes
  }

  var description: String { Hexadecimal.encode(bytes) }
}
