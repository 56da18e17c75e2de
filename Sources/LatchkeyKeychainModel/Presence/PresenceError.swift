/// Why nobody's presence could be established. One case for each code of Apple's `LAError` that has a meaning here.
public enum PresenceError: Error, Hashable, Sendable {
  /// The user gave a wrong answer; the text says how many tries are left, or how long to wait.
  case authenticationFailed(String)
  /// The user cancelled.
  case userCancel
  /// The user chose the passcode where only biometry was asked for.
  case userFallback
  /// The system, or the service that asks, cancelled.
  case systemCancel
  /// No passcode is set.
  case passcodeNotSet
  /// There is no biometry; the text names what to set or start.
  case biometryNotAvailable(String)
  /// There is biometry, and nothing is enrolled.
  case biometryNotEnrolled(String)
  /// Too many failures: the passcode must be given first.
  case biometryLockout(String)
  /// The program cancelled: its context was invalidated while somebody was asked.
  case appCancel
  /// The context was invalidated before.
  case invalidContext
  /// There is no companion device.
  case companionNotAvailable(String)
  /// Somebody would have to be asked, and that is forbidden, or there is no way to ask.
  case notInteractive(String)
  /// An application password is wanted and the context has none.
  case credentialMissing(String)
  /// The call makes no sense, an empty reason say.
  case invalidParameter(String)
}

extension PresenceError: CustomStringConvertible {
  /// What happened, and what to do next.
  public var description: String {
    switch self {
    case .authenticationFailed(let text), .biometryNotAvailable(let text), .biometryNotEnrolled(let text),
      .biometryLockout(let text), .companionNotAvailable(let text), .notInteractive(let text),
      .credentialMissing(let text), .invalidParameter(let text):
      text
    case .userCancel: "the user cancelled"
    case .userFallback: "the user chose the passcode: evaluate a policy that takes it"
    case .systemCancel: "the service that asks for presence cancelled: try again"
    case .passcodeNotSet: "the keychain has no passcode: set one (`latchkey keychain set-passcode`)"
    case .appCancel: "the context was invalidated while the user was asked"
    case .invalidContext: "the context was invalidated: make a new one"
    }
  }
}
