import Dispatch
import Synchronization

/// An executor for calls that wait for the disk and for other processes. It uses Dispatch's threads, since the cooperative pool
/// has only as many threads as processors.
///
/// It has several serial queues, since Dispatch gives each a thread at once. A concurrent queue gets more threads than
/// processors only after a second of waiting.
final class Blocking: TaskExecutor {
  /// The maximum number of calls that wait at the same time.
  static let width = 16
  static let shared = Blocking()

  private let queues = (0..<width).map { DispatchQueue(label: "KeychainItems.\($0)") }
  /// The number of jobs of each queue.
  private let loads = Mutex(Array(repeating: 0, count: width))

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let index = loads.withLock { loads in
      var least = 0
      for index in loads.indices where loads[index] < loads[least] { least = index }
      loads[least] += 1
      return least
    }
    queues[index].async {
      job.runSynchronously(on: self.asUnownedTaskExecutor())
      self.loads.withLock { $0[index] -= 1 }
    }
  }

  /// Runs `body` on the executor, as part of the calling task.
  static func run<Result: Sendable>(
    on executor: Blocking = shared, _ body: @escaping @Sendable () throws(KeychainItemError) -> Result
  ) async throws(KeychainItemError) -> Result {
    try await withTaskExecutorPreference(executor) { () async throws(KeychainItemError) -> Result in
      try await call(body)
    }
  }

  // Asynchronous and nonisolated, so it leaves the caller's actor for the preferred executor.
  private nonisolated static func call<Result: Sendable>(
    _ body: @Sendable () throws(KeychainItemError) -> Result
  ) async throws(KeychainItemError) -> Result {
    try body()
  }
}
