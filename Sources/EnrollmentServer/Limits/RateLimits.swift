internal import EnrollmentProtocol
internal import EnrollmentStore
internal import NIOCore

/// How often one peer may ask: a device for anything, an address for what costs much and needs no certificate.
package final class RateLimits: Sendable {
  private let devices: TokenBuckets<Identifier>
  private let addresses: TokenBuckets<PeerAddress>

  init(_ limits: ServerLimits) {
    devices = TokenBuckets(rate: Double(limits.requestsPerSecond), burst: Double(limits.requestsPerSecond) * 2)
    addresses = TokenBuckets(rate: Double(limits.loginsPerMinute) / 60, burst: Double(limits.loginsPerMinute))
  }

  /// What costs a hash of a password, a signature of the authority or a row, for anybody who reaches the port.
  private static let costly: Set<String> = [
    Routes.login, Routes.keyLogin, Routes.challenges, Routes.devices, Routes.serverMadeIdentities,
    Documented.authenticate, Documented.authenticateCertificate,
  ]

  /// Refuses whoever asks too often, before anything is computed for them.
  ///
  /// - Throws: `.tooManyRequests`.
  func admit(_ path: @autoclosure () -> String, _ context: ServerContext, now: NIODeadline) throws(TryLater) {
    if let device = context.device {
      try admit(device: device.id, now: now)
    } else if Self.costly.contains(path()) {
      try admitLogin(from: context.connection?.address ?? "", now: now)
    }
  }

  /// - Throws: `.tooManyRequests`.
  func admit(device: Identifier, now: NIODeadline) throws(TryLater) {
    if let wait = devices.take(device, now: now) { throw Self.later(wait) }
  }

  /// - Throws: `.tooManyRequests`.
  func admitLogin(from address: String, now: NIODeadline) throws(TryLater) {
    if let wait = addresses.take(PeerAddress(address), now: now) { throw Self.later(wait) }
  }

  /// An hour at most: where nothing is admitted, the wait is without end.
  private static func later(_ wait: Double) -> TryLater {
    TryLater(.tooManyRequests, seconds: Int(min(wait, 3600).rounded(.up)))
  }
}
