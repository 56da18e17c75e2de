import ArgumentParser
import LatchkeyCommandLine
import LatchkeyKeychainModel

/// `latchkey keychain delete-generic-password`: the first that matches.
struct DeleteGenericPassword: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete-generic-password",
    abstract: "Delete a generic password and print what its attributes were.",
    discussion: """
      Deletes the first item that has everything that is given, in the order of adding: one at a time. Ends with 44 if there \
      is none, 36 if it is locked.

      With --json: deleted (\(ItemFields.help)), done or error.
      """,
    examples: ["latchkey keychain delete-generic-password -a alice -s mail"],
    statuses: .keychainItem)

  @OptionGroup var attributes: GenericPasswordAttributes
  @OptionGroup var group: ItemGroupOptions
  @OptionGroup var place: KeychainPlace
  @OptionGroup var output: KeychainOutput

  func validate() throws {
    guard !attributes.values.isEmpty else { throw ValidationError("say which item: -a, -s or another attribute") }
  }

  func run() throws {
    try output.run {
      let query = group.query(.genericPassword, attributes.values)
      try PasswordItem.delete(query, in: try place.open(.findingItems), output)
    }
  }
}
