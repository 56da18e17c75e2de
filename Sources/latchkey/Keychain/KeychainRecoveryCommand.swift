import ArgumentParser
import LatchkeyAgeEncryption
import LatchkeyByteCoding
import LatchkeyCommandLine
import LatchkeyKeychainModel
import LatchkeyKeychainStore

/// `latchkey keychain recovery`: whose identities open the keychain without its passcode.
struct KeychainRecoveryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recovery",
    abstract: "Set who can recover the keychain when its passcode is lost; print or remove them.",
    discussion: """
      A recovery recipient is an age recipient (age1…, as `age-keygen` prints it). Its identity, kept offline, opens the keychain in \
      the place of the passcode, together with the root key: `latchkey keychain set-passcode --recovery-identity FILE` sets a new \
      passcode by it. It is worth as much as the passcode, and opens all that the passcode opens. Setting and removing recipients \
      replaces all keys, as `latchkey keychain rotate` does, so that an identity that counted before opens nothing any more.

      With --json: recovery (path, recipients), done or error.
      """,
    examples: ["latchkey keychain recovery set age1…", "latchkey keychain recovery status"],
    statuses: .keychain,
    subcommands: [SetRecovery.self, RemoveRecovery.self, RecoveryStatus.self], defaultSubcommand: RecoveryStatus.self)
}

/// The options that the three have in common.
struct RecoveryOptions: ParsableArguments {
  @OptionGroup var file: KeychainFile
  @OptionGroup var output: KeychainOutput

  func open() throws -> KeychainDatabase {
    try OpenKeychain(path: file.keychain, keyFile: file.keyFile, passcode: nil, access: .inspecting).database
  }

  func emit(_ database: KeychainDatabase) throws {
    let recipients = try database.recoveryRecipients().map(\.text)
    try output.emit(
      recipients.isEmpty ? ["no recovery recipient is set"] : recipients, "recovery",
      [("path", .text(database.path)), ("recipients", .list(recipients.map { .text($0) }))])
  }
}

/// The passcode that changing the recipients needs.
struct RecoveryPasscode: ParsableArguments {
  @Option(
    name: [.customShort("p"), .long], parsing: .unconditional,
    help: "The passcode in force: @FILE, - or, with a warning, the passcode itself. Asked for if left out.")
  var passcode: String?

  func set(_ recipients: [AgeRecipient], in database: KeychainDatabase) throws {
    var bytes: [UInt8]?
    if try database.status().hasPasscode {
      bytes = try SecretArgument.readBytes(passcode, option: "--passcode", prompt: "Passcode of the keychain: ")
    } else if passcode != nil {
      throw StoreError.passcodeNotSet
    }
    defer { bytes?.wipe() }
    try database.setRecoveryRecipients(recipients, passcode: bytes)
  }
}

/// `latchkey keychain recovery set`.
struct SetRecovery: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "From now on the identities of these recipients recover the keychain, and no others.",
    examples: ["latchkey keychain recovery set age1…"],
    statuses: .keychain)

  @Argument(help: ArgumentHelp("Age recipients, up to seven.", valueName: "age1…")) var recipients: [String]
  @OptionGroup var passcode: RecoveryPasscode
  @OptionGroup var place: RecoveryOptions

  func run() throws {
    try place.output.run {
      var chosen: [AgeRecipient] = []
      do throws(AgeError) {
        for text in recipients { chosen.append(try AgeRecipient(text)) }
      } catch {
        throw CommandFailure(.usage, error.description)
      }
      let database = try place.open()
      try passcode.set(chosen, in: database)
      try place.emit(database)
    }
  }
}

/// `latchkey keychain recovery remove`.
struct RemoveRecovery: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove all recovery recipients.",
    examples: ["latchkey keychain recovery remove"],
    statuses: .keychain)

  @OptionGroup var passcode: RecoveryPasscode
  @OptionGroup var place: RecoveryOptions

  func run() throws {
    try place.output.run {
      let database = try place.open()
      try passcode.set([], in: database)
      try place.emit(database)
    }
  }
}

/// `latchkey keychain recovery status`.
struct RecoveryStatus: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Print whose identities recover the keychain.",
    examples: ["latchkey keychain recovery status"],
    statuses: .keychain)

  @OptionGroup var place: RecoveryOptions

  func run() throws {
    try place.output.run { try place.emit(try place.open()) }
  }
}
