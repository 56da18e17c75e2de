import Synchronization

/// A clock that moves only when it is advanced: a wait of 30 seconds takes no time in a test.
///
/// Timers fire in the order of their deadlines, equal ones in the order in which they were set, and see `now` at their
/// own deadline. An action may set and cancel timers. It is called without a lock, on the thread that advances the
/// clock.
public final class VirtualClock: Sendable {
  /// Identifies a timer, to cancel it.
  public struct Timer: Hashable, Sendable {
    fileprivate let value: UInt64
  }

  private struct State {
    var now: Duration
    var last: UInt64 = 0
    /// What timers do that were neither fired nor canceled.
    var actions: [UInt64: @Sendable () -> Void] = [:]
    /// Their deadlines, and those of some that were canceled.
    var deadlines = DeadlineHeap()

    /// The earliest timer; among equals the first that was set.
    mutating func next() -> DeadlineHeap.Entry? {
      while let entry = deadlines.first, actions[entry.timer] == nil { deadlines.removeFirst() }
      return deadlines.first
    }
  }

  private let state: Mutex<State>

  /// A clock that starts at `start`.
  public init(start: Duration = .zero) { state = Mutex(State(now: start)) }

  /// The clock's time since an arbitrary origin.
  public var now: Duration { state.withLock { $0.now } }

  /// The earliest deadline of a timer; nil when none is set.
  public var nextDeadline: Duration? {
    state.withLock { $0.next()?.deadline }
  }

  /// Schedules `action` for when the clock reaches `deadline`; a deadline that has passed counts as now.
  @discardableResult
  public func schedule(at deadline: Duration, _ action: @escaping @Sendable () -> Void) -> Timer {
    state.withLock { state in
      state.last += 1
      state.actions[state.last] = action
      state.deadlines.insert(DeadlineHeap.Entry(deadline: max(deadline, state.now), timer: state.last))
      return Timer(value: state.last)
    }
  }

  /// Cancels a timer; does nothing for one that has fired.
  public func cancel(_ timer: Timer) {
    state.withLock { state in
      guard state.actions.removeValue(forKey: timer.value) != nil else { return }
      // Timers that are set and canceled again and again, while time stands still, must not fill the memory.
      if state.deadlines.count > 64 + 2 * state.actions.count {
        let actions = state.actions
        state.deadlines.keep { actions[$0.timer] != nil }
      }
    }
  }

  /// Advances the clock to `target`, firing all timers that become due. A clock never goes back.
  public func advance(to target: Duration) {
    while let action = dequeueDue(target) { action() }
    state.withLock { $0.now = max($0.now, target) }
  }

  /// Advances the clock by `duration`.
  public func advance(by duration: Duration) { advance(to: now + duration) }

  /// Advances the clock to the next deadline and fires all timers that are due there.
  ///
  /// - Returns: false when no timer is set; the clock then stands still.
  @discardableResult
  public func advanceToNextDeadline() -> Bool {
    guard let deadline = nextDeadline else { return false }
    advance(to: deadline)
    return true
  }

  private func dequeueDue(_ target: Duration) -> (@Sendable () -> Void)? {
    state.withLock { state in
      guard let entry = state.next(), entry.deadline <= target else { return nil }
      state.deadlines.removeFirst()
      state.now = max(state.now, entry.deadline)
      return state.actions.removeValue(forKey: entry.timer)
    }
  }
}
