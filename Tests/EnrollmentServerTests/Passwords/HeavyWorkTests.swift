import Dispatch
import EnrollmentProtocol
import EnrollmentStore
import Foundation
import Synchronization
import Testing

@testable import EnrollmentServer

@Suite("Heavy work")
struct HeavyWorkTests {
  final class Count: Sendable {
    private let state = Mutex((now: 0, most: 0))
    var most: Int { state.withLock { $0.most } }
    func enter() {
      state.withLock {
        $0.now += 1
        $0.most = max($0.most, $0.now)
      }
    }
    func leave() { state.withLock { $0.now -= 1 } }
  }

  @Test("so many at once and no more, and all get their turn", arguments: [1, 3])
  func atOnce(number: Int) async throws {
    let (work, count) = (HeavyWork(label: "test", atOnce: number, longestLine: 200), Count())
    let results = try await withThrowingTaskGroup(of: Int.self) { group in
      for index in 0..<50 {
        group.addTask {
          try await work.run {
            count.enter()
            defer { count.leave() }
            return (0..<2000).reduce(index) { ($0 &* 31 &+ $1) & 0xFFFF } & 0 + index
          }
        }
      }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(results == Set(0..<50))
    #expect(count.most <= number)
  }

  @Test("who comes when the line is full is sent away, and the next one is not")
  func full() async throws {
    // A quarter of the line is one source's.
    let work = HeavyWork(label: "test", atOnce: 1, longestLine: 8)
    let (entered, hold) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let first = Task {
      try await work.run {
        entered.signal()
        hold.wait()
      }
    }
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        entered.wait()
        continuation.resume()
      }
    }
    // One works; of three more, two stand in line.
    let others = (0..<3).map { _ in Task { try await work.run {} } }
    var refused = 0
    await withTaskGroup(of: Bool.self) { group in
      for other in others { group.addTask { (try? await other.value) == nil } }
      // The first to end is the one that was refused: the others wait for the semaphore.
      if await group.next() == true { refused += 1 }
      hold.signal()
      for await isRefused in group where isRefused { refused += 1 }
    }
    #expect(refused == 1)
    try await first.value
    #expect(try await work.run { 7 } == 7)
  }

  @Test("what the work throws reaches its caller")
  func thrown() async throws {
    let work = HeavyWork(label: "test", atOnce: 1, longestLine: 1)
    await #expect(throws: Problem.self) { try await work.run { throw Problem(.notFound) } }
    #expect(try await work.run { 1 } == 1)
  }

  /// Holds the only thread until it is released.
  private func holding(_ work: HeavyWork) async -> (release: @Sendable () -> Void, held: Task<Void, any Error>) {
    let (entered, hold) = (Gate(), DispatchSemaphore(value: 0))
    let held = Task {
      try await work.run {
        Task { await entered.open() }
        hold.wait()
      }
    }
    await entered.pass()
    return ({ hold.signal() }, held)
  }

  private final class Order: Sendable {
    private let state = Mutex<[String]>([])
    var all: [String] { state.withLock { $0 } }
    func append(_ text: String) { state.withLock { $0.append(text) } }
  }

  @Test("Whoever floods the line waits for themselves, and those who are known are first")
  func fairness() async throws {
    var line = FairLine<String, Int>(longest: 6, longestOfOne: 5)
    for number in 0..<5 { #expect(line.append(number, of: "flood").isTaken) }
    #expect(!line.append(5, of: "flood").isTaken)
    #expect(line.append(10, of: "other").isTaken)
    // It is full: a newcomer takes the last place of whoever has most.
    let (isTaken, displaced) = line.append(20, of: "third")
    #expect(isTaken && displaced == 4)
    #expect(!line.append(11, of: "other").isTaken)
    let order = (0..<7).map { _ in line.next() }
    #expect(order == [0, 10, 20, 1, 2, 3, nil])
    #expect(line.count == 0)

    let (work, served) = (HeavyWork(label: "test", atOnce: 1, longestLine: 8), Order())
    let (release, held) = await holding(work)
    let flood = (0..<2).map { _ in
      Task { try await work.run(for: .address(PeerAddress("192.0.2.1"))) { served.append("flood") } }
    }
    let known = Task { try await work.run(for: .device(.random()), isKnown: true) { served.append("known") } }
    release()
    try await held.value
    for task in flood { try await task.value }
    try await known.value
    #expect(served.all.count == 3)
  }

  @Test("Work on all its threads leaves Swift's pool alone")
  func pool() async throws {
    let cores = ProcessInfo.processInfo.activeProcessorCount
    let (work, flag) = (HeavyWork(label: "test", atOnce: cores, longestLine: 0), Flag())
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<cores {
        group.addTask {
          try await work.run {
            // Without end where no task of the pool runs meanwhile.
            var rounds = 0
            while !flag.isSet, rounds < 400_000_000 { rounds += 1 }
            return flag.isSet
          }
        }
      }
      group.addTask {
        await Task.yield()
        flag.set()
        return true
      }
      for try await saw in group { #expect(saw) }
    }
  }

  private final class Flag: Sendable {
    private let value = Atomic<Bool>(false)
    var isSet: Bool { value.load(ordering: .relaxed) }
    func set() { value.store(true, ordering: .relaxed) }
  }
}
