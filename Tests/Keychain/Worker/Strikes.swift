import Dispatch
import Synchronization

/// The deferred work of this process's keychain, by the clock that every keychain has.
enum Strikes {
  private static let delays = Mutex<[Double]>([])
  private static let struck = DispatchSemaphore(value: 0)
  /// Reached only if the clock never strikes.
  private static let limit = 120.0

  static func note(_ seconds: Double) {
    delays.withLock { $0.append(seconds) }
    struck.signal()
  }

  /// Waits until the clock has struck, and gives the delay that it was set to, in milliseconds; nil if it never strikes.
  static func next() -> Int? {
    guard struck.wait(timeout: .now() + limit) == .success else { return nil }
    return delays.withLock { delays in delays.isEmpty ? nil : Int(delays.removeFirst() * 1000) }
  }
}
