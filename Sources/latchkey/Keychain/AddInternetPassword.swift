import ArgumentParser
import LatchkeyCommandLine
import LatchkeyKeychainModel

/// `latchkey keychain add-internet-password`: a password for a server.
struct AddInternetPassword: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add-internet-password",
    abstract: "Add an internet password: one for a server.",
    discussion: """
      Account, security domain, server, protocol, authentication type, port, path and access group tell an item from all \
      others: adding a second one ends with 45, unless -U is given. The label is the server's name if left out, the \
      authentication type dflt. With -U nothing but the password and what is given changes.

      A password from a file or from standard input is taken without the newline at its end; bytes that are no UTF-8 are \
      taken as they are.

      With --json: added or updated (\(ItemFields.help)), done or error.
      """,
    examples: ["latchkey keychain add-internet-password -a alice -s mail.example.com -r imap"],
    statuses: .newKeychainItem)

  @OptionGroup var attributes: InternetPasswordAttributes
  @OptionGroup var secret: NewSecretOptions
  @OptionGroup var group: ItemGroupOptions
  @OptionGroup var place: KeychainPlace
  @OptionGroup var output: KeychainOutput

  func validate() throws {
    guard attributes.common.account != nil, attributes.server != nil else {
      throw ValidationError("an item has an account and a server: give -a and -s")
    }
    guard !secret.isStandardInput || place.passcode != "-" else {
      throw ValidationError("standard input is the password's, so the passcode cannot come from it")
    }
  }

  func run() throws {
    try output.run {
      var values = attributes.values
      values[.authenticationType] = values[.authenticationType] ?? .text("dflt")
      let item = NewItem(
        .internetPassword, attributes: values, accessGroup: group.accessGroup,
        accessibility: group.accessible?.accessibility, data: try secret.read())
      let keychain = try place.open(.changing)
      try PasswordItem.add(item, updates: secret.update, defaultLabel: attributes.server ?? "", to: keychain, output)
    }
  }
}
