import Synchronization

/// One observer of an object's values.
protocol KeyValueObserver: AnyObject, Sendable {
  /// Compares the observed value of `object` with the last one and calls the handler if it changed.
  func valuesChanged(of object: AnyObject)

  /// Ends the observation: no call of the handler begins any more.
  func end()
}

/// The observers of one object.
final class ObserverList: Sendable {
  private let observers = Locked<[any KeyValueObserver]>([])
  /// So that objects without observers, which are most, are not locked.
  private let isEmpty = Atomic(true)

  func add(_ observer: any KeyValueObserver) {
    observers.withLock { observers in
      observers.append(observer)
      isEmpty.store(false, ordering: .sequentiallyConsistent)
    }
  }

  func remove(_ observer: any KeyValueObserver) {
    observers.withLock { observers in
      observers.removeAll { $0 === observer }
      isEmpty.store(observers.isEmpty, ordering: .sequentiallyConsistent)
    }
  }

  func valuesChanged(of object: AnyObject) {
    guard !isEmpty.load(ordering: .sequentiallyConsistent) else { return }
    for observer in observers.withLock({ $0 }) { observer.valuesChanged(of: object) }
  }
}

/// An observer of the value at a key path.
///
/// Key paths of a class and of its subclass to one property are not equal. So an observer is not found by the property
/// that changed: it reads the value through its own key path, each time that anything changes, and compares.
///
/// Unchecked: the handler is called by one thread at a time; a change on another thread meanwhile, or in the handler
/// itself, is reported by the thread that calls the handler.
final class KeyPathObserver<Root: AnyObject, Value>: KeyValueObserver, @unchecked Sendable {
  private struct State {
    /// The value that was reported last; nil before the first was read.
    var last: Value?
    var isValid = true
    /// Whether a thread compares values and calls the handler; at first, the one that starts the observation.
    var isRunning = true
    /// Whether anything has changed since that thread read the value.
    var hasChanged = false
  }

  private let keyPath: KeyPath<Root, Value>
  private let options: NSKeyValueObservingOptions
  private let handler: (Root, NSKeyValueObservedChange<Value>) -> Void
  private let state = Locked(State())

  init(
    _ keyPath: KeyPath<Root, Value>, _ options: NSKeyValueObservingOptions,
    _ handler: @escaping (Root, NSKeyValueObservedChange<Value>) -> Void
  ) {
    self.keyPath = keyPath
    self.options = options
    self.handler = handler
  }

  /// Reads the first value, and reports it if the options say so. The observer is in the object's list by then.
  func start(_ root: Root) {
    let value = root[keyPath: keyPath]
    state.withLock { $0.last = value }
    if options.contains(.initial) { call(root, new: value, old: nil) }
    finish(root)
  }

  func end() { state.withLock { $0.isValid = false } }

  func valuesChanged(of object: AnyObject) {
    guard let root = object as? Root else { return }
    let mayRun = state.withLock { state in
      guard state.isValid, !state.isRunning else {
        state.hasChanged = true
        return false
      }
      state.isRunning = true
      state.hasChanged = true
      return true
    }
    if mayRun { finish(root) }
  }

  /// Reports changes until there are no more, as the one thread that does.
  private func finish(_ root: Root) {
    while state.withLock({ state in
      state.isRunning = state.isValid && state.hasChanged
      state.hasChanged = false
      return state.isRunning
    }) {
      let value = root[keyPath: keyPath]
      let old = state.withLock { state in
        defer { state.last = value }
        return state.last
      }
      guard let old, !Self.areEqual(old, value) else { continue }
      if options.contains(.prior) { call(root, new: nil, old: old, isPrior: true) }
      call(root, new: value, old: old)
    }
  }

  private func call(_ root: Root, new: Value?, old: Value?, isPrior: Bool = false) {
    guard state.withLock({ $0.isValid }) else { return }
    let change = NSKeyValueObservedChange(
      newValue: options.contains(.new) ? new : nil, oldValue: options.contains(.old) ? old : nil, isPrior: isPrior)
    handler(root, change)
  }

  /// Whether two values are equal. Values that cannot be compared count as equal: it is not known which property changed.
  private static func areEqual(_ first: Value, _ second: Value) -> Bool {
    guard let type = Value.self as? any Equatable.Type else { return true }
    func compare<Comparable: Equatable>(_: Comparable.Type) -> Bool { first as? Comparable == second as? Comparable }
    return compare(type)
  }
}
