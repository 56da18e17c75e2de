/// A limit of time for what others are to answer.
enum Deadline {
  /// The result of `body`, unless `duration` passes first: then `body` is canceled, and `failure` is thrown.
  static func run<Result: Sendable>(
    _ duration: Duration, orThrow failure: CentralSession.Failure, _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    try await withThrowingTaskGroup(of: Result.self) { group in
      group.addTask { try await body() }
      group.addTask {
        try await Task.sleep(for: duration)
        throw failure
      }
      defer { group.cancelAll() }
      guard let result = try await group.next() else { throw CancellationError() }
      return result
    }
  }
}
