import ArgumentParser
import LatchkeyCommandLine
import LatchkeyKeychainModel

/// `latchkey keychain find-generic-password`: the first that matches.
struct FindGenericPassword: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "find-generic-password",
    abstract: "Find a generic password and print its attributes.",
    discussion: """
      Prints the first item that has everything that is given, in the order of adding. Ends with 44 if there is none, 36 if \
      it is locked.

      -w prints in digits what is not printable ASCII, as macOS's `security` does; --raw prints the bytes.

      With --json: item (\(ItemFields.help); with -g or -w also password, which is null if it is no UTF-8, and data, in \
      digits), done or error.
      """,
    examples: [
      "latchkey keychain find-generic-password -s mail -w",
      "latchkey keychain find-generic-password -s mail -a alice --raw",
    ],
    statuses: .keychainItem)

  @OptionGroup var attributes: GenericPasswordAttributes
  @OptionGroup var display: PasswordDisplay
  @OptionGroup var group: ItemGroupOptions
  @OptionGroup var place: KeychainPlace
  @OptionGroup var output: KeychainOutput

  func validate() throws { try display.validate(output) }

  func run() throws {
    try output.run {
      let query = group.query(.genericPassword, attributes.values, wantsData: display.showsPassword)
      try PasswordItem.find(query, in: try place.open(.findingItems), display, output)
    }
  }
}
