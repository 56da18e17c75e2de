public import Foundation
package import LatchkeyBluetoothTransports

/// The common base of central and peripheral managers: a state.
open class CBManager: NSObject {
  private let currentState: Locked<CBManagerState>
  /// The observers of the manager's values.
  let observers = ObserverList()

  init(initialState: CBManagerState) {
    currentState = Locked(initialState)
    super.init()
  }

  /// The manager's state, `unknown` until another one was reported to its delegate.
  open var state: CBManagerState { currentState.withLock { $0 } }

  /// Whether the app may use Bluetooth.
  open class var authorization: CBManagerAuthorization { .allowedAlways }

  /// Whether the app may use Bluetooth.
  @available(*, deprecated, message: "Use the class property.")
  open var authorization: CBManagerAuthorization { Self.authorization }

  /// The value of a key: `state`, as its number. For any other key this is a misuse, logged, and the value is nil.
  open func value(forKey key: String) -> Any? {
    switch key {
    case "state": NSNumber(value: state.rawValue)
    default: KeyValueCoding.undefined(key, of: self)
    }
  }

  /// The host that the manager uses.
  var driver: HostDriver? { nil }

  /// The time on the clock of the manager's controller.
  package var now: Duration? { driver?.now }

  /// Calls `body` once after a delay on the clock of the manager's controller, on any thread. The caller retains the timer.
  package func makeTimer(
    after delay: Duration, _ body: @escaping @Sendable () -> Void
  ) -> (any ScheduledTimer)? {
    driver?.makeTimer(after: delay, body)
  }

  /// Counts what moves on the manager's radio, if it is one of tests.
  package var activity: RadioActivity? { driver?.activity }

  /// Sets the state. Returns whether it changed.
  func setState(_ state: CBManagerState) -> Bool {
    currentState.withLock { current in
      defer { current = state }
      return current != state
    }
  }
}
