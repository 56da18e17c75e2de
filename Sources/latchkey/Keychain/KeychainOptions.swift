import ArgumentParser
import LatchkeyKeychainStore

/// The keychain of a command, and its root key.
struct KeychainFile: ParsableArguments {
  @Option(
    name: [.long, .customShort("k")],
    help: ArgumentHelp(
      "The keychain's file; else LATCHKEY_KEYCHAIN, else latchkey/keychain.db in XDG_DATA_HOME or ~/.local/share.",
      valueName: "path"))
  var keychain: String?
  @Option(
    help: ArgumentHelp(
      "The file of its root key; else the credential latchkey.root, else keychain.key beside the keychain.",
      valueName: "path"))
  var keyFile: String?

  /// The file that is meant; nil for a keychain that is gone with the command.
  var chosen: String? { get throws { try keychain ?? EnvironmentChoices.path() } }
}

/// The passcode that unlocks it.
struct KeychainUnlock: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: """
      Unlock with this passcode: prompt to be asked, @FILE, - or, with a warning, the passcode itself. Else the credential \
      latchkey.passcode or LATCHKEY_PASSCODE_FILE.
      """)
  var passcode: String?
}

/// The options of most commands: a keychain, at the end of the line too, and its passcode.
struct KeychainOptions: ParsableArguments {
  @OptionGroup var file: KeychainFile
  @OptionGroup var unlock: KeychainUnlock
  @Argument(help: ArgumentHelp("The keychain's file, as with --keychain.", valueName: "keychain")) var path: String?

  var passcode: String? { unlock.passcode }

  func validate() throws {
    guard path == nil || file.keychain == nil else { throw ValidationError("give one keychain") }
  }

  /// Repairs the keychain, and opens it.
  func repair(acceptsUnproven: Bool) throws -> (report: VerificationReport, keychain: OpenKeychain) {
    try OpenKeychain.repair(
      path: path ?? file.keychain, keyFile: file.keyFile, passcode: passcode, acceptsUnproven: acceptsUnproven)
  }

  /// Opens the keychain for this kind of access.
  func open(_ access: OpenKeychain.Access) throws -> OpenKeychain {
    try OpenKeychain(path: path ?? file.keychain, keyFile: file.keyFile, passcode: passcode, access: access)
  }
}
