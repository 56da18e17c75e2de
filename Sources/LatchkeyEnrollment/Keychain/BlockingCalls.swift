internal import Dispatch
internal import Synchronization

/// Where calls run that wait for the keychain, its keys and the user who is asked for them: threads of Dispatch, never those of
/// the cooperative pool.
///
/// A call stays a part of the task that makes it, so that it finds the task's keychain. There are several serial queues,
/// since a user who is asked must not hold up the others.
final class BlockingCalls: TaskExecutor {
  static let shared = BlockingCalls()

  private let queues = (0..<8).map { DispatchQueue(label: "Enrollment.\($0)") }
  /// How many jobs each queue has.
  private let loads = Mutex(Array(repeating: 0, count: 8))

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    perform { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }

  /// Runs `work` on the thread with the least to do.
  func perform(_ work: @escaping @Sendable () -> Void) {
    let index = loads.withLock { loads in
      var least = 0
      for index in loads.indices where loads[index] < loads[least] { least = index }
      loads[least] += 1
      return least
    }
    queues[index].async {
      work()
      self.loads.withLock { $0[index] -= 1 }
    }
  }
}

/// Runs `body` on a thread that may wait, as part of the task that calls.
func blocking<Result: Sendable>(
  _ body: @escaping @Sendable () throws(EnrollmentError) -> Result
) async throws(EnrollmentError) -> Result {
  try await withTaskExecutorPreference(BlockingCalls.shared) { () async throws(EnrollmentError) -> Result in
    try await onPreferredExecutor(body)
  }
}

// Asynchronous and of no actor: so it leaves the caller's actor for the preferred executor.
private nonisolated func onPreferredExecutor<Result: Sendable>(
  _ body: @Sendable () throws(EnrollmentError) -> Result
) async throws(EnrollmentError) -> Result {
  try body()
}
