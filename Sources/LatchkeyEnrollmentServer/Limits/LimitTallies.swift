internal import LatchkeyEnrollmentStore
internal import NIOCore

/// Counts what clients use of a limit, for other servers. Only those that use a notable share of it within the time in which an empty
/// bucket fills are reported: the many that use little do not cost a byte, and together, on all servers, what stays unreported of one
/// client is a quarter of its limit at most. The table is bounded.
struct LimitTallies<Key: Hashable & Sendable>: Sendable {
  private struct Tally {
    let client: ClientDigest
    var count = 0
    /// The first use that is counted.
    var since: NIODeadline
  }

  private static var most: Int { 8192 }

  /// The count from which a client is reported.
  let threshold: Int
  private let window: Double
  private let digest: @Sendable (Key) -> ClientDigest
  private var tallies: [Key: Tally] = [:]
  private var keys: [ClientDigest: Key] = [:]
  /// Those that have reached the threshold.
  private var notable: Set<Key> = []

  static func threshold(burst: Double, servers: Int) -> Int {
    guard servers >= 2 else { return 0 }
    return max(1, Int((min(burst, 1e9) / Double(4 * min(servers, LimitExchange.mostReports))).rounded(.up)))
  }

  /// - Parameters:
  ///   - window: the seconds within which the threshold must be reached.
  ///   - digest: what stands for a key on all servers.
  init(threshold: Int, window: Double, digest: @escaping @Sendable (Key) -> ClientDigest) {
    (self.threshold, self.window, self.digest) = (threshold, window, digest)
  }

  /// The key that a digest stands for; nil if it was not seen here, or not lately.
  func key(of client: ClientDigest) -> Key? { keys[client] }

  /// What stands for a key.
  mutating func digest(of key: Key, now: NIODeadline) -> ClientDigest {
    if let known = tallies[key] { return known.client }
    let client = digest(key)
    insert(key, Tally(client: client, since: now))
    return client
  }

  /// Counts a use.
  mutating func count(_ key: Key, now: NIODeadline) {
    if tallies[key] == nil { insert(key, Tally(client: digest(key), since: now)) }
    guard var tally = tallies.removeValue(forKey: key) else { return }
    let isNew = tally.count < threshold && Double((now - tally.since).nanoseconds) / 1e9 > window
    if tally.count == 0 || isNew { (tally.count, tally.since) = (0, now) }
    tally.count += 1
    tallies[key] = tally
    if tally.count == threshold { notable.insert(key) }
  }

  /// Uncounts what was not reported.
  mutating func forget(_ key: Key) {
    tallies[key]?.count = 0
    notable.remove(key)
  }

  /// The clients that reached the threshold since they were last reported, the most used first.
  mutating func collect(limit: Int, now: NIODeadline) -> [(client: ClientDigest, count: UInt32, tenths: UInt16)] {
    guard !notable.isEmpty else { return [] }
    let most = notable.sorted { tallies[$0]?.count ?? 0 > tallies[$1]?.count ?? 0 }.prefix(limit)
    return most.compactMap { key in
      notable.remove(key)
      guard let tally = tallies[key] else { return nil }
      tallies[key]?.count = 0
      let tenths = max(0, Double((now - tally.since).nanoseconds)) / 1e8
      return (tally.client, UInt32(clamping: tally.count), UInt16(min(tenths.rounded(.up), Double(UInt16.max))))
    }
  }

  private mutating func insert(_ key: Key, _ tally: Tally) {
    if tallies.count >= Self.most {
      // Where there are too many notable ones, others are not counted: nothing is searched for each of them.
      guard notable.count <= Self.most / 2 else { return }
      for key in Array(tallies.keys) where !notable.contains(key) {
        if let old = tallies.removeValue(forKey: key) { keys[old.client] = nil }
      }
    }
    tallies[key] = tally
    keys[tally.client] = key
  }
}
