import LatchkeyProvisioningProtocol
import LatchkeySystem

/// The threads of a joiner: its requests wait for a service of the system.
struct JoinerThreads: Sendable {
  // One attempt at a time: a service gives up one for the next. The threads exist while they have a call.
  private let joins = BlockingThreads(label: "latchkey.networks.join", width: 1)
  private let scans = BlockingThreads(label: "latchkey.networks.scan", width: 1)

  /// Runs what changes the network, one after the other.
  func join<Answer: Sendable>(
    _ body: @escaping @Sendable (WakeUp) throws(JoinFailure) -> Answer
  ) async throws(JoinFailure) -> Answer {
    try await run(on: joins, body)
  }

  /// Runs what looks at networks alone, beside an attempt to join.
  func look<Answer: Sendable>(
    _ body: @escaping @Sendable (WakeUp) throws(JoinFailure) -> Answer
  ) async throws(JoinFailure) -> Answer {
    try await run(on: scans, body)
  }

  /// A canceled task signals the `WakeUp`, which ends the waits of `body`.
  private func run<Answer: Sendable>(
    on threads: BlockingThreads, _ body: @escaping @Sendable (WakeUp) throws(JoinFailure) -> Answer
  ) async throws(JoinFailure) -> Answer {
    guard let wakeUp = try? WakeUp() else { throw .other }
    let result = await withTaskCancellationHandler { () async -> Result<Answer, JoinFailure> in
      do throws(JoinFailure) {
        return .success(try await threads.run { () throws(JoinFailure) in try body(wakeUp) })
      } catch {
        return .failure(error)
      }
    } onCancel: {
      wakeUp.signal()
    }
    return try result.get()
  }
}
