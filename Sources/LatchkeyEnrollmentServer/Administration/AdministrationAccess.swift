internal import Hummingbird
internal import LatchkeyByteCoding
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore
internal import NIOCore

/// Decides who may do what on the admin listener: by a token, or by the client certificate of the connection. Both are looked up for
/// every request, so that an administrator who was removed is refused at once, by all servers of the store.
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
  /// - Throws: ``Problem``: `.notAuthenticated`; `.notPermitted` for a lower role; ``TryLater`` after too many refusals from
  ///   this address; errors of the store.
  func administrator(
    of request: Request, _ context: ServerContext, atLeast role: AdministratorRole
  ) async throws -> AdministratorRecord {
    let peer = context.connection?.peer ?? PeerAddress("")
    if let wait = refusals.take(peer, now: services.time) { throw RateLimits.later(wait) }
    guard let administrator = try await found(request, context) else {
      throw Problem(
        .notAuthenticated, detail: "send an administrator's token as Authorization: Bearer, or show the certificate")
    }
    refusals.give(peer, now: services.time)
    guard administrator.role >= role else {
      throw Problem(
        .notPermitted, detail: "this needs the role \(role.rawValue), and \(administrator.role.rawValue) is less")
    }
    return administrator
  }

  private func found(_ request: Request, _ context: ServerContext) async throws -> AdministratorRecord? {
    if request.headers.contains(.authorization) {
      let hash = try BearerToken(request).hash
      let known = try await services.store.read { try $0.administrator(tokenHash: hash) }
      guard let known, let stored = known.tokenHash, constantTimeEquals(stored, hash) else { return nil }
      return known
    }
    guard let fingerprint = context.connection?.fingerprint else { return nil }
    return try await services.store.read { try $0.administrator(fingerprint: fingerprint) }
  }
}
