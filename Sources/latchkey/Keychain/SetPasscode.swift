import ArgumentParser
import LatchkeyAgeEncryption
import LatchkeyByteCoding
import LatchkeyCommandLine
import LatchkeyKeychainModel
import LatchkeyKeychainStore

/// `latchkey keychain set-passcode`: sets, changes or removes it.
struct SetPasscode: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set-passcode",
    abstract: "Set or change the keychain's passcode, or remove it with --remove.",
    discussion: """
      A keychain with a passcode is locked for every program until it gives the passcode; without it not even the key file \
      opens the items. If it is lost, the identity of a recovery \
      recipient sets a new one with --recovery-identity (`latchkey keychain recovery`); without one there is no way back to what \
      it protects. Removing it deletes the items that are \
      accessible when-passcode-set-this-device-only. What is not given is asked for, a new passcode twice. A wrong passcode \
      ends with 51; after five of them the next attempt must wait, and ends with 75 until then. An identity of no recovery recipient \
      ends with 69.

      With --json: passcodeSet or passcodeRemoved (path), done or error.
      """,
    examples: ["latchkey keychain set-passcode", "latchkey keychain set-passcode --remove"],
    statuses: .keychain)

  @Option(
    name: [.customShort("o"), .long], parsing: .unconditional,
    help: "The passcode until now: @FILE, - or, with a warning, the passcode itself.")
  var old: String?
  @Option(
    name: [.customShort("p"), .long], parsing: .unconditional,
    help: "The new passcode, 8 characters at least: @FILE, - or, with a warning, the passcode itself.")
  var new: String?
  @Option(
    help: ArgumentHelp(
      "Set the new passcode by the identity of a recovery recipient, in this file, in the place of the old one.",
      valueName: "file"))
  var recoveryIdentity: String?
  @Flag(help: "Remove the passcode.") var remove = false
  @OptionGroup var file: KeychainFile
  @Argument(help: ArgumentHelp("The keychain's file, as with --keychain.", valueName: "keychain")) var path: String?
  @OptionGroup var output: KeychainOutput

  func validate() throws {
    guard path == nil || file.keychain == nil else { throw ValidationError("give one keychain") }
    guard !remove || new == nil else { throw ValidationError("--remove goes without --new") }
    guard recoveryIdentity == nil || (old == nil && !remove) else {
      throw ValidationError("--recovery-identity goes without --old and --remove")
    }
    guard old != "-" || new != "-" else { throw ValidationError("only one passcode can come from standard input") }
  }

  func run() throws {
    try output.run {
      let place = path ?? file.keychain
      // The passcode is read and validated before a keychain is made: a passcode that is missing or refused leaves none behind.
      var new: [UInt8]?
      defer { new?.wipe() }
      if !remove, recoveryIdentity == nil, try !OpenKeychain.isThere(place) {
        new = try newPasscode()
        try PasscodeRule.validate(new ?? [])
      }
      let keychain = try OpenKeychain(
        path: place, keyFile: file.keyFile, passcode: nil,
        access: remove || recoveryIdentity != nil ? .inspecting : .changing)
      let hasPasscode = try keychain.database.status().hasPasscode
      guard hasPasscode || !remove else { throw StoreError.passcodeNotSet }
      if let recoveryIdentity {
        try reset(keychain.database, by: recoveryIdentity)
        return try output.emit([], "passcodeSet", [("path", .text(keychain.path))])
      }
      var current = hasPasscode ? try current() : []
      defer { current.wipe() }
      if remove {
        try keychain.database.removePasscode(current: current)
      } else {
        let wanted = try new ?? newPasscode()
        new = wanted
        try keychain.database.setPasscode(wanted, current: hasPasscode ? current : nil)
      }
      try output.emit([], remove ? "passcodeRemoved" : "passcodeSet", [("path", .text(keychain.path))])
    }
  }

  /// Sets the new passcode by the identities in the file at `path`.
  private func reset(_ database: KeychainDatabase, by path: String) throws {
    let text = try SecretArgument.read("@" + path, option: "--recovery-identity", prompt: "")
    let identities: [AgeIdentity]
    do throws(AgeError) {
      identities = try AgeIdentity.file(text)
    } catch {
      throw CommandFailure(.usage, error.description)
    }
    var new = try newPasscode()
    defer { new.wipe() }
    try database.resetPasscode(new, recoveryIdentities: identities)
  }

  private func newPasscode() throws(CommandFailure) -> [UInt8] {
    try SecretArgument.readBytes(new, option: "--new", prompt: "New passcode: ", retype: "The same again: ")
  }

  private func current() throws(CommandFailure) -> [UInt8] {
    try SecretArgument.readBytes(old, option: "--old", prompt: "Passcode until now: ")
  }
}
