internal import NIOCore
internal import Synchronization

/// Decides which refused logins are audited. Any client can cause them, so only the first ones in a minute get entries, and the
/// next entry records the count of the others.
final class RefusedLogins: Sendable {
  private let rows: TokenBuckets<Int>
  private let uncounted = Mutex(0)

  init(perMinute: Double = 30) { rows = TokenBuckets(rate: perMinute / 60, burst: perMinute) }

  /// - Returns: nil if the login is only counted; else the number of those counted since the last entry.
  func row(now: NIODeadline) -> Int? {
    let isWritten = rows.take(0, now: now) == nil
    return uncounted.withLock { count in
      guard isWritten else {
        count += 1
        return nil
      }
      defer { count = 0 }
      return count
    }
  }
}
