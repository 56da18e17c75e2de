/// How often a request is sent, and how long is waited in between. Only requests that do no harm twice are sent twice.
public struct RetryPolicy: Sendable, Hashable {
  /// How often a request is sent, the first time included.
  public var attempts = 5
  /// The wait before the second time; each further one is twice as long. Between half and all of it is waited.
  public var firstDelay: Duration = .milliseconds(200)
  /// The longest wait. A server that asks for a longer one (Retry-After) is not asked again.
  public var longestDelay: Duration = .seconds(30)

  /// Five times, 0.2 s and so on.
  public init() {}

  /// Each request once.
  public static var never: RetryPolicy {
    var policy = RetryPolicy()
    policy.attempts = 1
    return policy
  }

  /// The wait after so many attempts.
  ///
  /// - Parameters:
  ///   - jitter: 0 to 1, random: so that many clients do not come back all at once.
  ///   - asked: what the server asked for, in seconds.
  /// - Returns: nil if nothing more is to be sent.
  func delay(after attempts: Int, jitter: Double, asked: Int?) -> Duration? {
    guard attempts < self.attempts else { return nil }
    let doubled = firstDelay * (1 << min(attempts - 1, 16))
    let own = min(doubled, longestDelay) * (0.5 + min(max(jitter, 0), 1) / 2)
    guard let asked else { return own }
    guard asked >= 0, Duration.seconds(min(asked, 1 << 20)) <= longestDelay else { return nil }
    return max(own, .seconds(min(asked, 1 << 20)))
  }
}
