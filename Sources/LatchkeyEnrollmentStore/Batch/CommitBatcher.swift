internal import Dispatch
internal import LatchkeySQLite
internal import Synchronization

/// Writes that wait while a commit is under way go together into the next one: the disk is waited for once for all of them.
///
/// Each connection has a worker on a thread of its own; nothing blocks the cooperative pool. A worker takes all that waits, up
/// to a bound, opens one transaction, runs each body, commits once, and then answers everybody. A body that throws undoes itself
/// alone, for which the batch runs again, behind savepoints (`BatchRun`). Whatever the database wants tried again is run again whole: every body of the batch.
package final class CommitBatcher: Sendable {
  /// The bounds.
  package struct Limits: Sendable {
    /// Writes that share a commit.
    package var batch = 128
    /// Writes that wait; more are refused with `.unavailable`.
    package var waiting = 8192
    /// Tries of a batch as a whole, and then of each write in it.
    package var tries = 8
    /// Milliseconds; the pauses between tries begin at two.
    package var longestPause = 100
    /// How long a batch is tried again before its writes end with `.contention`.
    package var patience: Duration = .seconds(10)

    package init() {}
  }

  private struct State {
    var queue: CommitQueue<WaitingWrite>
    var isClosed = false
    var closers: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Mutex<State>
  private let limits: Limits
  private let workers: [DispatchQueue]
  private let lend: @Sendable (Int, (SQLConnection) -> Void) throws -> Void

  /// A batcher over so many connections.
  ///
  /// - Parameter lend: calls with the connection of a number, which is used for nothing else meanwhile. It blocks, and throws
  ///   if there is no connection to be had.
  package init(
    label: String, connections: Int = 1, limits: Limits = Limits(),
    lend: @escaping @Sendable (Int, (SQLConnection) -> Void) throws -> Void
  ) {
    self.limits = limits
    self.lend = lend
    workers = (0..<max(1, connections)).map { DispatchQueue(label: "\(label).\($0)") }
    var bounds = CommitQueue<WaitingWrite>.Limits()
    (bounds.batch, bounds.waiting) = (limits.batch, limits.waiting)
    state = Mutex(State(queue: CommitQueue(leaders: workers.count, limits: bounds)))
  }

  /// Waits for the body's turn and for the disk.
  ///
  /// A task that is cancelled while it waits takes its write back, and gets `CancellationError`; once the write has its turn
  /// it is finished and answered.
  package func write<T: Sendable>(
    _ body: @escaping @Sendable (any StoreTransaction) throws -> T
  ) async throws -> T {
    let ticket = Ticket()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { caller in
        submit(WaitingWrite(body, caller), ticket)
      }
    } onCancel: {
      let write = state.withLock { $0.queue.withdraw(ObjectIdentifier(ticket)) }
      write?.answer(CancellationError())
    }
  }

  /// Lets everything finish that was asked for, and refuses what comes later.
  package func close() async {
    await withCheckedContinuation { closer in
      let isDone = state.withLock { state in
        state.isClosed = true
        if state.queue.isIdle { return true }
        state.closers.append(closer)
        return false
      }
      if isDone { closer.resume() }
    }
  }

  /// How many writes wait.
  package var waitingCount: Int { state.withLock { $0.queue.count } }

  /// What a write goes by while it waits.
  private final class Ticket: Sendable {}

  private func submit(_ write: WaitingWrite, _ ticket: Ticket) {
    let (refusal, worker) = state.withLock { state -> ((any Error)?, Int?) in
      if state.isClosed { return (EnrollmentStoreError.closed, nil) }
      if Task.isCancelled { return (CancellationError(), nil) }
      switch state.queue.insert(write, key: ObjectIdentifier(ticket)) {
      case .starts(let worker): return (nil, worker)
      case .waits: return (nil, nil)
      case .refused:
        return (EnrollmentStoreError.unavailable("\(limits.waiting) writes are waiting already: try later"), nil)
      }
    }
    if let refusal { write.answer(refusal) }
    if let worker { workers[worker].async { self.work(worker) } }
  }

  private func work(_ worker: Int) {
    while let batch = next(worker) {
      do {
        try lend(worker) { BatchRun($0, limits).perform(batch) }
      } catch {
        let answer = (error as? SQLFailure)?.storeError ?? error
        for write in batch { write.answer(answer) }
      }
    }
  }

  /// The next batch of a worker; nil, and the worker idle, if nothing waits.
  private func next(_ worker: Int) -> [WaitingWrite]? {
    let (batch, closers) = state.withLock { state -> ([WaitingWrite]?, [CheckedContinuation<Void, Never>]) in
      // The limits let a worker go on for ever.
      if case .commit(let batch) = state.queue.next(for: worker) { return (batch, []) }
      guard state.isClosed, state.queue.isIdle else { return (nil, []) }
      defer { state.closers = [] }
      return (nil, state.closers)
    }
    for closer in closers { closer.resume() }
    return batch
  }
}
