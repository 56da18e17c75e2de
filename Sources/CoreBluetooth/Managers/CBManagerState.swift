import LatchkeyBluetoothHost

/// The state of a manager.
public enum CBManagerState: Int, Sendable {
  /// Not known yet; an update follows.
  case unknown = 0
  /// The connection to the controller was lost for the moment; an update follows.
  case resetting = 1
  /// The controller does not support Bluetooth Low Energy.
  case unsupported = 2
  /// The app may not use Bluetooth Low Energy. Never on Linux.
  case unauthorized = 3
  /// There is no controller, or it is switched off.
  case poweredOff = 4
  /// Ready.
  case poweredOn = 5
}

/// Whether an app may use Bluetooth.
public enum CBManagerAuthorization: Int, Sendable {
  /// The user has not been asked.
  case notDetermined = 0
  /// The app may not, and the user cannot change that.
  case restricted = 1
  /// The user refused.
  case denied = 2
  /// The app may, always: Linux has no such authorization.
  case allowedAlways = 3
}

extension HostState {
  /// The state in the app's view, after the last one reported to it.
  ///
  /// A host is `unknown` each time its controller is initialized; on Apple's systems a manager is `unknown` only at
  /// first. One that is switched on again stays `poweredOff` until it is `poweredOn`, and retains its services.
  func shown(after last: CBManagerState) -> CBManagerState {
    switch self {
    case .unknown:
      switch last {
      case .unknown, .poweredOff, .resetting: last
      case .unsupported, .unauthorized, .poweredOn: .resetting
      }
    case .resetting: .resetting
    case .unsupported: .unsupported
    case .poweredOff: .poweredOff
    case .poweredOn: .poweredOn
    }
  }
}
