internal import Crypto
internal import LatchkeyEnrollmentProtocol
internal import LatchkeyEnrollmentStore
internal import NIOCore

/// Where a login comes from: a device, by the certificate that it shows, else an address.
struct LoginOrigin: Sendable {
  let device: AuthenticatedDevice?
  let peer: PeerAddress

  init(device: AuthenticatedDevice? = nil, peer: PeerAddress = PeerAddress("")) {
    self.device = device
    self.peer = peer
  }

  init(_ context: ServerContext) {
    self.init(device: context.device, peer: context.connection?.peer ?? PeerAddress(""))
  }

  /// Who guesses, if somebody does.
  var guesser: HeavyWork.Turn { device.map { .device($0.id) } ?? .address(peer) }

  /// Where that is, as bytes.
  fileprivate var place: [UInt8] { device.map { [1] + $0.id.bytes } ?? [0] + peer.bytes }

  /// Whose work the check of a password is.
  ///
  /// - Parameters:
  ///   - user: the digest of the user's name.
  ///   - isOwnDevice: whether the user's own device asks.
  ///   - isKnown: whether the user logged in from here before.
  func source(of user: SHA256.Digest, isOwnDevice: Bool, isKnown: Bool) -> HeavyWork.Source {
    let door: HeavyWork.Door = isOwnDevice ? .device : isKnown ? .place : .stranger
    if let device { return HeavyWork.Source(door, .device(device.id), .user(user)) }
    return HeavyWork.Source(door, .network(peer.network), .address(peer), .user(user))
  }
}

/// How many wrong passwords came for one user from one place: a few in a row, then one a minute, and so many a day.
///
/// So anyone who guesses locks out themselves, not the user, who sits somewhere else. The user's own device, and the addresses from
/// which a right password came, are known: what others try does not touch them. The counts live in this process, bounded; the places
/// that are known (``StoreTransaction/isLoginPlace(_:of:)``), and what all places together try (`PasswordAttempt`), in the store.
final class LoginPlaces: Sendable {
  struct Place: Hashable, Sendable {
    /// Users' names have any length; this has not.
    let user: SHA256.Digest
    /// What the store knows it by: SHA-256 of user and device or address.
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

  init(_ limits: ServerLimits) {
    inARow = TokenBuckets(rate: 1 / Double(max(1, limits.lockSeconds)), burst: Double(max(1, limits.passwordFailures)))
    let day = Double(max(1, limits.passwordFailuresPerDay))
    aDay = TokenBuckets(rate: day / 86_400, burst: day)
  }

  /// Counts a try before it is checked, so that many at once are counted, too.
  ///
  /// - Throws: `.tooManyRequests`, whether or not there is such a user.
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

  /// A try was not checked after all.
  func cancel(_ place: Place, now: NIODeadline) {
    inARow.give(place, now: now)
    aDay.give(place, now: now)
  }

  /// The password was right.
  func succeed(_ place: Place, now: NIODeadline) {
    inARow.fill(place)
    aDay.give(place, now: now)
  }
}
