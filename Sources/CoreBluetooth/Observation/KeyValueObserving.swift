/// Objects whose values can be observed by a key path: managers, peripherals and centrals.
public protocol _KeyValueCodingAndObserving: AnyObject {}

extension CBManager: _KeyValueCodingAndObserving {}
extension CBPeer: _KeyValueCodingAndObserving {}

extension _KeyValueCodingAndObserving {
  /// Calls a handler each time that a value changes, on the thread that changes it: the manager's queue for what comes
  /// from a device or the controller, the app's own for what the app's call changes.
  ///
  /// These are observed: `state`, `isScanning`, `isAdvertising`, `name`, `services` and `canSendWriteWithoutResponse`.
  /// A value that is set to an equal one has not changed. Calls of one handler never overlap.
  ///
  /// - Returns: the observation. It ends when it is invalidated or released, or with the object.
  public func observe<Value>(
    _ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [],
    changeHandler: @escaping (Self, NSKeyValueObservedChange<Value>) -> Void
  ) -> NSKeyValueObservation {
    let observer = KeyPathObserver(keyPath, options, changeHandler)
    let observers = (self as? any KeyValueObservable)?.observers
    observers?.add(observer)
    observer.start(self)
    return NSKeyValueObservation(observer, in: observers)
  }
}

/// An object that reports changes of its values to observers.
protocol KeyValueObservable: AnyObject {
  var observers: ObserverList { get }
}

extension CBManager: KeyValueObservable {}
extension CBPeer: KeyValueObservable {}

extension KeyValueObservable {
  /// Reports to the observers what has changed since the last call. Called without a lock.
  func valuesChanged() { observers.valuesChanged(of: self) }
}
