import ArgumentParser
import KeychainModel

extension Accessibility {
  /// Its name on the command line: Apple's constant without its beginning.
  var commandName: String {
    switch self {
    case .whenUnlocked: "when-unlocked"
    case .afterFirstUnlock: "after-first-unlock"
    case .always: "always"
    case .whenUnlockedThisDeviceOnly: "when-unlocked-this-device-only"
    case .afterFirstUnlockThisDeviceOnly: "after-first-unlock-this-device-only"
    case .alwaysThisDeviceOnly: "always-this-device-only"
    case .whenPasscodeSetThisDeviceOnly: "when-passcode-set-this-device-only"
    }
  }
}

/// An accessibility as a user names it: by its name here, or by Apple's code.
struct AccessibilityArgument: ExpressibleByArgument {
  let accessibility: Accessibility

  init?(argument: String) {
    guard let accessibility = Accessibility.allCases.first(where: { [$0.commandName, $0.rawValue].contains(argument) })
    else { return nil }
    self.accessibility = accessibility
  }

  var defaultValueDescription: String { accessibility.commandName }

  /// The names, for `--help`.
  static let help = Accessibility.allCases.map { "\($0.commandName) (\($0.rawValue))" }.joined(separator: ", ")
}
