/// A kind of biometry (Apple, LABiometryType.h). Whatever `LATCHKEY_PRESENCE` names is ``touchID`` here.
public enum LABiometryType: Int, Sendable {
  /// There is none.
  case none = 0
  /// A finger; here: any biometry that is configured.
  case touchID = 1
  /// A face. Never here.
  case faceID = 2
  /// An iris. Never here.
  case opticID = 4

  /// The older name of ``none``.
  @available(*, deprecated, renamed: "none")
  public static var LABiometryNone: LABiometryType { .none }
}

/// A kind of companion device (Apple, LACompanionType.h). There are none here.
public enum LACompanionType: Int, Sendable {
  /// A watch.
  case watch = 1
  /// A Mac.
  case mac = 2
  /// A Vision Pro.
  case vision = 4
}
