import Dispatch
import Synchronization

/// The queues on which evaluations wait for the user. They use Dispatch's threads, because the cooperative pool has only as
/// many threads as there are processors; and several serial queues, because Dispatch gives each a thread at once.
final class EvaluationQueues: Sendable {
  /// The maximum number of evaluations that wait concurrently.
  static let width = 16
  static let shared = EvaluationQueues()

  private let queues = (0..<width).map { DispatchQueue(label: "LocalAuthentication.\($0)") }
  /// The number of evaluations on each queue.
  private let loads = Mutex(Array(repeating: 0, count: width))

  /// Runs `body` on the queue with the fewest evaluations.
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
