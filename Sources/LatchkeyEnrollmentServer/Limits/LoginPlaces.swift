internal import Crypto
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore
internal import NIOCore

/// The origin of a login: a device, by its certificate, else an address.
package struct LoginOrigin: Sendable {
  let device: AuthenticatedDevice?
  let peer: PeerAddress

  init(device: AuthenticatedDevice? = nil, peer: PeerAddress = PeerAddress("")) {
    self.device = device
    self.peer = peer
  }

  package init(_ context: ServerContext) {
    self.init(device: context.device, peer: context.connection?.peer ?? PeerAddress(""))
  }

  /// The peer that is charged for guesses.
  var guesser: HeavyWork.Turn { device.map { .device($0.id) } ?? .address(peer) }

  /// The origin as bytes.
  fileprivate var place: [UInt8] { device.map { [1] + $0.id.bytes } ?? [0] + peer.bytes }

  /// The source that is charged for checking a password.
  ///
  /// - Parameters:
  ///   - user: the digest of the user's name.
  ///   - isOwnDevice: whether the user's own device sends the request.
  ///   - isKnown: whether the user logged in from this origin before.
  func source(of user: SHA256.Digest, isOwnDevice: Bool, isKnown: Bool) -> HeavyWork.Source {
    let door: HeavyWork.Door = isOwnDevice ? .device : isKnown ? .place : .stranger
    if let device { return HeavyWork.Source(door, .device(device.id), .user(user)) }
    return HeavyWork.Source(door, .network(peer.network), .address(peer), .user(user))
  }
}

/// Limits wrong passwords per user and origin: a few in a row, then one a minute, and a number per day.
///
/// An attacker thus locks out only its own origin, not the user at another one. The user's own device, and addresses from which
/// a right password came, are known and not affected by other origins. The counts are in this process, bounded; the known
/// origins (``StoreTransaction/isLoginPlace(_:of:)``) and the total over all origins (`PasswordAttempt`) are in the store.
final class LoginPlaces: Sendable {
  struct Place: Hashable, Sendable {
    /// A digest, because names of users have any length.
    let user: SHA256.Digest
    /// The key in the store: SHA-256 of user and device or address.
    let digest: [UInt8]
    private let guesser: HeavyWork.Turn

    init(user: UserName, origin: LoginOrigin) {
      self.user = SHA256.hash(data: Array(user.text.utf8))
      guesser = origin.guesser
      var hash = SHA256()
      hash.update(data: Array("latchkey-login-place-v1".utf8))
      hash.update(data: Array(self.user))
      hash.update(data: origin.place)
      digest = Array(hash.finalize())
    }
  }

  private let inARow: TokenBuckets<Place>
  private let aDay: TokenBuckets<Place>
  /// Counts the right passwords after wrong ones, for other servers; nothing is taken from it.
  private let rowsEnded = TokenBuckets<Place>(rate: 1, burst: 1, countsTakes: false)

  init(_ limits: ServerLimits) {
    // An attempt is counted here before it is checked, and for other servers if it was wrong.
    inARow = TokenBuckets(
      rate: 1 / Double(max(1, limits.lockSeconds)), burst: Double(max(1, limits.passwordFailures)), countsTakes: false)
    let day = Double(max(1, limits.passwordFailuresPerDay))
    aDay = TokenBuckets(rate: day / 86_400, burst: day, countsTakes: false)
  }

  /// Counts an attempt before it is checked, so that concurrent ones count too.
  ///
  /// - Throws: `.tooManyRequests`, whether or not the user exists.
  func begin(_ place: Place, now: NIODeadline) throws(TryLater) {
    guard let wait = inARow.take(place, now: now) ?? takeOfDay(place, now: now) else { return }
    throw TryLater(
      .tooManyRequests, seconds: RateLimits.later(wait).seconds,
      detail: "too many wrong passwords for this user came from here; wait, or log in by a key")
  }

  private func takeOfDay(_ place: Place, now: NIODeadline) -> Double? {
    guard let wait = aDay.take(place, now: now) else { return nil }
    inARow.give(place, now: now)
    return wait
  }

  /// Uncounts an attempt that was not checked.
  func cancel(_ place: Place, now: NIODeadline) {
    inARow.give(place, now: now)
    aDay.give(place, now: now)
  }

  /// Records that the password was wrong.
  func fail(_ place: Place, now: NIODeadline) { inARow.count(place, now: now) }

  /// Records that the password was right.
  func succeed(_ place: Place, now: NIODeadline) {
    if inARow.fill(place, now: now) { rowsEnded.count(place, now: now) }
    aDay.give(place, now: now)
  }
}

// Limits that servers of one store share.

extension LoginPlaces {
  /// Shares the limits with so many servers, this one included.
  func share(servers: Int, _ digests: ClientDigests) {
    for buckets in [inARow, aDay, rowsEnded] {
      buckets.share(servers: servers) { digests.digest(of: $0.digest, .wrongPassword) }
    }
  }

  /// What was tried here since the last time.
  func collect(limit: Int, now: NIODeadline) -> [LimitUse] {
    LimitUse.uses(.wrongPassword, inARow.collect(limit: limit, now: now))
      + LimitUse.uses(.rightPassword, rowsEnded.collect(limit: limit, now: now))
  }

  /// Takes what was tried on other servers.
  func charge(_ use: LimitUse, now: NIODeadline) {
    switch use.key.kind {
    case .wrongPassword:
      inARow.charge(use.key.client, use, now: now)
      aDay.charge(use.key.client, use, now: now)
    case .rightPassword: inARow.fill(use.key.client)
    case .address, .device, .cost: break
    }
  }
}
