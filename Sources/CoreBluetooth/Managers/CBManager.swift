public import Foundation

/// The common base of central and peripheral managers: a state.
open class CBManager: NSObject {
  private let currentState: Locked<CBManagerState>

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

  /// Sets the state. Returns whether it changed.
  func setState(_ state: CBManagerState) -> Bool {
    currentState.withLock { current in
      defer { current = state }
      return current != state
    }
  }
}
