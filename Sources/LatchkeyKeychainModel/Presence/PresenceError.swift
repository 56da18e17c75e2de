/// An error in establishing user presence. Each case but the last two has a code of its own in Apple's `LAError`.
public enum PresenceError: Error, Hashable, Sendable {
  /// The user's answer was wrong; the text says how many attempts are left, or how long to wait.
  case authenticationFailed(String)
  /// The user canceled.
  case userCancel
  /// The user chose the passcode when the policy allowed only biometry.
  case userFallback
  /// The system, or the service that prompts, canceled.
  case systemCancel
  /// No passcode is set.
  case passcodeNotSet
  /// Biometry is not available; the text names the setting or service to fix.
  case biometryNotAvailable(String)
  /// Biometry is available, but nothing is enrolled.
  case biometryNotEnrolled(String)
  /// Biometry failed too often: the user must enter the passcode first.
  case biometryLockout(String)
  /// The program canceled: it invalidated its context during a prompt.
  case appCancel
  /// The context was invalidated before the call.
  case invalidContext
  /// No companion device is available.
  case companionNotAvailable(String)
  /// A prompt is required, and prompts are forbidden or impossible.
  case notInteractive(String)
  /// An application password is required, and the context has none.
  case credentialMissing(String)
  /// A parameter is invalid, such as an empty reason.
  case invalidParameter(String)
}

extension PresenceError: CustomStringConvertible {
  /// The cause, and how to fix it.
  public var description: String {
    switch self {
    case .authenticationFailed(let text), .biometryNotAvailable(let text), .biometryNotEnrolled(let text),
      .biometryLockout(let text), .companionNotAvailable(let text), .notInteractive(let text),
      .credentialMissing(let text), .invalidParameter(let text):
      text
    case .userCancel: "the user canceled"
    case .userFallback: "the user chose the passcode: evaluate a policy that takes it"
    case .systemCancel: "the service that asks for presence canceled: try again"
    case .passcodeNotSet: "the keychain has no passcode: set one (`latchkey keychain set-passcode`)"
    case .appCancel: "the context was invalidated while the user was asked"
    case .invalidContext: "the context was invalidated: make a new one"
    }
  }
}
