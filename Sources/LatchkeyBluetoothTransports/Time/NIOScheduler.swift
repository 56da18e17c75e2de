import NIOCore
import NIOPosix

/// Time and timers from a NIO event loop, for use over a socket: timers and bytes then arrive on one thread.
package final class NIOScheduler: Scheduler {
  let eventLoop: any EventLoop

  init(eventLoop: any EventLoop) { self.eventLoop = eventLoop }

  /// Time from one of the process's event loops.
  package convenience init() { self.init(eventLoop: MultiThreadedEventLoopGroup.singleton.next()) }

  /// The system's monotonic time, as NIO has it.
  package var now: Duration { .nanoseconds(Int64(clamping: NIODeadline.now().uptimeNanoseconds)) }

  /// Calls `body` on the event loop.
  package func makeTimer(at deadline: Duration, _ body: @escaping @Sendable () -> Void) -> any ScheduledTimer {
    let deadline = NIODeadline.uptimeNanoseconds(UInt64(deadline.clampedNanoseconds))
    return Timer(task: eventLoop.scheduleTask(deadline: deadline, body))
  }

  private final class Timer: ScheduledTimer {
    private let task: Scheduled<Void>
    init(task: Scheduled<Void>) { self.task = task }
    func cancel() { task.cancel() }
  }
}
