import Foundation

/// Runs something that blocks on a thread of its own. All tasks of a process share as many threads as there are processors: tests that
/// wait on those for one another, or for a program, stop all others.
package func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
  }
}
