internal import Dispatch
internal import Synchronization

/// Threads for work that takes a core, or waits for somebody, so that it takes none of those that requests are answered on.
///
/// A concurrent queue would not do: on Linux it runs on the very threads of Swift's pool, as many as there are cores. A serial
/// queue that targets none has a thread of its own while it works.
final class OwnThreads: Sendable {
  private let queues: [DispatchQueue]
  private let next = Atomic<Int>(0)

  /// - Parameter count: threads at once.
  init(label: String, count: Int) {
    queues = (0..<max(1, count)).map { DispatchQueue(label: "\(label).\($0)") }
  }

  var count: Int { queues.count }

  /// Runs `body` on the thread of this number.
  func run(on number: Int, _ body: @escaping @Sendable () -> Void) { queues[number].async(execute: body) }

  /// Runs `body` on each thread in turn.
  func run(_ body: @escaping @Sendable () -> Void) {
    let number = next.wrappingAdd(1, ordering: .relaxed).oldValue
    run(on: Int(UInt(bitPattern: number) % UInt(queues.count)), body)
  }
}
