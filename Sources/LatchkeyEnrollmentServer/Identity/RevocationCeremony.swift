internal import LatchkeyByteCoding
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore

/// The end of a device, or of one of its certificates: it counts no more, here at once, elsewhere within the staleness.
struct RevocationCeremony: Sendable {
  let services: Services

  /// CRLReason: cessationOfOperation (RFC 5280 5.3.1).
  private static let reason = 5

  /// Ends the device that asks, with its certificates and sessions.
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

  /// Ends one certificate of the device that asks, by its serial number; the one that was shown, too.
  ///
  /// - Throws: ``Problem``: `.notFound` for a certificate that is not this device's; one that was revoked before is fine.
  func revoke(serial: SerialNumber, of shown: AuthenticatedDevice) async throws {
    let now = services.now
    let fingerprint = try await services.store.write { store in
      _ = try KnownCertificate(store.certificate(fingerprint: shown.fingerprint)).device(at: now)
      guard let certificate = try store.certificate(serial: serial.bytes), certificate.device == shown.id else {
        throw Problem(.notFound, detail: "this device has no certificate of that serial number")
      }
      if try store.revokeCertificate(fingerprint: certificate.fingerprint, at: now, reason: Self.reason) {
        try store.audit(
          AuditEntry(
            event: "certificate.revoked", time: now,
            fields: ["device": shown.id.description, "serial": "\(serial)", "by": "device"]))
      }
      return certificate.fingerprint
    }
    services.directory.forget([fingerprint])
  }
}

/// A certificate's serial number, in text as OpenSSL prints it without its colons.
struct SerialNumber: Sendable, Hashable, CustomStringConvertible {
  /// Big endian, as it stands in the certificate.
  let bytes: [UInt8]

  init(bytes: [UInt8]) { self.bytes = bytes }

  /// A number from its hexadecimal digits, at most 20 bytes; colons between them and capitals are taken.
  init?(_ text: String) {
    guard text.utf8.count <= 60, let bytes = try? Hexadecimal.decode(text.replacing(":", with: "").lowercased()),
      (1...20).contains(bytes.count)
    else { return nil }
    self.bytes = bytes
  }

  var description: String { Hexadecimal.encode(bytes) }
}
