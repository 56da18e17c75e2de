/// The end of work that others decide on: it comes once, and one task waits for it.
final class Ending: Sendable {
  private let stream: AsyncThrowingStream<Void, any Error>
  private let continuation: AsyncThrowingStream<Void, any Error>.Continuation

  init() { (stream, continuation) = AsyncThrowingStream<Void, any Error>.makeStream() }

  func come() { continuation.finish() }

  func fail(_ error: any Error) { continuation.finish(throwing: error) }

  /// Waits for the end, or until the time is over, which is an end like others.
  func wait(atMost seconds: Double?) async throws {
    let timer = seconds.map { seconds in
      Task {
        try await Task.sleep(for: .seconds(seconds))
        come()
      }
    }
    defer { timer?.cancel() }
    for try await _ in stream {}
    try Task.checkCancellation()
  }
}
