import Synchronization

/// Lets a value that the compiler cannot follow cross to another thread; each use says why that is safe.
struct Unchecked<Value>: @unchecked Sendable {
  var value: Value

  init(_ value: Value) { self.value = value }
}

/// A value behind a lock, for what Apple's classes let an app read and set from any thread.
///
/// `Mutex` hands out only what is `Sendable`, and Apple's classes are not. The values kept here are references to them
/// and plain values; every reference's own state lies in a `Locked` of its own, hence the unchecked conformance.
struct Locked<Value>: ~Copyable, @unchecked Sendable {
  private let mutex: Mutex<Unchecked<Value>>

  init(_ value: Value) { mutex = Mutex(Unchecked(value)) }

  /// Runs `body` alone. What `body` drops must not take the same lock in its `deinit`.
  func withLock<Result, Failure: Error>(_ body: (inout Value) throws(Failure) -> Result) throws(Failure) -> Result {
    try mutex.withLock { (box) throws(Failure) -> Unchecked<Result> in Unchecked(try body(&box.value)) }.value
  }
}
