public import Foundation

/// An error of a context (Apple, LAError.h).
///
/// Errors are delivered as `NSError` of ``LAErrorDomain``; `error as? LAError` and `catch LAError.userCancel` work with
/// those, too. Their descriptions say what happened and what to do next.
public struct LAError: _BridgedStoredNSError {
  /// The error in its stored form.
  public let _nsError: NSError

  /// An error of this stored form; its domain must be ``LAErrorDomain``.
  public init(_nsError error: NSError) {
    precondition(error.domain == LAErrorDomain, "an LAError's domain is LAErrorDomain")
    _nsError = error
  }

  /// The domain of all such errors.
  public static var _nsErrorDomain: String { LAErrorDomain }

  /// The domain of all such errors.
  public static var errorDomain: String { LAErrorDomain }

  /// What went wrong.
  public enum Code: Int, _ErrorCodeProtocol, Sendable {
    /// The type whose code this is.
    public typealias _ErrorType = LAError

    /// What the user gave was not right.
    case authenticationFailed = -1
    /// The user cancelled.
    case userCancel = -2
    /// The user chose the passcode where only biometry was asked for.
    case userFallback = -3
    /// The system cancelled: the keychain was locked, say.
    case systemCancel = -4
    /// No passcode is set.
    case passcodeNotSet = -5
    /// There is no biometry; the description names what to set or start.
    case biometryNotAvailable = -6
    /// There is biometry, and nothing is enrolled.
    case biometryNotEnrolled = -7
    /// Biometry failed too often: the passcode must be given first.
    case biometryLockout = -8
    /// The context was invalidated while the user was asked.
    case appCancel = -9
    /// The context was invalidated before.
    case invalidContext = -10
    /// There is no companion device.
    case companionNotAvailable = -11
    /// The biometric accessory is not paired. Never here.
    case biometryNotPaired = -12
    /// The biometric accessory is not connected. Never here.
    case biometryDisconnected = -13
    /// A view has dimensions that are not allowed. Never here.
    case invalidDimensions = -14
    /// Somebody would have to be asked, and that is forbidden or there is no way to ask.
    case notInteractive = -1004

    /// The older name of ``biometryNotAvailable``.
    @available(*, deprecated, renamed: "biometryNotAvailable")
    public static var touchIDNotAvailable: Code { .biometryNotAvailable }

    /// The older name of ``biometryNotEnrolled``.
    @available(*, deprecated, renamed: "biometryNotEnrolled")
    public static var touchIDNotEnrolled: Code { .biometryNotEnrolled }

    /// The older name of ``biometryLockout``.
    @available(*, deprecated, renamed: "biometryLockout")
    public static var touchIDLockout: Code { .biometryLockout }

    /// The older name of ``companionNotAvailable``.
    @available(*, deprecated, renamed: "companionNotAvailable")
    public static var watchNotAvailable: Code { .companionNotAvailable }
  }
}

extension LAError {
  /// What the user gave was not right.
  public static var authenticationFailed: Code { .authenticationFailed }
  /// The user cancelled.
  public static var userCancel: Code { .userCancel }
  /// The user chose the passcode where only biometry was asked for.
  public static var userFallback: Code { .userFallback }
  /// The system cancelled: the keychain was locked, say.
  public static var systemCancel: Code { .systemCancel }
  /// No passcode is set.
  public static var passcodeNotSet: Code { .passcodeNotSet }
  /// There is no biometry; the description names what to set or start.
  public static var biometryNotAvailable: Code { .biometryNotAvailable }
  /// There is biometry, and nothing is enrolled.
  public static var biometryNotEnrolled: Code { .biometryNotEnrolled }
  /// Biometry failed too often: the passcode must be given first.
  public static var biometryLockout: Code { .biometryLockout }
  /// The context was invalidated while the user was asked.
  public static var appCancel: Code { .appCancel }
  /// The context was invalidated before.
  public static var invalidContext: Code { .invalidContext }
  /// There is no companion device.
  public static var companionNotAvailable: Code { .companionNotAvailable }
  /// The biometric accessory is not paired. Never here.
  public static var biometryNotPaired: Code { .biometryNotPaired }
  /// The biometric accessory is not connected. Never here.
  public static var biometryDisconnected: Code { .biometryDisconnected }
  /// A view has dimensions that are not allowed. Never here.
  public static var invalidDimensions: Code { .invalidDimensions }
  /// Somebody would have to be asked, and that is forbidden or there is no way to ask.
  public static var notInteractive: Code { .notInteractive }
  /// The older name of ``biometryNotAvailable``.
  @available(*, deprecated, renamed: "biometryNotAvailable")
  public static var touchIDNotAvailable: Code { .biometryNotAvailable }
  /// The older name of ``biometryNotEnrolled``.
  @available(*, deprecated, renamed: "biometryNotEnrolled")
  public static var touchIDNotEnrolled: Code { .biometryNotEnrolled }
  /// The older name of ``biometryLockout``.
  @available(*, deprecated, renamed: "biometryLockout")
  public static var touchIDLockout: Code { .biometryLockout }
  /// The older name of ``companionNotAvailable``.
  @available(*, deprecated, renamed: "companionNotAvailable")
  public static var watchNotAvailable: Code { .companionNotAvailable }
}

/// The domain of a context's errors.
public let LAErrorDomain = "com.apple.LocalAuthentication"
