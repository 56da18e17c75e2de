import Dispatch
import EnrollmentProtocol
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
    let (work, count) = (HeavyWork(label: "test", atOnce: number, longestLine: 100), Count())
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
    let work = HeavyWork(label: "test", atOnce: 1, longestLine: 2)
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
}
