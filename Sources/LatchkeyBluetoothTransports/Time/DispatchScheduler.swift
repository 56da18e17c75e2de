import Dispatch

/// Time and timers from Dispatch, for use inside the process: no thread of its own waits for a deadline.
public final class DispatchScheduler: Scheduler {
  private let queue = DispatchQueue(label: "latchkey.bluetooth.timers")

  /// A scheduler with a queue of its own.
  public init() {}

  /// The system's monotonic time.
  public var now: Duration { .nanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds)) }

  /// Calls `body` on the scheduler's queue.
  public func makeTimer(at deadline: Duration, _ body: @escaping @Sendable () -> Void) -> any ScheduledTimer {
    let source = DispatchSource.makeTimerSource(queue: queue)
    source.setEventHandler(handler: body)
    source.schedule(deadline: DispatchTime(uptimeNanoseconds: UInt64(deadline.clampedNanoseconds)))
    source.activate()
    return Timer(source: source)
  }

  /// Unchecked: a Dispatch source accepts calls from any thread, but its Swift type does not say so.
  private final class Timer: ScheduledTimer, @unchecked Sendable {
    private let source: any DispatchSourceTimer
    init(source: any DispatchSourceTimer) { self.source = source }
    func cancel() { source.cancel() }
    deinit { source.cancel() }
  }
}
