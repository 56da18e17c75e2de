import Foundation
import LatchkeySystem
import Synchronization
import Testing

@Suite struct BlockingThreadsTests {
  private struct Refusal: Error, Equatable {}

  @TaskLocal private static var mark = 0

  /// Blocks each caller until all have come.
  private final class Gate: Sendable {
    private let condition = NSCondition()
    // Used under the condition's lock alone.
    private nonisolated(unsafe) var missing: Int

    init(_ count: Int) { missing = count }

    func pass() {
      condition.withLock {
        missing -= 1
        if missing == 0 { condition.broadcast() }
        while missing > 0 { condition.wait() }
      }
    }
  }

  // The cooperative pool has a thread for each processor: on fewer of them these calls would wait for each other forever.
  @Test("As many calls block at the same time as the width says", .timeLimit(.minutes(5))) func width() async throws {
    let threads = BlockingThreads(label: "test", width: 16)
    #expect(threads.width == 16)
    let gate = Gate(threads.width)
    let passed = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<threads.width {
        group.addTask {
          await threads.run { gate.pass() }
          return 1
        }
      }
      return await group.reduce(0, +)
    }
    #expect(passed == threads.width)
  }

  @Test("A call leaves the main thread, stays in its task, and returns to its actor") @MainActor func task() async {
    let threads = BlockingThreads(label: "test", width: 1)
    let (isMain, mark) = await Self.$mark.withValue(7) {
      await threads.run { (Thread.isMainThread, Self.mark) }
    }
    #expect(!isMain)
    #expect(mark == 7)
    MainActor.assertIsolated()
  }

  @Test("An error of a call reaches the caller with its type") func error() async {
    let threads = BlockingThreads(label: "test", width: 1)
    do throws(Refusal) {
      try await threads.run { () throws(Refusal) in throw Refusal() }
      Issue.record("the error is lost")
    } catch {
      #expect(error == Refusal())
    }
  }

  @Test("The calls on one thread run one after the other, in their order") func order() async {
    let threads = BlockingThreads(label: "test", width: 2)
    let numbers = Mutex<[Int]>([])
    await withCheckedContinuation { end in
      for number in 0..<100 {
        threads.perform(on: 1) { numbers.withLock { $0.append(number) } }
      }
      threads.perform(on: 1) { end.resume() }
    }
    #expect(numbers.withLock { $0 } == Array(0..<100))
  }

  @Test("A call does not wait behind a blocked one while a thread is free", .timeLimit(.minutes(5))) func leastLoaded()
    async
  {
    let threads = BlockingThreads(label: "test", width: 2)
    let release = DispatchSemaphore(value: 0)
    threads.perform(on: 0) { release.wait() }
    for number in 0..<10 { #expect(await threads.run { number } == number) }
    release.signal()
  }

  @Test("A call that waits gets the first thread that becomes free", .timeLimit(.minutes(5))) func firstFree() async {
    let threads = BlockingThreads(label: "test", width: 2)
    let (first, second) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    threads.perform { first.wait() }
    threads.perform { second.wait() }
    let ran = Mutex(0)
    // The first call ends only after all that came later.
    await withCheckedContinuation { end in
      for _ in 0..<10 {
        threads.perform {
          let isLast = ran.withLock { count in
            count += 1
            return count == 10
          }
          if isLast { end.resume() }
        }
      }
      second.signal()
    }
    first.signal()
  }

  private final class Counts: Sendable {
    let running = Atomic(0)
    let most = Atomic(0)
    let ended = Atomic(0)

    func pass() {
      most.max(running.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
      running.subtract(1, ordering: .relaxed)
      ended.add(1, ordering: .relaxed)
    }
  }

  @Test("A thousand calls are all run, those of canceled tasks too, and never more at once than the width")
  func thousandCalls() async {
    let threads = BlockingThreads(label: "test", width: 8)
    let counts = Counts()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<1000 {
        group.addTask { await threads.run { counts.pass() } }
        if number == 500 { group.cancelAll() }
      }
    }
    #expect(counts.ended.load(ordering: .relaxed) == 1000)
    #expect(counts.most.load(ordering: .relaxed) <= threads.width)
  }

  @Test("A width of less than one means one thread", arguments: [0, -1, .min]) func narrow(width: Int) async {
    let threads = BlockingThreads(label: "test", width: width)
    #expect(threads.width == 1)
    #expect(await threads.run { 7 } == 7)
  }
}
