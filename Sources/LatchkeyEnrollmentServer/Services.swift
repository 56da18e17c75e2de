internal import Crypto
internal import Foundation
internal import LatchkeyByteCoding
internal import LatchkeyCertificateAuthority
internal import LatchkeyEnrollmentProtocol
package import LatchkeyEnrollmentStore
internal import LatchkeySystem
package import Logging
package import NIOCore

/// The components that all routes share. A class: a request hands them on many times, and copies of so much would cost it more
/// than its JSON does.
package final class Services: Sendable {
  package let configuration: ServerConfiguration
  /// Devices by certificate, including revocations.
  package let directory: DeviceDirectory

  /// Checks passwords.
  let passwords: Passwords
  /// Runs password hashing and file encryption.
  let heavyWork: HeavyWork
  /// Counts wrong passwords per origin.
  let loginPlaces: LoginPlaces
  /// Decides which refused logins are audited.
  let refusedLogins: RefusedLogins
  /// The server's authorities, with their revocation lists and OCSP responders.
  let issuers: KnownIssuers
  /// Issues certificates of the current authority.
  var issuer: CertificateIssuer { issuers.all[0].issuer }
  /// Issues the certificates of a profile's devices.
  ///
  /// - Throws: `.unavailable` if this server does not have the authority that the profile names.
  func issuer(of profile: DeviceProfile) throws(Problem) -> CertificateIssuer { try issuers.issuer(of: profile).issuer }
  /// Issues the current authority's revocation lists.
  var revocationLists: RevocationLists { issuers.all[0].lists }
  /// Limits requests per peer.
  package let rates: RateLimits
  /// Limits incomplete bodies.
  let bodies: UnfinishedBodies
  /// Whether requests can be served.
  package let readiness: Readiness
  /// Logs the causes of failed requests.
  let trouble: Trouble
  /// The metrics.
  let metrics: ServerMetrics
  /// The closures of services that run.
  let serviceWatch: ServiceWatch
  /// The nonces of ACME.
  let acmeNonces: ACMENonces
  /// The hosts under which ACME is called.
  let acmeHosts: ACMEHosts

  package init(_ given: ServerConfiguration) {
    var configuration = given
    configuration.store = MeasuredStore(given.store, factory: given.metrics)
    self.configuration = configuration
    rates = RateLimits(configuration.limits)
    trouble = Trouble(logger: configuration.logger, clock: configuration.clock)
    readiness = Readiness(
      store: configuration.store, node: configuration.node, trouble: trouble,
      certificates: Array(configuration.certificateChain.prefix(1)) + configuration.authority.chain.prefix(1))
    metrics = ServerMetrics(factory: configuration.metrics)
    serviceWatch = ServiceWatch(
      longest: .seconds(configuration.limits.transactionTime), logger: configuration.logger, metrics: metrics)
    acmeNonces = ACMENonces()
    acmeHosts = ACMEHosts(certificate: configuration.certificateChain.first)
    bodies = UnfinishedBodies(configuration.limits, metrics: metrics)
    let policy = configuration.policy
    directory = DeviceDirectory(configuration.store, staleness: policy.revocationStaleness) {
      policy.takes(identityEvidence: $0)
    }
    // Leaves a core free for requests other than logins.
    let atOnce = max(
      1, min(configuration.limits.passwordsAtOnce, ProcessInfo.processInfo.activeProcessorCount - 1))
    heavyWork = HeavyWork(label: "passwords", atOnce: atOnce, longestWait: configuration.limits.passwordWait)
    loginPlaces = LoginPlaces(configuration.limits)
    refusedLogins = RefusedLogins()
    passwords = Passwords(
      work: heavyWork, cost: PasswordHash.Cost(clamping: configuration.policy.passwordCost), random: RandomBytes.fresh)
    issuers = KnownIssuers(configuration)
    let digest = SHA256.hash(data: configuration.answerKey.publicKey)
    answerKeyID = Hexadecimal.encode(digest.prefix(8))
  }

  /// The `keyid` of the responses' signatures, by which clients identify the answer key.
  package let answerKeyID: String

  package var store: any EnrollmentStore { configuration.store }
  package var policy: ServerPolicy { configuration.policy }
  package var limits: ServerLimits { configuration.limits }
  package var logger: Logger { configuration.logger }
  /// The current time, in seconds since 1970.
  package var now: Int64 { Int64(configuration.clock().timeIntervalSince1970.rounded(.down)) }

  /// The same clock in the form that rate limits use.
  package var time: NIODeadline {
    .uptimeNanoseconds(UInt64(max(0, min(configuration.clock().timeIntervalSince1970, 9e9)) * 1e9))
  }

  /// A copy for another port: requests on one port do not count on the other.
  func onPortOfItsOwn() -> Services { Services(onPortBeside: self) }

  private init(onPortBeside other: Services) {
    configuration = other.configuration
    directory = other.directory
    passwords = other.passwords
    heavyWork = other.heavyWork
    loginPlaces = other.loginPlaces
    refusedLogins = other.refusedLogins
    issuers = other.issuers
    readiness = other.readiness
    trouble = other.trouble
    metrics = other.metrics
    serviceWatch = other.serviceWatch
    acmeNonces = other.acmeNonces
    acmeHosts = other.acmeHosts
    answerKeyID = other.answerKeyID
    rates = RateLimits(other.limits)
    bodies = UnfinishedBodies(other.limits, metrics: other.metrics)
  }

  /// Returns this number of fresh random bytes.
  package func random(_ count: Int) -> [UInt8] { RandomBytes.fresh(count) }
}
