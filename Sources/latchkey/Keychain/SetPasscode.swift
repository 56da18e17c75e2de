import ArgumentParser
import KeychainModel
import KeychainStore

/// `latchkey keychain set-passcode`: sets, changes or removes it.
struct SetPasscode: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set-passcode",
    abstract: "Set or change the keychain's passcode, or remove it with --remove.",
    discussion: """
      A keychain with a passcode is locked for every program until it gives the passcode; without it not even the key file \
      opens the items. There is no way back to what it protects if it is lost. Removing it deletes the items that are \
      accessible when-passcode-set-this-device-only. What is not given is asked for, a new passcode twice. A wrong passcode \
      ends with 51; after five of them the next attempt must wait, and ends with 75 until then.

      With --json: passcodeSet or passcodeRemoved (path), done or error.
      """)

  @Option(
    name: [.customShort("o"), .long], parsing: .unconditional,
    help: "The passcode until now: @FILE, - or, with a warning, the passcode itself.")
  var old: String?
  @Option(
    name: [.customShort("p"), .long], parsing: .unconditional,
    help: "The new passcode, 8 characters at least: @FILE, - or, with a warning, the passcode itself.")
  var new: String?
  @Flag(help: "Remove the passcode.") var remove = false
  @OptionGroup var file: KeychainFile
  @Argument(help: ArgumentHelp("The keychain's file, as with --keychain.", valueName: "keychain")) var path: String?
  @OptionGroup var output: KeychainOutput

  func validate() throws {
    guard path == nil || file.keychain == nil else { throw ValidationError("give one keychain") }
    guard !remove || new == nil else { throw ValidationError("--remove goes without --new") }
    guard old != "-" || new != "-" else { throw ValidationError("only one passcode can come from standard input") }
  }

  func run() throws {
    try output.run {
      let keychain = try OpenKeychain(
        path: path ?? file.keychain, keyFile: file.keyFile, passcode: nil, access: remove ? .inspecting : .changing)
      let hasPasscode = try keychain.database.status().hasPasscode
      guard hasPasscode || !remove else { throw StoreError.passcodeNotSet }
      var current = hasPasscode ? try current() : []
      defer { current.wipe() }
      if remove {
        try keychain.database.removePasscode(current: current)
      } else {
        var new = try SecretArgument.readBytes(
          new, option: "--new", prompt: "New passcode: ", retype: "The same again: ")
        defer { new.wipe() }
        try keychain.database.setPasscode(new, current: hasPasscode ? current : nil)
      }
      try output.tell([], remove ? "passcodeRemoved" : "passcodeSet", [("path", .text(keychain.path))])
    }
  }

  private func current() throws(CommandFailure) -> [UInt8] {
    try SecretArgument.readBytes(old, option: "--old", prompt: "Passcode until now: ")
  }
}
