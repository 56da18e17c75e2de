internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore
internal import NIOCore

/// Limits requests per peer, that is a device or an address without a certificate: for all requests, and separately for
/// expensive ones.
package final class RateLimits: Sendable {
  /// The peer of an expensive request.
  private enum Caller: Hashable {
    case address(PeerAddress)
    case device(Identifier)

    var bytes: [UInt8] {
      switch self {
      case .address(let peer): [0] + peer.bytes
      case .device(let id): [1] + id.bytes
      }
    }
  }

  private let devices: TokenBuckets<Identifier>
  private let addresses: TokenBuckets<PeerAddress>
  /// Health checks and scrapes: an address that an attacker shares with a monitor, behind a proxy, say, silences no monitor.
  private let probes: TokenBuckets<PeerAddress>
  private let costs: TokenBuckets<Caller>

  init(_ limits: ServerLimits) {
    devices = TokenBuckets(rate: Double(limits.requestsPerSecond), burst: Double(limits.requestsPerSecond) * 2)
    let anonymous = Double(limits.anonymousRequestsPerSecond)
    addresses = TokenBuckets(rate: anonymous, burst: anonymous * 2)
    probes = TokenBuckets(rate: anonymous, burst: anonymous * 2)
    costs = TokenBuckets(rate: Double(limits.loginsPerMinute) / 60, burst: Double(limits.loginsPerMinute))
  }

  /// The routes that hash a password. An attacker has as many attempts from an address as from a device.
  private static let hashing: Set<String> = [
    Routes.login, LegacyEnrollment.authenticate, LegacyEnrollment.authenticateCertificate,
    Routes.estEnroll, Routes.est(Routes.estEnroll, label: ESTRoutes.label),
  ]
  /// The routes that cost a hash, a signature of the authority, or a permanent row.
  private static let costly = hashing.union([
    Routes.keyLogin, Routes.certificateLogin, Routes.challenges, Routes.devices, Routes.serverMadeIdentities,
    Routes.renewal, Routes.expiredRenewal, Routes.estReenroll,
    Routes.est(Routes.estReenroll, label: ESTRoutes.label),
    Routes.acmeOrders, Routes.acmeOrders(label: ACMERoutes.label), Routes.acmeFinalization(ACMERoutes.id),
    Routes.acmeRevocation,
  ])

  /// The routes of monitors.
  private static let probed: Set<String> = [Routes.live, Routes.ready, Routes.metrics]

  /// Refuses a peer that exceeds a limit, before any work is done.
  ///
  /// - Parameter route: the route of the request; nil if there is none.
  /// - Throws: `.tooManyRequests`.
  func admit(_ route: String?, _ context: ServerContext, now: NIODeadline) throws(TryLater) {
    let peer = context.connection?.peer ?? PeerAddress("")
    let (isCostly, hashes) = route.map { (Self.costly.contains($0), Self.hashing.contains($0)) } ?? (false, false)
    if let device = context.device {
      try admit(device: device.id, now: now)
      if isCostly, let wait = costs.take(.device(device.id), now: now) { throw Self.later(wait) }
    } else {
      let budget = route.map { Self.probed.contains($0) } ?? false ? probes : addresses
      if let wait = budget.take(peer, now: now) {
        context.connection?.pause(wait)
        throw Self.later(wait)
      }
    }
    if hashes || (isCostly && context.device == nil) { try admitLogin(from: peer, now: now) }
  }

  /// - Throws: `.tooManyRequests`.
  func admit(device: Identifier, now: NIODeadline) throws(TryLater) {
    if let wait = devices.take(device, now: now) { throw Self.later(wait) }
  }

  /// - Throws: `.tooManyRequests`.
  func admitLogin(from peer: PeerAddress, now: NIODeadline) throws(TryLater) {
    if let wait = costs.take(.address(peer), now: now) { throw Self.later(wait) }
  }

  /// Caps the wait at an hour: if nothing is admitted, it would be infinite.
  static func later(_ wait: Double) -> TryLater {
    TryLater(.tooManyRequests, seconds: Int(min(wait, 3600).rounded(.up)))
  }
}

// Limits that servers of one store share.

extension RateLimits {
  /// Shares the limits with so many servers, this one included.
  func share(servers: Int, _ digests: ClientDigests) {
    addresses.share(servers: servers) { digests.digest(of: $0.bytes, .address) }
    devices.share(servers: servers) { digests.digest(of: $0.bytes, .device) }
    costs.share(servers: servers) { digests.digest(of: $0.bytes, .cost) }
  }

  /// What clients used here since the last time.
  func collect(limit: Int, now: NIODeadline) -> [LimitUse] {
    LimitUse.uses(.cost, costs.collect(limit: limit, now: now))
      + LimitUse.uses(.device, devices.collect(limit: limit, now: now))
      + LimitUse.uses(.address, addresses.collect(limit: limit, now: now))
  }

  /// Takes what a client used on other servers.
  func charge(_ use: LimitUse, now: NIODeadline) {
    switch use.key.kind {
    case .address: addresses.charge(use.key.client, use, now: now)
    case .device: devices.charge(use.key.client, use, now: now)
    case .cost: costs.charge(use.key.client, use, now: now)
    case .wrongPassword, .rightPassword: break
    }
  }
}
