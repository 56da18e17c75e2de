import ArgumentParser
import LatchkeyCommandLine
import LatchkeyKeychainModel

/// `latchkey keychain add-generic-password`: a password for a service.
struct AddGenericPassword: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add-generic-password",
    abstract: "Add a generic password: one for a service.",
    discussion: """
      Account, service and access group identify an item: adding a second one ends with 45, unless -U is given. \
      The label is the service's name if left out. With -U nothing but the password and what is given changes.

      A password from a file or from standard input is used without the newline at its end; bytes that are not UTF-8 are \
      used as they are.

      With --json: added or updated (\(ItemFields.help)), done or error.
      """,
    examples: [
      "latchkey keychain add-generic-password -a alice -s mail",
      "latchkey keychain add-generic-password -a alice -s mail -U -w @password.txt",
    ],
    statuses: .newKeychainItem)

  @OptionGroup var attributes: GenericPasswordAttributes
  @OptionGroup var secret: NewSecretOptions
  @Option(
    name: .customShort("p", allowingJoined: true), parsing: .unconditional,
    help: ArgumentHelp("The same as -w.", valueName: "password"))
  var otherPassword: String?
  @OptionGroup var group: ItemGroupOptions
  @OptionGroup var place: KeychainOptions
  @OptionGroup var output: KeychainOutput

  func validate() throws {
    guard attributes.common.account != nil, attributes.service != nil else {
      throw ValidationError("an item has an account and a service: give -a and -s")
    }
    guard otherPassword == nil || (secret.password == nil && secret.hexadecimal == nil) else {
      throw ValidationError("give the password once")
    }
    guard !(secret.isStandardInput || otherPassword == "-") || place.passcode != "-" else {
      throw ValidationError("standard input has the password, so the passcode cannot come from it")
    }
  }

  func run() throws {
    try output.run {
      var secret = secret
      secret.password = secret.password ?? otherPassword
      let item = NewItem(
        .genericPassword, attributes: attributes.values, accessGroup: group.accessGroup,
        accessibility: group.accessible?.accessibility, data: try secret.read())
      let keychain = try place.open(.changing)
      try PasswordItem.add(
        item, updates: secret.update, defaultLabel: attributes.service ?? "", to: keychain, output)
    }
  }
}

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
  @OptionGroup var place: KeychainOptions
  @OptionGroup var output: KeychainOutput

  func validate() throws { try display.validate(output) }

  func run() throws {
    try output.run {
      let query = group.query(.genericPassword, attributes.values, wantsData: display.showsPassword)
      try PasswordItem.find(query, in: try place.open(.findingItems), display, output)
    }
  }
}

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
  @OptionGroup var place: KeychainOptions
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
