/// The waiting interval after failures with one peer, which makes guessing slow (Core 6.0 Vol 3 Part H 2.3.6).
///
/// The owner of the links stores the value by the peer's address and hands it to the next session with that peer.
package struct PairingAttempts: Equatable, Sendable {
  /// The interval after the first failure; each further failure doubles it.
  package static let firstInterval = Duration.seconds(1)
  /// The number of failures after which the interval does not grow any more: 512 s.
  package static let maximumFailures = 10
  /// The time without a failure, after the interval, that forgets all failures.
  package static let memory = Duration.seconds(600)

  private var failures = 0
  /// Until when no pairing with the peer begins.
  package private(set) var waitsUntil: Duration?

  /// No failure.
  package init() {}

  /// Whether a pairing must wait.
  package func isWaiting(now: Duration) -> Bool { waitsUntil.map { now < $0 } ?? false }

  /// Whether the value can be dropped, since it equals one without failures.
  package func isForgotten(now: Duration) -> Bool { waitsUntil.map { now >= $0 + Self.memory } ?? true }

  /// A pairing failed after the exchange of features.
  mutating func fail(now: Duration) {
    failures = isForgotten(now: now) ? 1 : min(failures + 1, Self.maximumFailures)
    waitsUntil = now + Self.firstInterval * (1 << (failures - 1))
  }
}
