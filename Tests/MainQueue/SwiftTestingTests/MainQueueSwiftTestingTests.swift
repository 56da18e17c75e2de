import MainQueueExchange
import Testing

/// Swift Testing leaves the main queue to run while an asynchronous test waits.
@Test("Managers without a queue work while an asynchronous test waits", .timeLimit(.minutes(5)))
@MainActor
func managersWithoutAQueueWork() async {
  var exchange: Exchange?
  let text = await withCheckedContinuation { continuation in
    exchange = Exchange(radio: "swift-testing") { continuation.resume(returning: $0) }
  }
  withExtendedLifetime(exchange) { #expect(text == "main") }
}
