import Synchronization

/// A clock that stands still until it is told to move: a test of a 30-second timeout takes no time.
///
/// Timers fire on the thread that moves the clock, in the order of their deadlines, each at its own time; what they
/// schedule anew fires in the same move if it is due in it.
public final class VirtualClock: Scheduler {
  private struct Entry {
    let deadline: Duration
    let number: UInt64
    let body: @Sendable () -> Void
  }

  private struct State {
    var now: Duration = .zero
    var nextNumber: UInt64 = 0
    var entries: [Entry] = []

    /// Takes out the entry that is due first, if it is due by `limit`.
    mutating func takeFirst(by limit: Duration) -> Entry? {
      let first = entries.indices.min { a, b in
        (entries[a].deadline, entries[a].number) < (entries[b].deadline, entries[b].number)
      }
      guard let first, entries[first].deadline <= limit else { return nil }
      let entry = entries.remove(at: first)
      now = max(now, entry.deadline)
      return entry
    }
  }

  private let state = Mutex(State())

  /// A clock that shows zero.
  public init() {}

  /// What the clock shows.
  public var now: Duration { state.withLock { $0.now } }

  /// When the next timer is due; nil without one.
  public var nextDeadline: Duration? { state.withLock { state in state.entries.lazy.map(\.deadline).min() } }

  /// Keeps `body` until the clock is moved to `deadline` or past it.
  public func makeTimer(at deadline: Duration, _ body: @escaping @Sendable () -> Void) -> any ScheduledTimer {
    let number = state.withLock { state in
      state.nextNumber += 1
      state.entries.append(Entry(deadline: deadline, number: state.nextNumber, body: body))
      return state.nextNumber
    }
    return Timer(clock: self, number: number)
  }

  /// Moves the clock by `duration` and fires what becomes due on the way.
  public func advance(by duration: Duration) {
    advance(to: state.withLock { $0.now + duration })
  }

  /// Moves the clock to `end`, unless it is past it, and fires what becomes due on the way.
  public func advance(to end: Duration) {
    while let entry = state.withLock({ $0.takeFirst(by: end) }) { entry.body() }
    state.withLock { state in state.now = max(state.now, end) }
  }

  private final class Timer: ScheduledTimer {
    private let clock: VirtualClock
    private let number: UInt64

    init(clock: VirtualClock, number: UInt64) {
      self.clock = clock
      self.number = number
    }

    func cancel() {
      clock.state.withLock { state in state.entries.removeAll { $0.number == number } }
    }
  }
}
