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

  /// So many are worth a walk over the heap, at most so often; and any number after a longer while: few may have had much.
  private static let (worth, interval, longInterval) = (16, TimeAmount.seconds(10), TimeAmount.seconds(60))

  private let state = Mutex(State())
  /// A thread of its own: the walk takes milliseconds for each hundred megabytes.
  private let queue = DispatchQueue(label: "latchkey.freed-memory")
  private let trim: (@convention(c) (Int) -> Int32)?

  init() {
    // Glibc has it, other C libraries need not.
    trim = dlsym(nil, "malloc_trim").map { unsafeBitCast($0, to: (@convention(c) (Int) -> Int32).self) }
  }

  /// - Parameter closed: how many connections have closed, and how many streams were ended, ever.
  func giveBack(closed: Int, now: NIODeadline) {
    let isWorthIt = state.withLock {
      let (new, elapsed) = (closed - $0.closed, now - $0.last)
      guard new >= Self.worth && elapsed >= Self.interval || new > 0 && elapsed >= Self.longInterval else {
        return false
      }
      ($0.closed, $0.last) = (closed, now)
      return true
    }
    guard isWorthIt, let trim else { return }
    queue.async { _ = trim(0) }
  }
}
