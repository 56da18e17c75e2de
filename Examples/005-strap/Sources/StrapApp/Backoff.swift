import Foundation

/// How long to wait before each new attempt: twice as long each time. After the last one there is none.
struct Backoff {
  let pauses: [TimeInterval]
  private var used = 0

  init(_ pauses: [TimeInterval]) { self.pauses = pauses }

  /// The pause before the next attempt; nil if there were enough.
  mutating func next() -> TimeInterval? {
    guard used < pauses.count else { return nil }
    defer { used += 1 }
    return pauses[used]
  }

  /// An attempt succeeded.
  mutating func reset() { used = 0 }
}
