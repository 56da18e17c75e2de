internal import NIOCore
internal import Synchronization

/// Which refused logins stand in the audit chain. Anybody who reaches the port makes them: the first in a minute stand there one by
/// one, of those beyond the count does, in the next one that is written down.
final class RefusedLogins: Sendable {
  private let rows: TokenBuckets<Int>
  private let uncounted = Mutex(0)

  init(perMinute: Double = 30) { rows = TokenBuckets(rate: perMinute / 60, burst: perMinute) }

  /// - Returns: nil for one that is only counted; else how many were since the last that was written down.
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
