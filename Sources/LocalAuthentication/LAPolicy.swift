/// The factors that an evaluation requires (Apple, LAContext.h, `LAPolicy`).
public enum LAPolicy: Int, Sendable {
  /// Biometry.
  case deviceOwnerAuthenticationWithBiometrics = 1
  /// Biometry or the passcode.
  case deviceOwnerAuthentication = 2
  /// A companion device. Evaluation always fails, because Linux has no companion devices.
  case deviceOwnerAuthenticationWithCompanion = 3
  /// Biometry or a companion device.
  case deviceOwnerAuthenticationWithBiometricsOrCompanion = 4

  /// The older name of ``deviceOwnerAuthenticationWithCompanion``.
  @available(*, deprecated, renamed: "deviceOwnerAuthenticationWithCompanion")
  public static var deviceOwnerAuthenticationWithWatch: LAPolicy { .deviceOwnerAuthenticationWithCompanion }

  /// The older name of ``deviceOwnerAuthenticationWithBiometricsOrCompanion``.
  @available(*, deprecated, renamed: "deviceOwnerAuthenticationWithBiometricsOrCompanion")
  public static var deviceOwnerAuthenticationWithBiometricsOrWatch: LAPolicy {
    .deviceOwnerAuthenticationWithBiometricsOrCompanion
  }
}

// LAPublicDefines.h
/// The number of ``LAPolicy/deviceOwnerAuthenticationWithBiometrics``.
public var kLAPolicyDeviceOwnerAuthenticationWithBiometrics: Int32 { 1 }
/// The number of ``LAPolicy/deviceOwnerAuthentication``.
public var kLAPolicyDeviceOwnerAuthentication: Int32 { 2 }
/// The number of ``LAPolicy/deviceOwnerAuthenticationWithCompanion``, by its older name.
public var kLAPolicyDeviceOwnerAuthenticationWithWatch: Int32 { 3 }
/// The number of ``LAPolicy/deviceOwnerAuthenticationWithCompanion``.
public var kLAPolicyDeviceOwnerAuthenticationWithCompanion: Int32 { 3 }
/// The number of ``LAPolicy/deviceOwnerAuthenticationWithBiometricsOrCompanion``, by its older name.
public var kLAPolicyDeviceOwnerAuthenticationWithBiometricsOrWatch: Int32 { 4 }
/// The number of ``LAPolicy/deviceOwnerAuthenticationWithBiometricsOrCompanion``.
public var kLAPolicyDeviceOwnerAuthenticationWithBiometricsOrCompanion: Int32 { 4 }
