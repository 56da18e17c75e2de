/// The state of a central manager: the older name of `CBManagerState`.
@available(*, deprecated, message: "Use CBManagerState.")
public enum CBCentralManagerState: Int, Sendable {
  /// Not known yet.
  case unknown = 0
  /// The connection to the controller was lost for the moment.
  case resetting = 1
  /// The controller does not support Bluetooth Low Energy.
  case unsupported = 2
  /// The app may not use Bluetooth Low Energy.
  case unauthorized = 3
  /// There is no controller, or it is switched off.
  case poweredOff = 4
  /// Ready.
  case poweredOn = 5
}

/// The state of a peripheral manager: the older name of `CBManagerState`.
@available(*, deprecated, message: "Use CBManagerState.")
public enum CBPeripheralManagerState: Int, Sendable {
  /// Not known yet.
  case unknown = 0
  /// The connection to the controller was lost for the moment.
  case resetting = 1
  /// The controller does not support Bluetooth Low Energy.
  case unsupported = 2
  /// The app may not use Bluetooth Low Energy.
  case unauthorized = 3
  /// There is no controller, or it is switched off.
  case poweredOff = 4
  /// Ready.
  case poweredOn = 5
}

/// Whether an app may share data in the background: the older form of `CBManagerAuthorization`.
@available(*, deprecated, message: "Use CBManagerAuthorization.")
public enum CBPeripheralManagerAuthorizationStatus: Int, Sendable {
  /// The user has not been asked.
  case notDetermined = 0
  /// The app may not, and the user cannot change that.
  case restricted = 1
  /// The user refused.
  case denied = 2
  /// The app may, always: Linux has no such authorization.
  case authorized = 3
}

extension CBPeripheralManager {
  /// Whether the app may share data in the background: always.
  @available(*, deprecated, message: "Use CBManager.authorization.")
  public class func authorizationStatus() -> CBPeripheralManagerAuthorizationStatus { .authorized }
}
