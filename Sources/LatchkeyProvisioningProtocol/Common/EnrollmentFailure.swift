/// Why a device that was told where to enroll has not enrolled. It has joined its network all the same.
public enum EnrollmentFailure: UInt8, Error, Hashable, Sendable, CaseIterable {
  /// A reason that is none of the others.
  case other = 0
  /// The server does not accept the token: it is wrong, or has expired.
  case tokenRefused = 1
  /// The server cannot be reached, or did not answer.
  case unreachable = 2
  /// The server's certificate is not one that the device trusts, or the anchor is another server's.
  case untrusted = 3
  /// The device is enrolled with another server.
  case enrolledElsewhere = 4
  /// The device cannot keep an identity: its keychain is locked, for example.
  case notStored = 5
  /// The server knows the token and refuses the device all the same: the token was used, for example, or the user has too many devices.
  case refused = 6
}
