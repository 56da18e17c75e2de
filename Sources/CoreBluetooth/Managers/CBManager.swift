public import Foundation

/// What central and peripheral managers have in common: a state.
open class CBManager: NSObject {
  private let currentState: Locked<CBManagerState>

  init(initialState: CBManagerState) {
    currentState = Locked(initialState)
    super.init()
  }

  /// The manager's state, `unknown` until its delegate has been told of another.
  open var state: CBManagerState { currentState.withLock { $0 } }

  /// Whether the app may use Bluetooth.
  open class var authorization: CBManagerAuthorization { .allowedAlways }

  /// Whether the app may use Bluetooth.
  @available(*, deprecated, message: "Use the class property.")
  open var authorization: CBManagerAuthorization { Self.authorization }

  /// Takes a new state, and says whether it differs from the one before.
  func setState(_ state: CBManagerState) -> Bool {
    currentState.withLock { current in
      defer { current = state }
      return current != state
    }
  }
}
