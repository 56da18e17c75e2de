internal import Dispatch
internal import LatchkeySQLite
internal import Synchronization

/// Writes that wait while a commit is under way go together into the next one: the disk is waited for once for all of them.
///
/// Each connection has a worker on a thread of its own; nothing blocks the cooperative pool. A worker takes all that waits, up
/// to a bound, opens one transaction, runs each body, commits once, and then answers everybody. A body that throws undoes itself
/// alone, for which the batch runs again, behind savepoints (`BatchRun`). Whatever the database wants tried again is run again whole: every body of the batch.
///
/// Nobody can stop a body that does not return. With a limit (``limit(_:)``) its callers get `.unavailable`, as does whatever waits when no
/// worker is left, and its transaction is undone if it ever ends.
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

  private struct Running {
    let batch: [WaitingWrite]
    let began: ContinuousClock.Instant
    let limit = TransactionLimit()
  }

  private struct State {
    var queue: CommitQueue<WaitingWrite>
    var isClosed = false
    var closers: [CheckedContinuation<Bool, Never>] = []
    /// The time limit of a batch; nil: none.
    var longest: Duration?
    /// The batches that run, by worker.
    var running: [Int: Running] = [:]
    /// Whether a check of what runs is scheduled.
    var isWatched = false

    /// Whether each worker runs a batch that has exceeded its time.
    func isStuck(of workers: Int) -> Bool {
      running.count == workers && running.values.allSatisfy(\.limit.isExceeded)
    }

    /// Whether all that could end has ended.
    var isAtRest: Bool {
      queue.count == 0 && queue.busyCount == running.values.count { $0.limit.isExceeded }
    }

    /// The callers of `close` that need wait no longer.
    mutating func takeClosers() -> [CheckedContinuation<Bool, Never>] {
      guard isClosed, isAtRest else { return [] }
      defer { closers = [] }
      return closers
    }
  }

  private let state: Mutex<State>
  private let limits: Limits
  private let workers: [DispatchQueue]
  private let lend: @Sendable (Int, (SQLConnection) -> Void) throws -> Void
  private let interrupt: @Sendable (Int) -> Void
  private let watch: DispatchQueue

  /// A batcher over so many connections.
  ///
  /// - Parameters:
  ///   - lend: calls with the connection of a number, which is used for nothing else meanwhile. It blocks, and throws
  ///   if there is no connection to be had.
  ///   - interrupt: ends the statement that runs on the connection of a number, if there is one. From any thread, while it is lent.
  package init(
    label: String, connections: Int = 1, limits: Limits = Limits(),
    interrupt: @escaping @Sendable (Int) -> Void = { _ in },
    lend: @escaping @Sendable (Int, (SQLConnection) -> Void) throws -> Void
  ) {
    self.limits = limits
    self.lend = lend
    self.interrupt = interrupt
    watch = DispatchQueue(label: "\(label).watch")
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

  /// Sets the time limit of a transaction, from the next one on.
  package func limit(_ longest: Duration) { state.withLock { $0.longest = longest } }

  /// Lets everything finish that was asked for, and refuses what comes later.
  ///
  /// - Returns: false if a worker still runs what has exceeded its time: its connection must stay.
  @discardableResult
  package func close() async -> Bool {
    await withCheckedContinuation { closer in
      let (closers, isIdle) = state.withLock { state in
        state.isClosed = true
        state.closers.append(closer)
        return (state.takeClosers(), state.queue.isIdle)
      }
      for closer in closers { closer.resume(returning: isIdle) }
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
      if state.isStuck(of: workers.count) { return (TransactionLimit.error, nil) }
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
    while let (batch, limit) = next(worker) {
      do {
        try lend(worker) { BatchRun($0, limits, limit).perform(batch) }
      } catch {
        let answer = (error as? SQLFailure)?.storeError ?? error
        for write in batch { write.answer(answer) }
      }
    }
  }

  /// The next batch of a worker; nil, and the worker idle, if nothing waits.
  private func next(_ worker: Int) -> (batch: [WaitingWrite], limit: TransactionLimit)? {
    let (next, closers, isIdle, check) = state.withLock { state in
      state.running[worker] = nil
      var (next, check): (Running?, Duration?) = (nil, nil)
      // The limits let a worker go on for ever.
      if case .commit(let batch) = state.queue.next(for: worker) {
        next = Running(batch: batch, began: .now)
        state.running[worker] = next
        if let longest = state.longest, !state.isWatched { (state.isWatched, check) = (true, longest) }
      }
      return (next, next == nil ? state.takeClosers() : [], state.queue.isIdle, check)
    }
    for closer in closers { closer.resume(returning: isIdle) }
    if let check { schedule(after: check) }
    return next.map { ($0.batch, $0.limit) }
  }

  // MARK: The time limit

  /// One check at a time is scheduled, and none while nothing runs: a timer for each batch would cost each of them.
  private func schedule(after pause: Duration) {
    let (seconds, attoseconds) = pause.components
    let time = DispatchTime.now() + Double(seconds) + Double(attoseconds) / 1e18
    watch.asyncAfter(deadline: time) { [self] in check() }
  }

  private static let interruptAgain = Duration.seconds(1)

  /// Answers the callers of batches that have exceeded their time, and all that wait if no worker is left for them.
  private func check() {
    let now = ContinuousClock.now
    let (late, closers, isIdle, pause) = state.withLock { state in
      var late: [WaitingWrite] = []
      var pause: Duration?
      for (worker, running) in state.running {
        var left = (state.longest ?? .zero) - (now - running.began)
        if left <= .zero {
          if !running.limit.isExceeded { late += running.batch }
          running.limit.exceed()
          // Under the lock, without which the worker begins nothing else; and again, since a statement may just be about to begin.
          interrupt(worker)
          left = Self.interruptAgain
        }
        pause = min(pause ?? left, left)
      }
      if state.isStuck(of: workers.count) { late += state.queue.removeAll() }
      state.isWatched = pause != nil
      return (late, state.takeClosers(), state.queue.isIdle, pause)
    }
    for write in late { write.answer(TransactionLimit.error) }
    for closer in closers { closer.resume(returning: isIdle) }
    if let pause { schedule(after: pause) }
  }
}
