internal import Crypto
internal import EnrollmentProtocol
internal import EnrollmentStore
internal import NIOCore
internal import Synchronization

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
/// which a right password came, are known: what others try does not touch them. It lives in this process, bounded; what all places
/// together try is counted in the store (`PasswordAttempt`).
final class LoginPlaces: Sendable {
  struct Place: Hashable, Sendable {
    /// Users' names have any length; this has not.
    let user: SHA256.Digest
    private let guesser: HeavyWork.Turn

    init(user: UserName, origin: LoginOrigin) {
      self.user = SHA256.hash(data: Array(user.text.utf8))
      guesser = origin.guesser
    }
  }

  /// Places that are remembered to have logged in.
  private static let mostKnown = 65_536

  private let inARow: TokenBuckets<Place>
  private let aDay: TokenBuckets<Place>
  private let known = Mutex<[Place: NIODeadline]>([:])

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
    known.withLock { known in
      known[place] = now
      guard known.count > Self.mostKnown else { return }
      let kept = known.sorted { $0.value > $1.value }.prefix(Self.mostKnown / 2)
      known = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
    }
  }

  /// Whether the user logged in from here since the server was started.
  func isKnown(_ place: Place) -> Bool { known.withLock { $0[place] != nil } }
}
