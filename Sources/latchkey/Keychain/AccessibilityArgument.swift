import ArgumentParser
import LatchkeyKeychainModel

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
