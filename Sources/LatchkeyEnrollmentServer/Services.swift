internal import Crypto
internal import Foundation
internal import LatchkeyByteCoding
internal import LatchkeyCertificateAuthority
package import LatchkeyEnrollmentStore
package import Logging
package import NIOCore

/// What every route has at hand.
package struct Services: Sendable {
  package let configuration: ServerConfiguration
  /// Devices by certificate, with what was revoked.
  package let directory: DeviceDirectory

  /// Who checks passwords.
  let passwords: Passwords
  /// Where passwords are hashed and files encrypted.
  let heavyWork: HeavyWork
  /// How many wrong passwords came from where.
  let loginPlaces: LoginPlaces
  /// Which refused logins are written down.
  let refusedLogins: RefusedLogins
  /// Who makes devices' certificates.
  let issuer: CertificateIssuer
  /// What was revoked, signed.
  let revocationLists: RevocationLists
  /// How often one peer may ask.
  package private(set) var rates: RateLimits
  /// What unfinished bodies take.
  private(set) var bodies: UnfinishedBodies
  /// Whether requests can be served.
  package let readiness: Readiness
  /// Why requests fail.
  let trouble: Trouble
  /// What is counted.
  let metrics: ServerMetrics

  package init(_ configuration: ServerConfiguration) {
    self.configuration = configuration
    rates = RateLimits(configuration.limits)
    trouble = Trouble(logger: configuration.logger, clock: configuration.clock)
    readiness = Readiness(
      store: configuration.store, node: configuration.node, trouble: trouble,
      certificates: Array(configuration.certificateChain.prefix(1)) + configuration.authority.chain.prefix(1))
    metrics = ServerMetrics(factory: configuration.metrics)
    bodies = UnfinishedBodies(configuration.limits, metrics: metrics)
    let policy = configuration.policy
    directory = DeviceDirectory(configuration.store, staleness: policy.revocationStaleness) {
      policy.takes(identityEvidence: $0)
    }
    // A core stays free for those who do not log in.
    let atOnce = max(
      1, min(configuration.limits.passwordsAtOnce, ProcessInfo.processInfo.activeProcessorCount - 1))
    heavyWork = HeavyWork(label: "passwords", atOnce: atOnce, longestWait: configuration.limits.passwordWait)
    loginPlaces = LoginPlaces(configuration.limits)
    refusedLogins = RefusedLogins()
    passwords = Passwords(
      work: heavyWork, cost: PasswordHash.Cost(clamping: configuration.policy.passwordCost), random: Self.random)
    issuer = CertificateIssuer(configuration.authority, lifetime: configuration.policy.certificateLifetime)
    revocationLists = RevocationLists(
      configuration.store, issuer: issuer, lifetime: configuration.policy.revocationListLifetime)
    let digest = SHA256.hash(data: configuration.answerKey.publicKey)
    answerKeyID = Hexadecimal.encode(digest.prefix(8))
  }

  /// The `keyid` of the answers' signatures: what clients know the answer key by.
  package let answerKeyID: String

  package var store: any EnrollmentStore { configuration.store }
  package var policy: ServerPolicy { configuration.policy }
  package var limits: ServerLimits { configuration.limits }
  package var logger: Logger { configuration.logger }
  /// Seconds since 1970.
  package var now: Int64 { Int64(configuration.clock().timeIntervalSince1970.rounded(.down)) }

  /// The same clock for what is counted by it.
  package var time: NIODeadline {
    .uptimeNanoseconds(UInt64(max(0, min(configuration.clock().timeIntervalSince1970, 9e9)) * 1e9))
  }

  /// The same for another port: what one port's peers ask for is not counted on the other.
  func onPortOfItsOwn() -> Services {
    var services = self
    services.rates = RateLimits(limits)
    services.bodies = UnfinishedBodies(limits, metrics: metrics)
    return services
  }

  /// So many fresh random bytes.
  package func random(_ count: Int) -> [UInt8] { Self.random(count) }

  @Sendable private static func random(_ count: Int) -> [UInt8] {
    // Eight at a time: each call of the generator is one of the system.
    var generator = SystemRandomNumberGenerator()
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 7)
    while bytes.count < count { withUnsafeBytes(of: generator.next()) { bytes += $0 } }
    return Array(bytes.prefix(count))
  }
}
