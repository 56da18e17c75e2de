import Dispatch
@testable import LatchkeyEnrollmentStore
import LatchkeyTestSupport
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct CommitBatcherTests {
  private struct Refusal: Error, Hashable { var number = 0 }

  /// Counts what bodies do.
  private final class Counter: Sendable {
    private let count = Atomic(0)
    var value: Int { count.load(ordering: .relaxed) }
    func rise() { count.add(1, ordering: .relaxed) }
  }

  /// Few tries, short pauses.
  private static func limits(batch: Int = 128, waiting: Int = 8192, tries: Int = 3) -> CommitBatcher.Limits {
    var limits = CommitBatcher.Limits()
    (limits.batch, limits.waiting, limits.tries, limits.longestPause) = (batch, waiting, tries, 1)
    return limits
  }

  private static func batcher(
    _ session: PlannedSession, _ limits: CommitBatcher.Limits = limits()
  ) -> CommitBatcher {
    // The batcher has one worker, which alone uses it.
    nonisolated(unsafe) let connection = session.connection
    return CommitBatcher(label: "test", limits: limits) { _, use in use(connection) }
  }

  /// Holds the batcher's worker in a body until so many writes wait behind it, each in a task of its own.
  private func behindOne<T: Sendable>(
    _ batcher: CommitBatcher, count: Int, _ body: @escaping @Sendable (Int) throws -> T
  ) async throws -> [Task<T, any Error>] {
    let gate = DispatchSemaphore(value: 0)
    let (holds, holding) = AsyncStream<Void>.makeStream()
    let first = Task {
      try await batcher.write { _ in
        holding.finish()
        gate.wait()
      }
    }
    for await _ in holds {}
    let tasks = (0..<count).map { number in Task { try await batcher.write { _ in try body(number) } } }
    try await waitUntil { batcher.waitingCount >= count }
    gate.signal()
    try await first.value
    return tasks
  }

  @Test("Writes that wait share one commit, without savepoints while none throws")
  func writesThatWaitShareOneCommit() async throws {
    let session = PlannedSession()
    let batcher = Self.batcher(session)
    let tasks = try await behindOne(batcher, count: 10) { $0 * $0 }
    for (number, task) in tasks.enumerated() { #expect(try await task.value == number * number) }
    #expect(session.calls == ["begin", "commit", "begin", "commit"])
    await batcher.close()
  }

  @Test("A batch is bounded") func aBatchIsBounded() async throws {
    let session = PlannedSession()
    let batcher = Self.batcher(session, Self.limits(batch: 4))
    for task in try await behindOne(batcher, count: 10, { $0 }) { _ = try await task.value }
    #expect(session.count("commit") == 4)
    await batcher.close()
  }

  @Test("A transaction that throws is rolled back alone, and its caller learns of it after the commit")
  func aTransactionThatThrowsIsRolledBack() async throws {
    let session = PlannedSession()
    let batcher = Self.batcher(session)
    let tasks = try await behindOne(batcher, count: 5) { number in
      if number == 2 { throw Refusal(number: 2) }
    }
    for (number, task) in tasks.enumerated() {
      if number == 2 {
        await #expect(throws: Refusal(number: 2)) { try await task.value }
      } else {
        try await task.value
      }
    }
    // The others run again, behind savepoints now.
    #expect(session.count("rollback") == 1)
    #expect(session.count("undo") == 1)
    #expect(session.count("release") == 4)
    #expect(session.count("commit") == 2)
    await batcher.close()
  }

  @Test("For a while after a transaction that threw, batches have savepoints, and run once")
  func savepointsForAWhile() async throws {
    let session = PlannedSession()
    let batcher = Self.batcher(session)
    let runs = Counter()
    for round in 0..<18 {
      let tasks = try await behindOne(batcher, count: 2) { number in
        runs.rise()
        if round == 0, number == 0 { throw Refusal() }
      }
      for task in tasks { _ = try? await task.value }
    }
    // The first round ran twice, and the sixteen after it were careful.
    #expect(session.count("rollback") == 1)
    #expect(runs.value >= 18 * 2 + 1 && runs.value <= 18 * 2 + 2)
    #expect(session.count("savepoint") == 17 * 2)
    #expect(session.calls.suffix(4) == ["begin", "commit", "begin", "commit"])
    await batcher.close()
  }

  @Test("Where all throw, nothing is committed") func whereAllThrowNothingIsCommitted() async throws {
    let session = PlannedSession()
    let batcher = Self.batcher(session)
    await #expect(throws: Refusal()) { try await batcher.write { _ in throw Refusal() } }
    #expect(session.calls == ["begin", "rollback"])
    await batcher.close()
  }

  @Test("A conflict at COMMIT runs all of the batch again") func aConflictAtCOMMITRunsAllOfTheBatchAgain() async throws
  {
    let session = PlannedSession { name, before in
      name == "commit" && (1...2).contains(before) ? .retryable("40001") : nil
    }
    let batcher = Self.batcher(session)
    let runs = Mutex([Int](repeating: 0, count: 3))
    for task in try await behindOne(batcher, count: 3, { number in runs.withLock { $0[number] += 1 } }) {
      try await task.value
    }
    #expect(runs.withLock { $0 } == [3, 3, 3])
    #expect(session.count("rollback") == 2)
    await batcher.close()
  }

  @Test("Writes that fail together run one by one") func writesThatFailTogetherRunOneByOne() async throws {
    // In company COMMIT meets a conflict.
    let bodies = Mutex(0)
    let session = PlannedSession { name, _ in
      bodies.withLock { bodies in
        if name == "begin" { bodies = 0 }
        return name == "commit" && bodies > 1 ? .retryable("40001") : nil
      }
    }
    let batcher = Self.batcher(session)
    let tasks = try await behindOne(batcher, count: 4) { number in
      bodies.withLock { $0 += 1 }
      return number
    }
    for (number, task) in tasks.enumerated() { #expect(try await task.value == number) }
    #expect(session.count("commit") == 1 + 3 + 4)
    await batcher.close()
  }

  @Test("Conflicts without end are contention for each") func conflictsWithoutEndAreContentionForEach() async throws {
    let session = PlannedSession { name, before in name == "begin" && before > 0 ? .retryable("busy") : nil }
    let batcher = Self.batcher(session)
    let runs = Counter()
    for task in try await behindOne(batcher, count: 2, { _ in runs.rise() }) {
      await #expect(throws: EnrollmentStoreError.contention) { _ = try await task.value }
    }
    #expect(runs.value == 0)
    #expect(session.count("begin") == 1 + 3 + 2 * 3)
    await batcher.close()
  }

  @Test("A COMMIT with an unknown outcome is not run again, and every caller learns of it")
  func aCOMMITWithAnUnknownOutcomeIs() async throws {
    let session = PlannedSession { name, before in
      name == "commit" && before == 1 ? .unavailable("the line is cut") : nil
    }
    let batcher = Self.batcher(session)
    let runs = Counter()
    let tasks = try await behindOne(batcher, count: 3) { number in
      runs.rise()
      // Not what it threw: a body that throws has seen what the others did, which may not be.
      if number == 0 { throw Refusal() }
    }
    for task in tasks {
      await #expect(throws: EnrollmentStoreError.unavailable("the line is cut")) { try await task.value }
    }
    // Once without savepoints, as far as the body that throws, and once with them.
    #expect((4...6).contains(runs.value))
    #expect(session.count("commit") == 2)
    #expect(try await batcher.write { _ in 7 } == 7)
    await batcher.close()
  }

  @Test("More than may wait are refused at once") func moreThanMayWaitAreRefusedAtOnce() async throws {
    let session = PlannedSession()
    let batcher = Self.batcher(session, Self.limits(waiting: 2))
    let gate = DispatchSemaphore(value: 0)
    let (holds, holding) = AsyncStream<Void>.makeStream()
    let first = Task {
      try await batcher.write { _ in
        holding.finish()
        gate.wait()
      }
    }
    for await _ in holds {}
    let waiting = (0..<2).map { number in Task { try await batcher.write { _ in number } } }
    try await waitUntil { batcher.waitingCount >= 2 }
    let error = await #expect(throws: EnrollmentStoreError.self) { try await batcher.write { _ in } }
    guard case .unavailable = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    gate.signal()
    try await first.value
    for (number, task) in waiting.enumerated() { #expect(try await task.value == number) }
    await batcher.close()
  }

  @Test("A task that is canceled while it waits withdraws its write")
  func aTaskThatIsCancelledWhileItWaitsWithdrawsItsWrite() async throws {
    let session = PlannedSession()
    let batcher = Self.batcher(session)
    let gate = DispatchSemaphore(value: 0)
    let (holds, holding) = AsyncStream<Void>.makeStream()
    let first = Task {
      try await batcher.write { _ in
        holding.finish()
        gate.wait()
      }
    }
    for await _ in holds {}
    let runs = Counter()
    let waiting = (0..<3).map { _ in Task { try await batcher.write { _ in runs.rise() } } }
    try await waitUntil { batcher.waitingCount >= 3 }
    waiting[1].cancel()
    await #expect(throws: CancellationError.self) { _ = try await waiting[1].value }
    #expect(batcher.waitingCount == 2)
    // The one that has its turn is finished, whatever becomes of its task.
    first.cancel()
    gate.signal()
    try await first.value
    _ = try await (waiting[0].value, waiting[2].value)
    #expect(runs.value == 2)
    await batcher.close()
  }

  @Test("Closing waits for earlier requests and refuses later ones")
  func closingWaitsForEarlierRequestsAndRefusesLaterOnes() async throws {
    let session = PlannedSession()
    let batcher = Self.batcher(session)
    let tasks = try await behindOne(batcher, count: 20) { $0 }
    await batcher.close()
    #expect(session.count("commit") == 2)
    await #expect(throws: EnrollmentStoreError.closed) { try await batcher.write { _ in } }
    for (number, task) in tasks.enumerated() { #expect(try await task.value == number) }
    await batcher.close()
  }

  @Test("Each connection has a thread of its own") func eachConnectionHasAThreadOfItsOwn() async throws {
    let connections = [PlannedSession(), PlannedSession()]
    let batcher = CommitBatcher(label: "test", connections: 2, limits: Self.limits(batch: 1)) { number, use in
      use(connections[number].connection)
    }
    // Two bodies that wait for each other.
    let gates = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
    async let one: Void = batcher.write { _ in
      gates[0].signal()
      #expect(gates[1].wait(timeout: .now() + 60) == .success)
    }
    async let other: Void = batcher.write { _ in
      gates[1].signal()
      #expect(gates[0].wait(timeout: .now() + 60) == .success)
    }
    _ = try await (one, other)
    #expect(connections.map { $0.count("commit") } == [1, 1])
    await batcher.close()
  }

  @Test("Without a connection every caller learns why") func withoutAConnectionEveryCallerLearnsWhy() async throws {
    let batcher = CommitBatcher(label: "test") { _, _ in throw SQLFailure.unavailable("no connection") }
    for _ in 0..<2 {
      await #expect(throws: EnrollmentStoreError.unavailable("no connection")) { try await batcher.write { _ in } }
    }
    await batcher.close()
  }

  /// Begins a write that does not return before the gate is open.
  private func stuck(_ batcher: CommitBatcher, _ gate: DispatchSemaphore) async -> Task<Void, any Error> {
    let (holds, holding) = AsyncStream<Void>.makeStream()
    let write = Task {
      try await batcher.write { _ in
        holding.finish()
        gate.wait()
      }
    }
    for await _ in holds {}
    return write
  }

  private static let late = EnrollmentStoreError.unavailable(
    "a transaction has not ended within its time: it is undone, and so is what shared its commit")

  @Test("A transaction that exceeds its time is refused with all that waits, and undone when it ends")
  func aTransactionThatExceedsItsTime() async throws {
    let session = PlannedSession()
    let batcher = Self.batcher(session)
    batcher.limit(.milliseconds(50))
    let gate = DispatchSemaphore(value: 0)
    let first = await stuck(batcher, gate)
    let waiting = (0..<3).map { number in Task { try await batcher.write { _ in number } } }
    await #expect(throws: Self.late) { try await first.value }
    for task in waiting { await #expect(throws: Self.late) { _ = try await task.value } }
    // What comes later is refused at once: waiting for the next check would take a second for each.
    let began = ContinuousClock.now
    for _ in 0..<40 { await #expect(throws: Self.late) { try await batcher.write { _ in } } }
    #expect(.now - began < .seconds(20))
    #expect(session.count("commit") == 0)
    gate.signal()
    // Once the worker is back it takes writes again.
    try await waitUntil { (try? await batcher.write { _ in 7 }) == 7 }
    #expect(session.calls.prefix(3) == ["begin", "rollback", "begin"])
    #expect(await batcher.close())
  }

  @Test(
    "A statement is interrupted again, since one may begin just behind the first interruption", .timeLimit(.minutes(5)))
  func interruptedAgain() async throws {
    let (interruptions, interrupted) = AsyncStream<Int>.makeStream()
    let session = PlannedSession()
    let batcher = CommitBatcher(label: "test", limits: Self.limits(), interrupt: { interrupted.yield($0) }) { _, use in
      use(session.connection)
    }
    batcher.limit(.milliseconds(50))
    let gate = DispatchSemaphore(value: 0)
    let first = await stuck(batcher, gate)
    var numbers = interruptions.makeAsyncIterator()
    for _ in 0..<2 { #expect(await numbers.next() == 0) }
    await #expect(throws: Self.late) { try await first.value }
    gate.signal()
  }

  @Test("Closing waits for the limit of a transaction that does not return, and no longer")
  func closingWaitsForTheLimit() async throws {
    let session = PlannedSession()
    let batcher = Self.batcher(session)
    batcher.limit(.milliseconds(50))
    let gate = DispatchSemaphore(value: 0)
    let first = await stuck(batcher, gate)
    let isDone = await batcher.close()
    #expect(!isDone, "its connection is in use")
    await #expect(throws: Self.late) { try await first.value }
    gate.signal()
  }

  @Test("Beside a transaction that does not return another worker goes on") func anotherWorkerGoesOn() async throws {
    let connections = [PlannedSession(), PlannedSession()]
    let batcher = CommitBatcher(label: "test", connections: 2, limits: Self.limits()) { number, use in
      use(connections[number].connection)
    }
    batcher.limit(.milliseconds(50))
    let gate = DispatchSemaphore(value: 0)
    let first = await stuck(batcher, gate)
    await #expect(throws: Self.late) { try await first.value }
    for number in 0..<10 { #expect(try await batcher.write { _ in number } == number) }
    gate.signal()
    #expect(connections.map { $0.count("commit") }.reduce(0, +) == 10)
  }
}
