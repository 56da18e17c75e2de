internal import Glibc

/// One bounded wait for what SQLite does not wait for by itself: another process that makes the file, or changes its mode.
package struct BusyWait {
  private let end: ContinuousClock.Instant

  /// The pause between two attempts, in microseconds.
  private static let pause: UInt32 = 2000

  /// The longest wait, in seconds: a larger number would overflow.
  private static let longest: Double = 1e9

  /// A wait that ends so many seconds from now; zero for a negative number and for NaN.
  package init(seconds: Double) { end = .now + .seconds(seconds > 0 ? min(seconds, Self.longest) : 0) }

  /// Runs `attempt`, and runs it again while its failure is one of another process that is in the way.
  ///
  /// - Throws: the first other failure; the last failure once the time is over.
  package func run<Value, Failure: Error>(
    isBusy: (Failure) -> Bool, _ attempt: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    while true {
      do throws(Failure) {
        return try attempt()
      } catch {
        guard isBusy(error), ContinuousClock.now < end else { throw error }
      }
      usleep(Self.pause)
    }
  }
}
