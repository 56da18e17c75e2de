internal import NIOCore
internal import Synchronization

/// A token bucket per key: each request takes a token, and tokens return at a steady rate. The table is bounded: a full bucket
/// needs no entry, and when the table is full, the least recently used entries are dropped.
final class TokenBuckets<Key: Hashable & Sendable>: Sendable {
  private struct Bucket {
    var tokens: Double
    var filled: NIODeadline
  }

  private let rate: Double
  private let burst: Double
  private let limit: Int
  private let buckets = Mutex<[Key: Bucket]>([:])

  /// - Parameters:
  ///   - rate: tokens per second.
  ///   - burst: the capacity of a bucket.
  ///   - limit: the maximum number of entries.
  init(rate: Double, burst: Double, limit: Int = 65_536) {
    self.rate = rate
    self.burst = burst
    self.limit = limit
  }

  var count: Int { buckets.withLock { $0.count } }

  /// Takes a token.
  ///
  /// - Returns: nil on success; else the seconds until one is available.
  func take(_ key: Key, now: NIODeadline) -> Double? {
    buckets.withLock { buckets in
      if buckets[key] == nil, buckets.count >= limit { makeRoom(in: &buckets, now: now) }
      var bucket = buckets[key] ?? Bucket(tokens: burst, filled: now)
      bucket.tokens = filled(bucket, now: now)
      bucket.filled = now
      defer { buckets[key] = bucket }
      guard bucket.tokens >= 1 else { return (1 - bucket.tokens) / rate }
      bucket.tokens -= 1
      return nil
    }
  }

  /// Returns a token.
  func give(_ key: Key, now: NIODeadline) {
    buckets.withLock { buckets in
      guard var bucket = buckets[key] else { return }
      bucket.tokens = min(burst, filled(bucket, now: now) + 1)
      bucket.filled = now
      buckets[key] = bucket
    }
  }

  /// Fills a bucket.
  func fill(_ key: Key) { buckets.withLock { $0[key] = nil } }

  private func filled(_ bucket: Bucket, now: NIODeadline) -> Double {
    // A clock that went back adds no tokens and removes none.
    min(burst, bucket.tokens + max(0, Double((now - bucket.filled).nanoseconds)) / 1e9 * rate)
  }

  /// Halves the table, so that a flood of new keys does not sort it for each of them.
  private func makeRoom(in buckets: inout [Key: Bucket], now: NIODeadline) {
    buckets = buckets.filter { filled($0.value, now: now) < burst }
    guard buckets.count > limit / 2 else { return }
    let latest = buckets.sorted { $0.value.filled > $1.value.filled }.prefix(limit / 2)
    buckets = Dictionary(uniqueKeysWithValues: latest.map { ($0.key, $0.value) })
  }
}
