import Dispatch
import Synchronization

/// Where evaluations wait for the user: threads of Dispatch, since those of the cooperative pool are as few as the
/// processors. Several serial queues, since Dispatch gives each a thread at once.
final class EvaluationQueues: Sendable {
  /// How many evaluations can wait at the same time.
  static let width = 16
  static let shared = EvaluationQueues()

  private let queues = (0..<width).map { DispatchQueue(label: "LocalAuthentication.\($0)") }
  /// How many evaluations each queue has.
  private let loads = Mutex(Array(repeating: 0, count: width))

  /// Runs `body` on the queue with the least to do.
  func async(_ body: @escaping @Sendable () -> Void) {
    let index = loads.withLock { loads in
      var least = 0
      for index in loads.indices where loads[index] < loads[least] { least = index }
      loads[least] += 1
      return least
    }
    queues[index].async {
      body()
      self.loads.withLock { $0[index] -= 1 }
    }
  }
}
