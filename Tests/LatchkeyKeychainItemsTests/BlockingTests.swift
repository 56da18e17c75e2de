import Foundation
import Testing

@testable import LatchkeyKeychainItems

@Suite struct BlockingTests {
  @TaskLocal private static var mark = 0

  /// Lets nobody go before all have come.
  private final class Gate: Sendable {
    private let condition = NSCondition()
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

  /// The cooperative pool has a thread for each processor: on fewer, these would wait for one another for ever.
  @Test("Calls that wait leave the cooperative pool free", .timeLimit(.minutes(5)))
  func callsThatWaitLeaveTheCooperativePoolFree() async throws {
    let count = Blocking.width
    let gate = Gate(count)
    // One of its own: other tests' calls would stand before these, and these before them.
    let executor = Blocking()
    let passed = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<count {
        group.addTask {
          try await Blocking.run(on: executor) { () throws(KeychainItemError) in
            gate.pass()
            return number
          }
        }
      }
      return try await group.reduce(0) { sum, _ in sum + 1 }
    }
    #expect(passed == count)
  }

  @Test("They leave the main thread, in the same task") @MainActor func theyLeaveTheMainThreadInTheSameTask()
    async throws
  {
    let (isMain, mark) = try await Self.$mark.withValue(7) {
      try await Blocking.run { () throws(KeychainItemError) in (Thread.isMainThread, Self.mark) }
    }
    #expect(!isMain)
    #expect(mark == 7)
    MainActor.assertIsolated()
  }

  @Test("An error comes back as it is") func anErrorComesBackAsItIs() async {
    await #expect(throws: KeychainItemError.locked) {
      try await Blocking.run { () throws(KeychainItemError) in throw .locked }
    }
  }
}
