/// What is to be established (Apple, LAContext.h, `LAPolicy`).
public enum LAPolicy: Int, Sendable {
  /// Biometry.
  case deviceOwnerAuthenticationWithBiometrics = 1
  /// Biometry or the passcode.
  case deviceOwnerAuthentication = 2
  /// A companion device.
  case deviceOwnerAuthenticationWithCompanion = 3
  /// Biometry or a companion device.
  case deviceOwnerAuthenticationWithBiometricsOrCompanion = 4
}
