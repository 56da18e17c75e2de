/// The state of a manager.
public enum CBManagerState: Int, Sendable {
  /// Not known yet; an update is about to come.
  case unknown = 0
  /// The connection to the controller was lost for the moment; an update is about to come.
  case resetting = 1
  /// The controller cannot do Bluetooth Low Energy.
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
  /// The app may, always. Linux asks nobody, so this is what managers say.
  case allowedAlways = 3
}
