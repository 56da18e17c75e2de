public import Foundation

/// An error of a context (Apple, LAError.h).
///
/// Errors are delivered as `NSError` of ``LAErrorDomain``; `error as? LAError` and `catch LAError.userCancel` also work with
/// these. Their descriptions state the cause and how to fix it.
public struct LAError: _BridgedStoredNSError {
  /// The error in its stored form.
  public let _nsError: NSError

  /// Creates an error from its stored form, whose domain must be ``LAErrorDomain``.
  public init(_nsError error: NSError) {
    precondition(error.domain == LAErrorDomain, "an LAError's domain is LAErrorDomain")
    _nsError = error
  }

  /// The domain of all such errors.
  public static var _nsErrorDomain: String { LAErrorDomain }

  /// The domain of all such errors.
  public static var errorDomain: String { LAErrorDomain }

  /// The code of an error.
  public enum Code: Int, _ErrorCodeProtocol, Sendable {
    /// The error type of this code.
    public typealias _ErrorType = LAError

    /// The user's answer was wrong.
    case authenticationFailed = -1
    /// The user canceled.
    case userCancel = -2
    /// The user chose the passcode when the policy allowed only biometry.
    case userFallback = -3
    /// The system canceled, for example because the keychain was locked.
    case systemCancel = -4
    /// No passcode is set.
    case passcodeNotSet = -5
    /// Biometry is not available; the description names the setting or service to fix.
    case biometryNotAvailable = -6
    /// Biometry is available, but nothing is enrolled.
    case biometryNotEnrolled = -7
    /// Biometry failed too often: the user must enter the passcode first.
    case biometryLockout = -8
    /// The context was invalidated during a prompt.
    case appCancel = -9
    /// The context was invalidated before the call.
    case invalidContext = -10
    /// No companion device is available.
    case companionNotAvailable = -11
    /// The biometric accessory is not paired. Never used on Linux.
    case biometryNotPaired = -12
    /// The biometric accessory is not connected. Never used on Linux.
    case biometryDisconnected = -13
    /// A view has dimensions that are not allowed. Never used on Linux.
    case invalidDimensions = -14
    /// A prompt is required, and prompts are forbidden or impossible.
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
  /// The user's answer was wrong.
  public static var authenticationFailed: Code { .authenticationFailed }
  /// The user canceled.
  public static var userCancel: Code { .userCancel }
  /// The user chose the passcode when the policy allowed only biometry.
  public static var userFallback: Code { .userFallback }
  /// The system canceled, for example because the keychain was locked.
  public static var systemCancel: Code { .systemCancel }
  /// No passcode is set.
  public static var passcodeNotSet: Code { .passcodeNotSet }
  /// Biometry is not available; the description names the setting or service to fix.
  public static var biometryNotAvailable: Code { .biometryNotAvailable }
  /// Biometry is available, but nothing is enrolled.
  public static var biometryNotEnrolled: Code { .biometryNotEnrolled }
  /// Biometry failed too often: the user must enter the passcode first.
  public static var biometryLockout: Code { .biometryLockout }
  /// The context was invalidated during a prompt.
  public static var appCancel: Code { .appCancel }
  /// The context was invalidated before the call.
  public static var invalidContext: Code { .invalidContext }
  /// No companion device is available.
  public static var companionNotAvailable: Code { .companionNotAvailable }
  /// The biometric accessory is not paired. Never used on Linux.
  public static var biometryNotPaired: Code { .biometryNotPaired }
  /// The biometric accessory is not connected. Never used on Linux.
  public static var biometryDisconnected: Code { .biometryDisconnected }
  /// A view has dimensions that are not allowed. Never used on Linux.
  public static var invalidDimensions: Code { .invalidDimensions }
  /// A prompt is required, and prompts are forbidden or impossible.
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
