internal import Dispatch
internal import Synchronization

/// Threads for calls that block: on the disk, on another process, on the user, or on a core for a long time.
///
/// The cooperative pool has as many threads as there are processors, so a few blocked calls would stop all tasks. A concurrent
/// Dispatch queue is no better: on Linux it shares the pool's threads, and gets more of them only after a second. A serial queue
/// that targets no other queue gets a thread at once, so this executor is an array of serial queues. Each call goes to the queue
/// with the fewest calls.
///
/// As a task executor it runs jobs of a task: task-local values stay in force.
package final class BlockingThreads: TaskExecutor {
  /// How many calls run at the same time; further calls wait behind them.
  package let width: Int

  private let queues: [DispatchQueue]
  /// How many calls each queue has, the running one included.
  private let loads: Mutex<[Int]>

  /// - Parameters:
  ///   - label: names the threads in a debugger, with a number behind it.
  ///   - width: how many calls run at the same time, at least 1. A thread exists only while it has a call.
  package init(label: String, width: Int) {
    let width = max(1, width)
    self.width = width
    queues = (0..<width).map { DispatchQueue(label: "\(label).\($0)") }
    loads = Mutex(Array(repeating: 0, count: width))
  }

  /// Runs a job of a task on the thread with the fewest calls.
  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    perform { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }

  /// Runs `work` on the thread with the fewest calls, and returns at once.
  package func perform(_ work: @escaping @Sendable () -> Void) {
    let number = loads.withLock { loads in
      var least = 0
      for number in loads.indices where loads[number] < loads[least] { least = number }
      loads[least] += 1
      return least
    }
    perform(work, counted: number)
  }

  /// Runs `work` on the thread of this number, 0 to `width` - 1, after all that it was given before, and returns at once.
  package func perform(on number: Int, _ work: @escaping @Sendable () -> Void) {
    loads.withLock { $0[number] += 1 }
    perform(work, counted: number)
  }

  private func perform(_ work: @escaping @Sendable () -> Void, counted number: Int) {
    queues[number].async {
      work()
      self.loads.withLock { $0[number] -= 1 }
    }
  }

  /// Runs `body` on one of the threads, as part of the calling task.
  ///
  /// - Throws: the error of `body`.
  package func run<Result: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    try await withTaskExecutorPreference(self) { () async throws(Failure) -> Result in
      try await Self.call(body)
    }
  }

  // Asynchronous and of no actor, so that it leaves the caller's actor for the preferred executor.
  private nonisolated static func call<Result: Sendable, Failure: Error>(
    _ body: @Sendable () throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    try body()
  }
}
