/// Waits until a condition is true that no event reports. It ends with an error where it stays false for two minutes, and in a canceled
/// task: the time limit of a test cancels its task, and waits for it.
package func waitUntil(
  isolation: isolated (any Actor)? = #isolation, _ condition: () async throws -> Bool
) async throws {
  let end = ContinuousClock.now + .seconds(120)
  while try await !condition() {
    try Task.checkCancellation()
    guard .now < end else { throw StaysFalse() }
    await Task.yield()
  }
}

private struct StaysFalse: Error, CustomStringConvertible {
  let description = "a condition that a test waits for stayed false for two minutes"
}
