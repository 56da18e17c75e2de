internal import Hummingbird
internal import LatchkeyByteCoding
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore
internal import NIOCore

/// Decides who may do what on the admin listener: by a token, or by the client certificate of the connection. Both are looked up for
/// every request, so that an administrator who was removed is refused at once, by all servers of the store, and so is a certificate that
/// has ended or was revoked.
struct AdministrationAccess: Sendable {
  private let services: Services
  /// Attempts that were refused, by address.
  private let refusals: TokenBuckets<PeerAddress>

  init(_ services: Services) {
    self.services = services
    let rate = services.limits.loginsPerMinute
    refusals = TokenBuckets(rate: Double(rate) / 60, burst: Double(rate))
  }

  /// The administrator who sends a request.
  ///
  /// - Throws: ``Problem``: `.notAuthenticated`; `.notPermitted` for a lower role; ``TryLater`` for a wrong credential after too
  ///   many from this address; errors of the store.
  func administrator(
    of request: Request, _ context: ServerContext, atLeast role: AdministratorRole
  ) async throws -> AdministratorRecord {
    guard let administrator = try await found(request, context) else {
      // Only failures take from the limit: others' guesses from the same address keep no administrator out.
      let peer = context.connection?.peer ?? PeerAddress("")
      if let wait = refusals.take(peer, now: services.time) { throw RateLimits.later(wait) }
      throw Problem(
        .notAuthenticated, detail: "send an administrator's token as Authorization: Bearer, or show the certificate")
    }
    guard administrator.role >= role else {
      throw Problem(
        .notPermitted, detail: "this needs the role \(role.rawValue), and \(administrator.role.rawValue) is less")
    }
    return administrator
  }

  private func found(_ request: Request, _ context: ServerContext) async throws -> AdministratorRecord? {
    if request.headers.contains(.authorization) {
      guard let hash = (try? BearerToken(request))?.hash else { return nil }
      let known = try await services.store.read { try $0.administrator(tokenHash: hash) }
      guard let known, let stored = known.tokenHash, constantTimeEquals(stored, hash) else { return nil }
      return known
    }
    guard let connection = context.connection, let fingerprint = connection.fingerprint else { return nil }
    // The connection, or its session of TLS, may be older than the certificate's end.
    let now = services.now
    guard let end = connection.certificateEnd, now <= end else { return nil }
    return try await services.store.read { store in
      // A certificate that this service issued may be revoked, or its device or user ended.
      if let known = try store.certificate(fingerprint: fingerprint) {
        guard (try? KnownCertificate(known).device(at: now)) != nil else { return nil }
      }
      return try store.administrator(fingerprint: fingerprint)
    }
  }
}
