// Names of Apple's, which Apple documents.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// An unfair lock, with the state that it guards. Copies are the same lock.
public struct OSAllocatedUnfairLock<State>: @unchecked Sendable {
  /// Who holds the lock, in a precondition.
  public enum Ownership: Sendable {
    case owner, notOwner
  }

  private final class Storage {
    let lock: os_unfair_lock_t
    var state: State

    init(_ state: State) {
      self.state = state
      lock = .allocate(capacity: 1)
      lock.initialize(to: os_unfair_lock())
    }

    deinit { lock.deallocate() }
  }

  private let storage: Storage

  public init(uncheckedState initialState: State) { storage = Storage(initialState) }

  public init(initialState: State) where State: Sendable { storage = Storage(initialState) }

  public func withLockUnchecked<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
    os_unfair_lock_lock(storage.lock)
    defer { os_unfair_lock_unlock(storage.lock) }
    return try body(&storage.state)
  }

  public func withLock<Result: Sendable>(_ body: @Sendable (inout State) throws -> Result) rethrows -> Result {
    try withLockUnchecked(body)
  }

  /// `nil` if another holds the lock.
  public func withLockIfAvailableUnchecked<Result>(_ body: (inout State) throws -> Result) rethrows -> Result? {
    guard os_unfair_lock_trylock(storage.lock) else { return nil }
    defer { os_unfair_lock_unlock(storage.lock) }
    return try body(&storage.state)
  }

  /// `nil` if another holds the lock.
  public func withLockIfAvailable<Result: Sendable>(
    _ body: @Sendable (inout State) throws -> Result
  ) rethrows -> Result? {
    try withLockIfAvailableUnchecked(body)
  }

  /// Ends the program if the lock is not held as it is said.
  public func precondition(_ condition: Ownership) {
    switch condition {
    case .owner: os_unfair_lock_assert_owner(storage.lock)
    case .notOwner: os_unfair_lock_assert_not_owner(storage.lock)
    }
  }
}

extension OSAllocatedUnfairLock where State == Void {
  public init() { self.init(uncheckedState: ()) }

  @available(*, noasync, message: "Use async-safe scoped locking instead")
  public func lock() { os_unfair_lock_lock(storage.lock) }

  @available(*, noasync, message: "Use async-safe scoped locking instead")
  public func unlock() { os_unfair_lock_unlock(storage.lock) }

  @available(*, noasync, message: "Use async-safe scoped locking instead")
  public func lockIfAvailable() -> Bool { os_unfair_lock_trylock(storage.lock) }

  public func withLockUnchecked<Result>(_ body: () throws -> Result) rethrows -> Result {
    try withLockUnchecked { (_: inout Void) in try body() }
  }

  public func withLock<Result: Sendable>(_ body: @Sendable () throws -> Result) rethrows -> Result {
    try withLockUnchecked { (_: inout Void) in try body() }
  }

  public func withLockIfAvailableUnchecked<Result>(_ body: () throws -> Result) rethrows -> Result? {
    try withLockIfAvailableUnchecked { (_: inout Void) in try body() }
  }

  public func withLockIfAvailable<Result: Sendable>(_ body: @Sendable () throws -> Result) rethrows -> Result? {
    try withLockIfAvailableUnchecked { (_: inout Void) in try body() }
  }
}
