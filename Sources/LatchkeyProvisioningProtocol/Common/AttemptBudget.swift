/// How often a code may still be tried, whatever the protocol, and when next. Sans-I/O: whatever changes it stores `record`
/// before it sends anything that depends on the change, so that a restart gives nobody another try.
///
/// A try is counted when it begins, before anything is computed for it; one that succeeds is given back, and no other. After ten
/// that failed nobody is let in until somebody acts at the device (`reset()`), even if others succeeded between them: a guesser who
/// waits for the owner to come and go has no more tries than one who does not. Between two that fail lie 1, 2, 4 … 64 s.
package struct AttemptBudget: Sendable {
  /// What survives a restart.
  package struct Record: Hashable, Sendable {
    /// The tries since the last act at the device that have not succeeded.
    package var failures: Int

    package init(failures: Int = 0) { self.failures = failures }
  }

  /// The answer to a try.
  package enum Verdict: Hashable, Sendable {
    /// The try is counted; go on.
    case allowed
    /// The next try is not before this much time has passed.
    case wait(Duration)
    /// Only somebody at the device opens it again.
    case locked
  }

  /// The failed tries after which the device is locked.
  package static let limit = 10
  private static let longestDelay = 64

  package private(set) var record: Record
  private var nextTry: Duration?

  /// The budget as it was stored. Of a device that was restarted the delay begins anew: time that nobody measured is not
  /// subtracted from it.
  package init(record: Record = Record(), now: Duration) {
    self.record = Record(failures: min(max(record.failures, 0), Self.limit))
    nextTry = self.record.failures == 0 ? nil : now + Self.delay(after: self.record.failures)
  }

  /// Whether a try would be allowed; counts nothing.
  package func verdict(now: Duration) -> Verdict {
    guard record.failures < Self.limit else { return .locked }
    guard let nextTry, now < nextTry else { return .allowed }
    return .wait(nextTry - now)
  }

  /// Begins a try: it counts unless `succeeded()` follows.
  package mutating func begin(now: Duration) -> Verdict {
    let verdict = verdict(now: now)
    guard verdict == .allowed else { return verdict }
    record.failures += 1
    nextTry = now + Self.delay(after: record.failures)
    return .allowed
  }

  /// The code of a try that has begun was right: that try is given back, and the next one need not wait. Those that failed stay.
  package mutating func succeeded() {
    record.failures = max(0, record.failures - 1)
    nextTry = nil
  }

  /// Somebody has acted at the device, or its code is a new one.
  package mutating func reset() {
    record = Record()
    nextTry = nil
  }

  private static func delay(after failures: Int) -> Duration {
    .seconds(min(1 << min(failures - 1, 6), longestDelay))
  }
}
