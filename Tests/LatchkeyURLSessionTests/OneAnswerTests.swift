import Foundation
import Testing

@testable import LatchkeyURLSession

@Suite struct OneAnswerTests {
  @Test("The first answer counts, before or after the question") func first() async throws {
    let answer = OneAnswer<Int>()
    answer.give(1)
    answer.give(2)
    answer.fail(URLError(.unknown))
    #expect(try await answer.value() == 1)
    let late = OneAnswer<Int>()
    async let value = late.value()
    late.give(3)
    late.give(4)
    #expect(try await value == 3)
  }

  @Test("A task that is cancelled waits no longer") func cancelled() async {
    let answer = OneAnswer<Int>()
    let waiting = Task { try await answer.value() }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    answer.give(1)
  }

  @Test("A limit ends what never answers") func limit() async {
    let answer = OneAnswer<Int>()
    await #expect(throws: URLError(.timedOut)) { try await within(.milliseconds(1)) { try await answer.value() } }
  }

  @Test("What answers within the limit keeps its value and its errors") func inTime() async throws {
    #expect(try await within(.seconds(300)) { 1 } == 1)
    await #expect(throws: CocoaError.self) { try await within(.seconds(300)) { throw CocoaError(.fileNoSuchFile) } }
  }
}
