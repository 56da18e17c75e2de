internal import Dispatch
internal import Glibc
internal import NIOCore
internal import Synchronization

/// Returns memory that closed connections have freed to the system. The C library retains it for reuse; a server that was
/// flooded would stay as large as the flood.
final class FreedMemory: Sendable {
  private struct State {
    var closed = 0
    var last = NIODeadline.uptimeNanoseconds(0)
  }

  /// This number of closed connections is worth a walk over the heap, at most at this interval; any number after a longer
  /// interval, since few may have used much.
  private static let (worth, interval, longInterval) = (16, TimeAmount.seconds(10), TimeAmount.seconds(60))

  private let state = Mutex(State())
  /// A separate thread: the walk takes milliseconds per hundred megabytes.
  private let queue = DispatchQueue(label: "latchkey.freed-memory")
  private let trim: (@convention(c) (Int) -> Int32)?

  init() {
    // Specific to glibc; other C libraries may lack it.
    trim = dlsym(nil, "malloc_trim").map { unsafeBitCast($0, to: (@convention(c) (Int) -> Int32).self) }
  }

  /// - Parameter closed: the total number of closed connections and ended streams.
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
