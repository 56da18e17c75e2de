public import Foundation

/// When a certificate is renewed, and when a renewal that failed is tried again: a sans-I/O core, which takes the time and gives deadlines.
///
/// All times are those of the wall clock, since a certificate's are: a caller asks again after a short wait, and so notices a clock that was
/// set, or a machine that slept.
public struct RenewalSchedule: Sendable {
  /// What is to be done.
  public enum Step: Sendable, Hashable {
    /// Renew now.
    case renew
    /// Ask again then, or earlier.
    case wait(until: Date)
  }

  /// The wait after the first failure; it doubles with each further one.
  static let firstDelay: TimeInterval = 30
  /// The longest wait.
  static let longestDelay: TimeInterval = 3600
  /// The longest wait that a server can ask for.
  static let longestAskedDelay: TimeInterval = 86_400

  private var failures = 0
  private var nextTry: Date?
  /// The wait that `nextTry` ends. A clock that is set back does not make it longer.
  private var delay: TimeInterval = 0

  /// Creates a schedule without failures.
  public init() {}

  /// What is to be done about an identity.
  public func step(for identity: EnrolledIdentity, at now: Date) -> Step {
    step(due: identity.renewalDate, notBefore: identity.notBefore, at: now)
  }

  func step(due: Date, notBefore: Date, at now: Date) -> Step {
    // The clock is behind the certificate: a renewal now would fail, and set right it may be long until one is due.
    if now < notBefore { return .wait(until: notBefore) }
    guard now >= due else { return .wait(until: due) }
    guard let nextTry, now < nextTry, nextTry.timeIntervalSince(now) <= delay else { return .renew }
    return .wait(until: nextTry)
  }

  /// Notes a failure.
  ///
  /// A wait that the server asked for is kept, and up to a tenth more is added, so that devices that were told the same do not come back
  /// together. It cannot cost the certificate, though: it is at most half of the time that is left before the certificate's end, a day, or,
  /// if the certificate has ended, an hour.
  ///
  /// - Parameters:
  ///   - end: the end of the certificate, before which some tries must fit.
  ///   - jitter: 0 to 1, random, so that many devices do not come back together.
  ///   - asked: how long the server asked to wait (``EnrollmentError/retryAfter``); nil if it did not.
  /// - Returns: when to try again.
  @discardableResult
  public mutating func failed(at now: Date, end: Date?, jitter: Double, asked: Duration? = nil) -> Date {
    failures += 1
    let jitter = min(max(jitter, 0), 1)
    let left = end?.timeIntervalSince(now)
    var delay = min(Self.firstDelay * Double(1 << min(failures - 1, 16)), Self.longestDelay)
    if let left, left > 0 { delay = min(delay, max(left / 8, 5)) }
    delay *= 0.5 + jitter / 2
    if let asked {
      let longest = left.map { $0 > 0 ? $0 / 2 : Self.longestDelay } ?? .infinity
      delay = max(delay, min(asked / .seconds(1) * (1 + jitter / 10), longest, Self.longestAskedDelay))
    }
    return wait(delay, from: now)
  }

  /// Notes a success.
  ///
  /// A certificate that is due as soon as it is issued, since this clock is ahead of the server's by most of its validity, is not renewed
  /// again at once: the server would soon refuse, having issued enough. Half of what is left is waited for, between half a minute and an
  /// hour.
  ///
  /// - Parameter identity: the identity with the new certificate.
  public mutating func succeeded(with identity: EnrolledIdentity, at now: Date) {
    succeeded(due: identity.renewalDate, end: identity.notAfter, at: now)
  }

  mutating func succeeded(due: Date, end: Date, at now: Date) {
    self = RenewalSchedule()
    guard now >= due else { return }
    wait(min(max(end.timeIntervalSince(now) / 2, Self.firstDelay), Self.longestDelay), from: now)
  }

  @discardableResult private mutating func wait(_ delay: TimeInterval, from now: Date) -> Date {
    let next = now.addingTimeInterval(delay)
    (nextTry, self.delay) = (next, next.timeIntervalSince(now))
    return next
  }
}
