import MainQueueExchange
import Testing

/// `queue: nil` under Swift Testing, where the main queue is served while tests await.
@Suite(.timeLimit(.minutes(1)))
struct MainQueueAsyncTests {
  @Test func managersOnTheMainQueueWorkInAnAsyncTest() async {
    #expect(await read() == "hello")
  }

  @MainActor @Test func managersOnTheMainQueueWorkInATestOnTheMainActor() async {
    #expect(await read() == "hello")
  }

  private func read() async -> String {
    let (stream, continuation) = AsyncStream.makeStream(of: String.self)
    let exchange = Exchange { value in continuation.yield(value) }
    for await value in stream {
      withExtendedLifetime(exchange) {}
      return value
    }
    return "cancelled"
  }
}
