internal import Dispatch
internal import Glibc
internal import NIOCore
internal import Synchronization

/// Gives memory back to the system that connections have used and freed. The C library keeps what it has once had, for the next
/// crowd; a server that was flooded would stay as large as the flood.
final class FreedMemory: Sendable {
  private struct State {
    var closed = 0
    var last = NIODeadline.uptimeNanoseconds(0)
  }

  /// So many closed connections are worth a walk over the heap, at most so often.
  private static let (worth, interval) = (16, TimeAmount.seconds(10))

  private let state = Mutex(State())
  /// A thread of its own: the walk takes milliseconds for each hundred megabytes.
  private let queue = DispatchQueue(label: "latchkey.freed-memory")
  private let trim: (@convention(c) (Int) -> Int32)?

  init() {
    // Glibc has it, other C libraries need not.
    trim = dlsym(nil, "malloc_trim").map { unsafeBitCast($0, to: (@convention(c) (Int) -> Int32).self) }
  }

  /// - Parameter closed: how many connections have closed, ever.
  func giveBack(closed: Int, now: NIODeadline) {
    let isWorthIt = state.withLock {
      guard closed - $0.closed >= Self.worth, now - $0.last >= Self.interval else { return false }
      ($0.closed, $0.last) = (closed, now)
      return true
    }
    guard isWorthIt, let trim else { return }
    queue.async { _ = trim(0) }
  }
}
