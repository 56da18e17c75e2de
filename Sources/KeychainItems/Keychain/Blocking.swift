import Dispatch

/// Where calls that wait for the disk and for other processes run: threads of Dispatch, since those of the cooperative pool
/// are as few as the processors.
final class Blocking: TaskExecutor {
  private static let shared = Blocking()

  private let queue = DispatchQueue(label: "KeychainItems", attributes: .concurrent)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }

  /// Runs `body` there, as part of the task that calls.
  static func run<Result: Sendable>(
    _ body: @escaping @Sendable () throws(KeychainItemError) -> Result
  ) async throws(KeychainItemError) -> Result {
    try await withTaskExecutorPreference(shared) { () async throws(KeychainItemError) -> Result in
      try await call(body)
    }
  }

  // Asynchronous and of no actor: so it leaves the caller's actor for the preferred executor.
  private nonisolated static func call<Result: Sendable>(
    _ body: @Sendable () throws(KeychainItemError) -> Result
  ) async throws(KeychainItemError) -> Result {
    try body()
  }
}
