internal import LatchkeyEnrollmentStore
internal import NIOCore
internal import Synchronization

/// A token bucket per key: each request takes a token, and tokens return at a steady rate. The table is bounded: a full bucket
/// needs no entry, and when the table is full, the least recently used entries are dropped.
///
/// While the limit is shared with other servers (``share(_:)``), what is taken here is counted for them, and what they have counted is
/// taken here (``charge(_:_:now:)``), also from keys that were not seen here yet.
final class TokenBuckets<Key: Hashable & Sendable>: Sendable {
  private struct Bucket {
    var tokens: Double
    var filled: NIODeadline
    /// The tokens that returned while the bucket was full.
    var spilled = 0.0
  }

  private struct State {
    var buckets: [Key: Bucket] = [:]
    /// How takes are counted for other servers; nil while there is none.
    var tallies: LimitTallies<Key>?
    /// The buckets of keys of which other servers know and this one does not yet.
    var others: [ClientDigest: Bucket] = [:]
  }

  /// Below empty a bucket has so many bursts at most: several servers give a burst each before they know of the others'.
  private static var mostDebt: Double { 4 }
  /// The longest time within which others may have used a limit, in seconds.
  private static var longestUse: Double { 600 }
  /// The maximum number of ``State/others``.
  private static var mostOthers: Int { 8192 }

  private let rate: Double
  private let burst: Double
  private let limit: Int
  private let countsTakes: Bool
  private let state = Mutex(State())

  /// - Parameters:
  ///   - rate: tokens per second.
  ///   - burst: the capacity of a bucket.
  ///   - limit: the maximum number of entries.
  ///   - countsTakes: whether each take is counted for other servers; otherwise only what ``count(_:now:)`` says.
  init(rate: Double, burst: Double, limit: Int = 65_536, countsTakes: Bool = true) {
    self.rate = rate
    self.burst = burst
    self.limit = limit
    self.countsTakes = countsTakes
  }

  var count: Int { state.withLock { $0.buckets.count + $0.others.count } }

  /// Takes a token.
  ///
  /// - Returns: nil on success; else the seconds until one is available.
  func take(_ key: Key, now: NIODeadline) -> Double? {
    state.withLock { state in
      var bucket = bucket(of: key, in: &state, now: now)
      defer { state.buckets[key] = bucket }
      guard bucket.tokens >= 1 else { return (1 - bucket.tokens) / rate }
      bucket.tokens -= 1
      if countsTakes { state.tallies?.count(key, now: now) }
      return nil
    }
  }

  /// Returns a token.
  func give(_ key: Key, now: NIODeadline) {
    state.withLock { state in
      guard var bucket = state.buckets[key] else { return }
      refill(&bucket, now: now)
      bucket.tokens = min(burst, bucket.tokens + 1)
      state.buckets[key] = bucket
    }
  }

  /// Fills a bucket.
  ///
  /// - Returns: whether more than one token was missing.
  @discardableResult
  func fill(_ key: Key, now: NIODeadline) -> Bool {
    state.withLock { state in
      let bucket = bucket(of: key, in: &state, now: now)
      state.buckets[key] = nil
      state.tallies?.forget(key)
      return bucket.tokens < burst - 1
    }
  }

  /// The bucket of a key, refilled, with what others took before it was seen here.
  private func bucket(of key: Key, in state: inout State, now: NIODeadline) -> Bucket {
    var bucket: Bucket
    if let known = state.buckets[key] {
      bucket = known
      refill(&bucket, now: now)
    } else {
      if state.buckets.count >= limit { makeRoom(in: &state.buckets, limit: limit, now: now) }
      bucket = Bucket(tokens: burst, filled: now)
    }
    if !state.others.isEmpty, let digest = state.tallies?.digest(of: key, now: now),
      var other = state.others.removeValue(forKey: digest)
    {
      refill(&other, now: now)
      bucket.tokens = max(-Self.mostDebt * burst, bucket.tokens - (burst - other.tokens))
    }
    return bucket
  }

  private func refill(_ bucket: inout Bucket, now: NIODeadline) {
    // A clock that went back adds no tokens and removes none.
    let tokens = bucket.tokens + max(0, Double((now - bucket.filled).nanoseconds)) / 1e9 * rate
    bucket.tokens = min(burst, tokens)
    bucket.spilled = min(Self.mostDebt * burst, bucket.spilled + max(0, tokens - burst))
    bucket.filled = now
  }

  /// Halves the table, so that a flood of new keys does not sort it for each of them.
  private func makeRoom<ID: Hashable>(in buckets: inout [ID: Bucket], limit: Int, now: NIODeadline) {
    buckets = buckets.filter { _, bucket in
      var bucket = bucket
      refill(&bucket, now: now)
      return bucket.tokens < burst
    }
    guard buckets.count > limit / 2 else { return }
    let latest = buckets.sorted { $0.value.filled > $1.value.filled }.prefix(limit / 2)
    buckets = Dictionary(uniqueKeysWithValues: latest.map { ($0.key, $0.value) })
  }
}

// Limits that servers of one store share.

extension TokenBuckets {
  /// Shares the limit with other servers, or with none any more.
  ///
  /// - Parameters:
  ///   - servers: how many there are, this one included.
  ///   - digest: what stands for a key on all of them.
  func share(servers: Int, digest: @escaping @Sendable (Key) -> ClientDigest) {
    state.withLock { state in
      let threshold = LimitTallies<Key>.threshold(burst: burst, servers: servers)
      guard state.tallies?.threshold != threshold else { return }
      // Rates of zero have windows without end.
      let window = rate > 0 ? burst / rate : .infinity
      state.tallies = servers < 2 ? nil : LimitTallies(threshold: threshold, window: window, digest: digest)
      if servers < 2 { state.others = [:] }
    }
  }

  /// Counts what was not a take.
  func count(_ key: Key, now: NIODeadline) { state.withLock { $0.tallies?.count(key, now: now) } }

  /// What was counted for other servers since the last time: the most used first, at most `limit`; what is left stays counted.
  func collect(limit: Int, now: NIODeadline) -> [(client: ClientDigest, count: UInt32, tenths: UInt16)] {
    state.withLock { $0.tallies?.collect(limit: limit, now: now) ?? [] }
  }

  /// Takes what other servers counted.
  ///
  /// What they admitted while this bucket was full cost the client nothing: tokens that returned in vain pay for it first, as they would
  /// have in a bucket for all servers.
  func charge(_ client: ClientDigest, _ use: LimitUse, now: NIODeadline) {
    state.withLock { state in
      guard let tallies = state.tallies else { return }
      let key = tallies.key(of: client)
      let known = key.map { state.buckets[$0] } ?? state.others[client]
      var bucket = known ?? Bucket(tokens: burst, filled: now)
      refill(&bucket, now: now)
      let returned = rate * min(use.seconds, Self.longestUse)
      let paid = known == nil ? returned : min(bucket.spilled, returned)
      bucket.spilled = 0
      bucket.tokens = max(-Self.mostDebt * burst, bucket.tokens - max(0, Double(use.count) - paid))
      guard known != nil || bucket.tokens < burst else { return }
      if let key {
        if known == nil, state.buckets.count >= limit { makeRoom(in: &state.buckets, limit: limit, now: now) }
        state.buckets[key] = bucket
      } else {
        if known == nil, state.others.count >= Self.mostOthers {
          makeRoom(in: &state.others, limit: Self.mostOthers, now: now)
        }
        state.others[client] = bucket
      }
    }
  }

  /// Fills the bucket of a client, as another server did.
  func fill(_ client: ClientDigest) {
    state.withLock { state in
      state.others[client] = nil
      guard let key = state.tallies?.key(of: client) else { return }
      state.buckets[key] = nil
      state.tallies?.forget(key)
    }
  }
}
