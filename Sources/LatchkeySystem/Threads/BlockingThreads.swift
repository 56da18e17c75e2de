internal import Dispatch
internal import Synchronization

/// Threads for calls that block: on the disk, on another process, on the user, or on a core for a long time.
///
/// The cooperative pool has as many threads as there are processors, so a few blocked calls would stop all tasks. A concurrent
/// Dispatch queue is no better: on Linux it shares the pool's threads, and gets more of them only after a second. A serial queue
/// that targets no other queue gets a thread at once, so this executor is an array of serial queues. A call goes to an idle one, or
/// waits, in the order of arrival, for the first that becomes idle.
///
/// As a task executor it runs jobs of a task: task-local values stay in force.
package final class BlockingThreads: TaskExecutor {
  /// How many calls run at the same time; further calls wait behind them.
  package let width: Int

  private let queues: [DispatchQueue]
  private let state: Mutex<State>

  private typealias Call = @Sendable () -> Void

  private struct State {
    /// Whether each thread has a call.
    var isBusy: [Bool]
    /// The calls that wait for a thread of their number.
    var own: [CallQueue]
    /// The calls that wait for any thread.
    var shared = CallQueue()
  }

  /// Calls that wait, in the order of arrival.
  private struct CallQueue {
    private var calls: [Call?] = []
    private var first = 0

    mutating func append(_ call: @escaping Call) { calls.append(call) }

    mutating func popFirst() -> Call? {
      guard first < calls.count else { return nil }
      let call = calls[first]
      calls[first] = nil
      first += 1
      if 2 * first >= calls.count {
        calls.removeFirst(first)
        first = 0
      }
      return call
    }
  }

  /// - Parameters:
  ///   - label: names the threads in a debugger, with a number behind it.
  ///   - width: how many calls run at the same time, at least 1. A thread exists only while it has a call.
  package init(label: String, width: Int) {
    let width = max(1, width)
    self.width = width
    queues = (0..<width).map { DispatchQueue(label: "\(label).\($0)") }
    state = Mutex(
      State(isBusy: Array(repeating: false, count: width), own: Array(repeating: CallQueue(), count: width)))
  }

  /// Runs a job of a task on the first idle thread.
  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    perform { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }

  /// Runs `work` on the first idle thread, and returns at once.
  package func perform(_ work: @escaping @Sendable () -> Void) {
    let idle: Int? = state.withLock { state in
      guard let number = state.isBusy.firstIndex(of: false) else {
        state.shared.append(work)
        return nil
      }
      state.isBusy[number] = true
      return number
    }
    if let idle { start(idle, with: work) }
  }

  /// Runs `work` on the thread of this number, 0 to `width` - 1, after all that it was given before, and returns at once.
  package func perform(on number: Int, _ work: @escaping @Sendable () -> Void) {
    let isIdle = state.withLock { state in
      guard state.isBusy[number] else {
        state.isBusy[number] = true
        return true
      }
      state.own[number].append(work)
      return false
    }
    if isIdle { start(number, with: work) }
  }

  /// Runs `work` on a thread that was idle, and then the calls that wait for it.
  private func start(_ number: Int, with work: @escaping Call) {
    queues[number].async {
      var next: Call? = work
      while let call = next {
        call()
        next = self.next(on: number)
      }
    }
  }

  /// The next call of a thread; nil if it becomes idle.
  private func next(on number: Int) -> Call? {
    state.withLock { state in
      if let call = state.own[number].popFirst() ?? state.shared.popFirst() { return call }
      state.isBusy[number] = false
      return nil
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
