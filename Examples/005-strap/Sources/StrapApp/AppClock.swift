import Foundation

/// The time, for the app: the system's, unless it is given another one.
public struct AppClock: Sendable {
  /// Seconds since some moment.
  public var now: @Sendable () -> TimeInterval
  /// Calls a closure after so many seconds, on any thread.
  public var after: @Sendable (TimeInterval, @escaping @Sendable () -> Void) -> Void

  /// A clock of two closures.
  public init(
    now: @escaping @Sendable () -> TimeInterval,
    after: @escaping @Sendable (TimeInterval, @escaping @Sendable () -> Void) -> Void
  ) {
    self.now = now
    self.after = after
  }

  /// The system's.
  public static let system = AppClock(
    now: { ProcessInfo.processInfo.systemUptime },
    after: { seconds, body in DispatchQueue.global().asyncAfter(deadline: .now() + seconds, execute: body) })
}
