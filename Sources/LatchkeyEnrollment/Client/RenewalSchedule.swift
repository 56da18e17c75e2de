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

  private var failures = 0
  private var nextTry: Date?

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
    // A clock that was set back must not make the wait longer than it can be.
    guard let nextTry, now < nextTry, nextTry.timeIntervalSince(now) <= Self.longestDelay else { return .renew }
    return .wait(until: nextTry)
  }

  /// Notes a failure.
  ///
  /// - Parameters:
  ///   - end: the end of the certificate, before which some tries must fit.
  ///   - jitter: 0 to 1, random, so that many devices do not come back together.
  /// - Returns: when to try again.
  @discardableResult
  public mutating func failed(at now: Date, end: Date?, jitter: Double) -> Date {
    failures += 1
    var delay = min(Self.firstDelay * Double(1 << min(failures - 1, 16)), Self.longestDelay)
    if let left = end?.timeIntervalSince(now), left > 0 { delay = min(delay, max(left / 8, 5)) }
    let next = now.addingTimeInterval(delay * (0.5 + min(max(jitter, 0), 1) / 2))
    nextTry = next
    return next
  }

  /// Notes a success.
  public mutating func succeeded() { self = RenewalSchedule() }
}
