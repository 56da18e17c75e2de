import Synchronization

/// A clock that stands still until it is told to go on: what waits 30 seconds in the field waits for no time in a test.
///
/// Timers fire in the order of their deadlines, those of one deadline in the order in which they were set, and see
/// `now` at their own deadline. An action may set and cancel timers, and is called with no lock held, on the thread
/// that moves the clock.
public final class VirtualClock: Sendable {
  /// Names a timer, to cancel it.
  public struct Timer: Hashable, Sendable {
    fileprivate let value: UInt64
  }

  private struct Entry {
    let timer: Timer
    let deadline: Duration
    let action: @Sendable () -> Void
  }

  private struct State {
    var now: Duration
    var last: UInt64 = 0
    var entries: [Entry] = []

    /// Earliest first; the first that was set among equals.
    var nextIndex: Int? {
      entries.indices.min { a, b in
        (entries[a].deadline, entries[a].timer.value) < (entries[b].deadline, entries[b].timer.value)
      }
    }
  }

  private let state: Mutex<State>

  /// A clock that shows `start`.
  public init(start: Duration = .zero) { state = Mutex(State(now: start)) }

  /// What the clock shows: time since an arbitrary origin.
  public var now: Duration { state.withLock { $0.now } }

  /// The earliest deadline of a timer; nil when none is set.
  public var nextDeadline: Duration? {
    state.withLock { state in state.nextIndex.map { state.entries[$0].deadline } }
  }

  /// Has `action` called once the clock reaches `deadline`; a deadline that has passed counts as now.
  @discardableResult
  public func schedule(at deadline: Duration, _ action: @escaping @Sendable () -> Void) -> Timer {
    state.withLock { state in
      state.last += 1
      let timer = Timer(value: state.last)
      state.entries.append(Entry(timer: timer, deadline: max(deadline, state.now), action: action))
      return timer
    }
  }

  /// Forgets a timer; one that has fired is forgotten already.
  public func cancel(_ timer: Timer) {
    state.withLock { $0.entries.removeAll { $0.timer == timer } }
  }

  /// Moves the clock to `target`, firing what becomes due on the way. A clock never goes back.
  public func advance(to target: Duration) {
    while let action = takeDue(target) { action() }
    state.withLock { $0.now = max($0.now, target) }
  }

  /// Moves the clock on by `duration`.
  public func advance(by duration: Duration) { advance(to: now + duration) }

  /// Moves the clock to the next deadline and fires all that is due there.
  ///
  /// - Returns: false when no timer is set; the clock then stands still.
  @discardableResult
  public func advanceToNextDeadline() -> Bool {
    guard let deadline = nextDeadline else { return false }
    advance(to: deadline)
    return true
  }

  private func takeDue(_ target: Duration) -> (@Sendable () -> Void)? {
    state.withLock { state in
      guard let index = state.nextIndex, state.entries[index].deadline <= target else { return nil }
      let entry = state.entries.remove(at: index)
      state.now = max(state.now, entry.deadline)
      return entry.action
    }
  }
}
