import ArgumentParser
import LatchkeyCommandLine
import LatchkeyKeychainModel

/// `latchkey keychain add-internet-password`: a password for a server.
struct AddInternetPassword: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add-internet-password",
    abstract: "Add an internet password: one for a server.",
    discussion: """
      Account, security domain, server, protocol, authentication type, port, path and access group identify an item: adding a second one ends with 45, unless -U is given. The label is the server's name if left out, the \
      authentication type dflt. With -U nothing but the password and what is given changes.

      A password from a file or from standard input is used without the newline at its end; bytes that are not UTF-8 are \
      used as they are.

      With --json: added or updated (\(ItemFields.help)), done or error.
      """,
    examples: ["latchkey keychain add-internet-password -a alice -s mail.example.com -r imap"],
    statuses: .newKeychainItem)

  @OptionGroup var attributes: InternetPasswordAttributes
  @OptionGroup var secret: NewSecretOptions
  @OptionGroup var group: ItemGroupOptions
  @OptionGroup var place: KeychainOptions
  @OptionGroup var output: KeychainOutput

  func validate() throws {
    guard attributes.common.account != nil, attributes.server != nil else {
      throw ValidationError("an item has an account and a server: give -a and -s")
    }
    guard !secret.isStandardInput || place.passcode != "-" else {
      throw ValidationError("standard input has the password, so the passcode cannot come from it")
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

/// `latchkey keychain find-internet-password`: the first that matches.
struct FindInternetPassword: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "find-internet-password",
    abstract: "Find an internet password and print its attributes.",
    discussion: """
      Prints the first item that has everything that is given, in the order of adding. Ends with 44 if there is none, 36 if \
      it is locked.

      -w prints in digits what is not printable ASCII, as macOS's `security` does; --raw prints the bytes.

      With --json: item (\(ItemFields.help); with -g or -w also password, which is null if it is no UTF-8, and data, in \
      digits), done or error.
      """,
    examples: ["latchkey keychain find-internet-password -s mail.example.com -w"],
    statuses: .keychainItem)

  @OptionGroup var attributes: InternetPasswordAttributes
  @OptionGroup var display: PasswordDisplay
  @OptionGroup var group: ItemGroupOptions
  @OptionGroup var place: KeychainOptions
  @OptionGroup var output: KeychainOutput

  func validate() throws { try display.validate(output) }

  func run() throws {
    try output.run {
      let query = group.query(.internetPassword, attributes.values, wantsData: display.showsPassword)
      try PasswordItem.find(query, in: try place.open(.findingItems), display, output)
    }
  }
}

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
  @OptionGroup var place: KeychainOptions
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
