/// A kind of biometry (Apple, LABiometryType.h). On Linux, any biometry that `LATCHKEY_PRESENCE` names is ``touchID``.
public enum LABiometryType: Int, Sendable {
  /// No biometry.
  case none = 0
  /// A fingerprint; on Linux, any biometry that is configured.
  case touchID = 1
  /// A face. Never used on Linux.
  case faceID = 2
  /// An iris. Never used on Linux.
  case opticID = 4

  /// The older name of ``none``.
  @available(*, deprecated, renamed: "none")
  public static var LABiometryNone: LABiometryType { .none }
}

/// A kind of companion device (Apple, LACompanionType.h). Linux has none.
public enum LACompanionType: Int, Sendable {
  /// A watch.
  case watch = 1
  /// A Mac.
  case mac = 2
  /// A Vision Pro.
  case vision = 4
}
