public import Foundation

// Foundation on Linux lacks these names. Once it has them, they are ambiguous in a file that imports both modules: then the
// declarations here must become aliases of Foundation's. Nothing detects that before an app meets it.

/// What a change handler wants to know, and when it is called.
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
  /// The bits of the options.
  public let rawValue: UInt

  /// The options of these bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// Changes carry the new value.
  public static let new = NSKeyValueObservingOptions(rawValue: 0x01)
  /// Changes carry the old value.
  public static let old = NSKeyValueObservingOptions(rawValue: 0x02)
  /// The handler is called at once, before the observation is returned.
  public static let initial = NSKeyValueObservingOptions(rawValue: 0x04)
  /// The handler is called once more before each change is reported, with the old value alone.
  public static let prior = NSKeyValueObservingOptions(rawValue: 0x08)
}

/// How a value changed.
public enum NSKeyValueChange: UInt, Sendable {
  /// It was set: the only change that Core Bluetooth's objects report.
  case setting = 1
  /// Elements of a collection were inserted.
  case insertion = 2
  /// Elements of a collection were removed.
  case removal = 3
  /// Elements of a collection were replaced.
  case replacement = 4
}

/// A change of an observed value.
public struct NSKeyValueObservedChange<Value> {
  /// The type of `kind`.
  public typealias Kind = NSKeyValueChange

  /// How the value changed.
  public let kind: Kind
  /// The new value, if the option `new` is set.
  public let newValue: Value?
  /// The old value, if the option `old` is set.
  public let oldValue: Value?
  /// The elements of a collection that changed; nil for a value that was set.
  public let indexes: IndexSet?
  /// Whether this is the call before the change is reported (`prior`).
  public let isPrior: Bool

  init(newValue: Value?, oldValue: Value?, isPrior: Bool) {
    kind = .setting
    self.newValue = newValue
    self.oldValue = oldValue
    indexes = nil
    self.isPrior = isPrior
  }
}

/// An observation of a value; it ends when it is invalidated or released.
public final class NSKeyValueObservation: NSObject, Sendable {
  private let observer: any KeyValueObserver
  private let observers: ObserverList?

  /// - Parameter observers: the list that the observer is in; nil for an object whose values never change.
  init(_ observer: any KeyValueObserver, in observers: ObserverList?) {
    self.observer = observer
    self.observers = observers
    super.init()
  }

  deinit { invalidate() }

  /// Ends the observation: no call of the handler begins any more.
  public func invalidate() {
    observer.end()
    observers?.remove(observer)
  }
}
