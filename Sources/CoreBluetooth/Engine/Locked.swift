import Synchronization

/// Passes a value to another thread although the compiler cannot prove that it is safe. Unchecked: each use states why it is.
package struct Unchecked<Value>: @unchecked Sendable {
  package var value: Value

  package init(_ value: Value) { self.value = value }
}

/// A value behind a lock, for properties that Apple's classes let an app read and set from any thread.
///
/// `Mutex` only returns `Sendable` values, and Apple's classes are not. The values stored here are references to them
/// and plain values; the state behind every reference is in a `Locked` of its own, hence the unchecked conformance.
struct Locked<Value>: ~Copyable, @unchecked Sendable {
  private let mutex: Mutex<Unchecked<Value>>

  init(_ value: Value) { mutex = Mutex(Unchecked(value)) }

  /// Runs `body` exclusively. An object that `body` releases must not use the same lock in its `deinit`.
  func withLock<Result, Failure: Error>(_ body: (inout Value) throws(Failure) -> Result) throws(Failure) -> Result {
    try mutex.withLock { (box) throws(Failure) -> Unchecked<Result> in Unchecked(try body(&box.value)) }.value
  }
}

/// A reference that does not retain its object.
struct Weak<Object: AnyObject> {
  weak var object: Object?

  init(_ object: Object) { self.object = object }
}
