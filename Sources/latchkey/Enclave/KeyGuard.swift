import ArgumentParser
import LatchkeyKeychainModel

/// What a key asks of its user, by its name on the command line.
enum KeyGuard: String, ExpressibleByArgument, CaseIterable {
  case none
  case userPresence = "user-presence"
  case biometryAny = "biometry-any"
  case biometryCurrentSet = "biometry-current-set"
  case passcode

  /// Apple's flag for it.
  var flags: AccessControl.Flags {
    switch self {
    case .none: []
    case .userPresence: .userPresence
    case .biometryAny: .biometryAny
    case .biometryCurrentSet: .biometryCurrentSet
    case .passcode: .devicePasscode
    }
  }

  /// The names, for `--help`.
  static let help = "none, \(asking)"

  /// The names of those that ask a user.
  static let asking = """
    user-presence (biometry or the passcode), biometry-any, biometry-current-set (lost when what is enrolled changes), passcode
    """
}

extension AccessControl.Flags {
  /// The names of these flags, as `list` prints them.
  var guardNames: [String] {
    let named: [(AccessControl.Flags, String)] = [
      (.userPresence, "user-presence"), (.biometryAny, "biometry-any"), (.biometryCurrentSet, "biometry-current-set"),
      (.devicePasscode, "passcode"), (.companion, "companion"), (.or, "or"), (.and, "and"),
      (.applicationPassword, "application-password"),
    ]
    return named.filter { contains($0.0) }.map(\.1)
  }
}
