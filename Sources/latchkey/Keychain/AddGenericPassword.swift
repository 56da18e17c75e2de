import ArgumentParser
import LatchkeyCommandLine
import LatchkeyKeychainModel

/// `latchkey keychain add-generic-password`: a password for a service.
struct AddGenericPassword: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add-generic-password",
    abstract: "Add a generic password: one for a service.",
    discussion: """
      Account, service and access group tell an item from all others: adding a second one ends with 45, unless -U is given. \
      The label is the service's name if left out. With -U nothing but the password and what is given changes.

      A password from a file or from standard input is taken without the newline at its end; bytes that are no UTF-8 are \
      taken as they are.

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
  @OptionGroup var place: KeychainPlace
  @OptionGroup var output: KeychainOutput

  func validate() throws {
    guard attributes.common.account != nil, attributes.service != nil else {
      throw ValidationError("an item has an account and a service: give -a and -s")
    }
    guard otherPassword == nil || (secret.password == nil && secret.hexadecimal == nil) else {
      throw ValidationError("give the password once")
    }
    guard !(secret.isStandardInput || otherPassword == "-") || place.passcode != "-" else {
      throw ValidationError("standard input is the password's, so the passcode cannot come from it")
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
