/// How often a request is sent, and the delays in between. Only idempotent requests are repeated.
public struct RetryPolicy: Sendable, Hashable {
  /// The number of attempts, including the first.
  public var attempts = 5
  /// The delay before the second attempt; it doubles for each further one. The actual delay is between half and all of it.
  public var firstDelay: Duration = .milliseconds(200)
  /// The longest delay. If the server asks for a longer one (Retry-After), the request is not repeated, and its error has the
  /// delay (``EnrollmentError/retryAfter``), unless that is `.outcomeUnknown`, of a request that may have been carried out.
  public var longestDelay: Duration = .seconds(30)

  /// Five attempts, with delays from 0.2 s.
  public init() {}

  /// A single attempt.
  public static var never: RetryPolicy {
    var policy = RetryPolicy()
    policy.attempts = 1
    return policy
  }

  /// The delay after this number of attempts.
  ///
  /// - Parameters:
  ///   - jitter: 0 to 1, random, so that many clients do not return at the same time.
  ///   - asked: the delay that the server requested, in seconds.
  /// - Returns: nil if there is no further attempt.
  func delay(after attempts: Int, jitter: Double, asked: Int?) -> Duration? {
    guard attempts < self.attempts else { return nil }
    let doubled = firstDelay * (1 << min(attempts - 1, 16))
    let own = min(doubled, longestDelay) * (0.5 + min(max(jitter, 0), 1) / 2)
    guard let asked else { return own }
    guard asked >= 0, Duration.seconds(min(asked, 1 << 20)) <= longestDelay else { return nil }
    return max(own, .seconds(min(asked, 1 << 20)))
  }
}
