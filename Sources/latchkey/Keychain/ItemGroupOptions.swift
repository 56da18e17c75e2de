import ArgumentParser
import LatchkeyKeychainModel

/// Which access group, and which accessibility.
struct ItemGroupOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The access group, one of those in LATCHKEY_ENTITLEMENTS.", valueName: "group"))
  var accessGroup: String?
  @Option(help: ArgumentHelp("When the item can be read: \(AccessibilityArgument.help).", valueName: "when"))
  var accessible: AccessibilityArgument?

  /// A query for items of a class with these attributes, synchronizable or not.
  func query(
    _ itemClass: ItemClass, _ attributes: [ItemAttribute: AttributeValue] = [:], limit: Int? = 1,
    wantsData: Bool = false
  ) -> ItemQuery {
    ItemQuery(
      itemClass, attributes: attributes, accessGroup: accessGroup, synchronizable: .any,
      accessibility: accessible?.accessibility, limit: limit, wantsData: wantsData)
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
