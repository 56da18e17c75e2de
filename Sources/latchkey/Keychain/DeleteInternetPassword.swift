import ArgumentParser
import LatchkeyCommandLine
import LatchkeyKeychainModel

/// `latchkey keychain delete-internet-password`: the first that matches.
struct DeleteInternetPassword: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete-internet-password",
    abstract: "Delete an internet password and print what its attributes were.",
    discussion: """
      Deletes the first item that has everything that is given, in the order of adding: one at a time. Ends with 44 if there \
      is none, 36 if it is locked.

      With --json: deleted (\(ItemFields.help)), done or error.
      """,
    examples: ["latchkey keychain delete-internet-password -a alice -s mail.example.com"],
    statuses: .keychainItem)

  @OptionGroup var attributes: InternetPasswordAttributes
  @OptionGroup var group: ItemGroupOptions
  @OptionGroup var place: KeychainPlace
  @OptionGroup var output: KeychainOutput

  func validate() throws {
    guard !attributes.values.isEmpty else { throw ValidationError("say which item: -a, -s or another attribute") }
  }

  func run() throws {
    try output.run {
      let query = group.query(.internetPassword, attributes.values)
      try PasswordItem.delete(query, in: try place.open(.findingItems), output)
    }
  }
}
