internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore
internal import NIOCore

/// How often one peer may ask: a device, or an address that shows no certificate, for anything; and either for what costs much.
package final class RateLimits: Sendable {
  /// Who asks for what costs much.
  private enum Caller: Hashable {
    case address(PeerAddress)
    case device(Identifier)
  }

  private let devices: TokenBuckets<Identifier>
  private let addresses: TokenBuckets<PeerAddress>
  private let costs: TokenBuckets<Caller>

  init(_ limits: ServerLimits) {
    devices = TokenBuckets(rate: Double(limits.requestsPerSecond), burst: Double(limits.requestsPerSecond) * 2)
    let anonymous = Double(limits.anonymousRequestsPerSecond)
    addresses = TokenBuckets(rate: anonymous, burst: anonymous * 2)
    costs = TokenBuckets(rate: Double(limits.loginsPerMinute) / 60, burst: Double(limits.loginsPerMinute))
  }

  /// What costs a hash of a password. Anyone who guesses has as many tries from an address as from a device.
  private static let hashing: Set<String> = [
    Routes.login, Documented.authenticate, Documented.authenticateCertificate,
  ]
  /// What costs a hash, a signature of the authority, or a row that stays.
  private static let costly = hashing.union([
    Routes.keyLogin, Routes.certificateLogin, Routes.challenges, Routes.devices, Routes.serverMadeIdentities,
    Routes.renewal,
  ])

  /// Refuses anyone who asks too often, before anything is computed for them.
  ///
  /// - Parameter route: the one that answers the request; nil where there is none.
  /// - Throws: `.tooManyRequests`.
  func admit(_ route: String?, _ context: ServerContext, now: NIODeadline) throws(TryLater) {
    let peer = context.connection?.peer ?? PeerAddress("")
    let (isCostly, hashes) = route.map { (Self.costly.contains($0), Self.hashing.contains($0)) } ?? (false, false)
    if let device = context.device {
      try admit(device: device.id, now: now)
      if isCostly, let wait = costs.take(.device(device.id), now: now) { throw Self.later(wait) }
    } else if let wait = addresses.take(peer, now: now) {
      context.connection?.pause(wait)
      throw Self.later(wait)
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

  /// An hour at most: where nothing is admitted, the wait is without end.
  static func later(_ wait: Double) -> TryLater {
    TryLater(.tooManyRequests, seconds: Int(min(wait, 3600).rounded(.up)))
  }
}
