// LAPublicDefines.h: the numbers of `LAError.Code`.

/// The number of ``LAError/Code/authenticationFailed``.
public var kLAErrorAuthenticationFailed: Int32 { -1 }
/// The number of ``LAError/Code/userCancel``.
public var kLAErrorUserCancel: Int32 { -2 }
/// The number of ``LAError/Code/userFallback``.
public var kLAErrorUserFallback: Int32 { -3 }
/// The number of ``LAError/Code/systemCancel``.
public var kLAErrorSystemCancel: Int32 { -4 }
/// The number of ``LAError/Code/passcodeNotSet``.
public var kLAErrorPasscodeNotSet: Int32 { -5 }
/// The number of ``LAError/Code/biometryNotAvailable``.
public var kLAErrorBiometryNotAvailable: Int32 { -6 }
/// The number of ``LAError/Code/biometryNotEnrolled``.
public var kLAErrorBiometryNotEnrolled: Int32 { -7 }
/// The number of ``LAError/Code/biometryLockout``.
public var kLAErrorBiometryLockout: Int32 { -8 }
/// The number of ``LAError/Code/appCancel``.
public var kLAErrorAppCancel: Int32 { -9 }
/// The number of ``LAError/Code/invalidContext``.
public var kLAErrorInvalidContext: Int32 { -10 }
/// The number of ``LAError/Code/companionNotAvailable``.
public var kLAErrorCompanionNotAvailable: Int32 { -11 }
/// The number of ``LAError/Code/biometryNotPaired``.
public var kLAErrorBiometryNotPaired: Int32 { -12 }
/// The number of ``LAError/Code/biometryDisconnected``.
public var kLAErrorBiometryDisconnected: Int32 { -13 }
/// The number of ``LAError/Code/invalidDimensions``.
public var kLAErrorInvalidDimensions: Int32 { -14 }
/// The number of ``LAError/Code/notInteractive``.
public var kLAErrorNotInteractive: Int32 { -1004 }
/// The number of ``LAError/Code/biometryNotAvailable``, by its older name.
public var kLAErrorTouchIDNotAvailable: Int32 { -6 }
/// The number of ``LAError/Code/biometryNotEnrolled``, by its older name.
public var kLAErrorTouchIDNotEnrolled: Int32 { -7 }
/// The number of ``LAError/Code/biometryLockout``, by its older name.
public var kLAErrorTouchIDLockout: Int32 { -8 }
/// The number of ``LAError/Code/companionNotAvailable``, by its older name.
public var kLAErrorWatchNotAvailable: Int32 { -11 }
