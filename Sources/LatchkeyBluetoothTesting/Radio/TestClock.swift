import Dispatch
import LatchkeyBluetoothEmulator
import LatchkeyBluetoothTransports
import Synchronization

/// The clock of a ``TestRadio`` as Swift's `Clock`: `Task.sleep(for:clock:)` sleeps in the radio's time.
///
/// What a task does after it woke is on a thread of its own: ``TestRadio/settle()`` waits for it if the task runs on
/// ``TestRadio/taskExecutor``.
public struct TestClock: Clock {
  /// A time of the radio.
  public struct Instant: InstantProtocol, Sendable {
    /// The time since the radio's origin.
    public let time: Duration

    /// The time after this one.
    public func advanced(by duration: Duration) -> Instant { Instant(time: time + duration) }

    /// The time from this one to another.
    public func duration(to other: Instant) -> Duration { other.time - time }

    /// Whether it is earlier.
    public static func < (a: Instant, b: Instant) -> Bool { a.time < b.time }
  }

  let scheduler: any Scheduler

  /// The radio's time.
  public var now: Instant { Instant(time: scheduler.now) }

  /// A nanosecond.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// Sleeps until the radio's clock has reached a time.
  ///
  /// - Throws: `CancellationError`, if the task is canceled before.
  public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let sleep = Sleep()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        guard sleep.begin(continuation) else { return }
        sleep.keep(scheduler.makeTimer(at: deadline.time) { sleep.end(.success(())) })
      }
    } onCancel: {
      sleep.end(.failure(CancellationError()))
    }
  }

  /// A sleep that ends once: by its timer, or by the task's end.
  private final class Sleep: Sendable {
    private struct State {
      var continuation: CheckedContinuation<Void, any Error>?
      var result: Result<Void, any Error>?
      var timer: (any ScheduledTimer)?
    }

    private let state = Mutex(State())

    /// Returns false if the sleep has ended already.
    func begin(_ continuation: CheckedContinuation<Void, any Error>) -> Bool {
      let result = state.withLock { state in
        if state.result == nil { state.continuation = continuation }
        return state.result
      }
      if let result { continuation.resume(with: result) }
      return result == nil
    }

    func keep(_ timer: any ScheduledTimer) {
      let isOver = state.withLock { state in
        state.timer = timer
        return state.result != nil
      }
      if isOver { timer.cancel() }
    }

    func end(_ result: Result<Void, any Error>) {
      let (continuation, timer) = state.withLock { state in
        guard state.result == nil else {
          return (nil as CheckedContinuation<Void, any Error>?, nil as (any ScheduledTimer)?)
        }
        state.result = result
        defer { state.continuation = nil }
        return (state.continuation, state.timer)
      }
      timer?.cancel()
      continuation?.resume(with: result)
    }
  }
}

extension TestRadio {
  /// The radio's time as a clock.
  public var clock: TestClock { TestClock(scheduler: air.scheduler) }
}

/// Runs tasks on a queue, one at a time, and counts them as movements of a radio.
final class CountingExecutor: TaskExecutor {
  private let activity: RadioActivity
  private let queue = DispatchQueue(label: "latchkey.testing.tasks")

  init(activity: RadioActivity) { self.activity = activity }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    activity.begin()
    queue.async { [self] in
      job.runSynchronously(on: asUnownedTaskExecutor())
      activity.expectBlocks(of: nil)
      activity.end()
    }
  }
}
