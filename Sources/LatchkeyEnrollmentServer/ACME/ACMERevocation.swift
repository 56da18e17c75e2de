internal import Crypto
internal import LatchkeyByteCoding
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore

/// Revokes a certificate by ACME (RFC 8555 7.6): for the certificate's own key, or the account whose order, which has not ended,
/// registered the device.
struct ACMERevocation: Sendable {
  let services: Services

  /// - Throws: ``ACMEProblem``; `Problem`.
  func revoke(_ request: ACMERequest) async throws {
    let payload = try request.payload
    let certificate: [UInt8]
    let reason: RevocationReason?
    do throws(JSONWebSignatureError) {
      certificate = try payload.bytes("certificate")
      reason = RevocationReason(rawValue: try payload.number("reason") ?? RevocationReason.unspecified.rawValue)
    } catch {
      throw ACMEProblem(error)
    }
    guard let reason else {
      throw ACMEProblem(.badRevocationReason, detail: "reasons are 0, 1, 3, 5 and 9 (RFC 5280 5.3.1)")
    }
    let (now, fingerprint) = (services.now, Fingerprint(SHA256.hash(data: certificate)))
    let (device, serial) = try await services.store.write { store in
      guard let row = try store.certificate(fingerprint: fingerprint),
        try isAllowed(request, row.device, in: store, now)
      else {
        throw ACMEProblem(
          .unauthorized, status: 403, detail: "sign with the certificate's key, or with the account that has its order")
      }
      try request.claimNonce(in: store)
      return (try KnownCertificate(row).device(at: now), row.certificate.serial)
    }
    try await RevocationCeremony(services: services)
      .revoke(serial: SerialNumber(bytes: serial), of: device, reason: reason.rawValue, by: Self.actor(of: request))
  }

  /// Who asks, as the audit log has it: a device whose key has signed is the device, and not an account.
  private static func actor(of request: ACMERequest) -> String {
    request.hasKey ? "device" : "ACME account \(request.account.accountID)"
  }

  private func isAllowed(
    _ request: ACMERequest, _ device: DeviceRecord, in store: any StoreTransaction, _ now: Int64
  ) throws -> Bool {
    if request.hasKey { return device.identityKey == request.account.point }
    return try store.isDevice(device.id, ofACMEAccount: request.account.point, now: now)
  }
}
