import ArgumentParser
import Foundation
import LatchkeyByteCoding
import LatchkeyCommandLine
import LatchkeyKeychainModel
import LatchkeyKeychainStore

/// `latchkey keychain rotate`: new keys for everything in it.
struct RotateKeychain: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rotate",
    abstract: "Replace all keys of the keychain and encrypt every item with the new ones.",
    discussion: """
      Anyone who has copied keys or key records, or has read them from a process, opens nothing of the keychain any more as it is \
      from then on; but where there is no passcode, the key file opens everything as before: replace it with --root. The passcode \
      stays; where there is one it is asked for, and every program must give it again. Programs go \
      on reading meanwhile, and wait to write. When the command ends, what was replaced is in no file of the keychain any more; \
      copies made before are for you to delete. A wrong passcode ends with 51, and with 75 while the next attempt must wait.

      With --root the key file is replaced too, or the file that a TPM has sealed, and overwritten before: do that where it \
      may have been copied. Programs that have the keychain open must open it again; their calls fail until then, and no \
      acknowledged write is lost. If the command is interrupted, the keychain opens all the same, and the next program that opens \
      it completes the change or undoes it. It ends with 65 where the root key is a credential, or if the key file opens other \
      keychains too.

      With --json: keysChanged (path, items, root: whether the root key is new), done or error.
      """,
    examples: ["latchkey keychain rotate --root"],
    statuses: .keychain)

  @Option(
    name: [.customShort("p"), .long], parsing: .unconditional,
    help: "The passcode in force: @FILE, - or, with a warning, the passcode itself.")
  var passcode: String?
  @Flag(help: "Replace the key file too.") var root = false
  @OptionGroup var file: KeychainFile
  @Argument(help: ArgumentHelp("The keychain's file, as with --keychain.", valueName: "keychain")) var path: String?
  @OptionGroup var output: KeychainOutput

  func validate() throws {
    guard path == nil || file.keychain == nil else { throw ValidationError("give one keychain") }
  }

  func run() throws {
    try output.run {
      let keychain = try OpenKeychain(
        path: path ?? file.keychain, keyFile: file.keyFile, passcode: nil, access: .inspecting)
      let status = try keychain.database.status()
      var passcode: [UInt8]?
      if status.hasPasscode {
        passcode = try SecretArgument.readBytes(
          self.passcode, option: "--passcode", prompt: "Passcode of the keychain: ")
      } else if self.passcode != nil {
        throw StoreError.passcodeNotSet
      }
      defer { passcode?.wipe() }
      let shows = !output.json && isatty(STDERR_FILENO) == 1
      let report: @Sendable (RotationProgress) -> Void = { progress in
        if shows { StandardStreams.writeErrorLine("\(progress.itemsDone) of \(progress.itemCount) items") }
      }
      if root {
        try keychain.database.rotateRootKey(passcode: passcode, progress: report)
      } else {
        try keychain.database.rotateKeys(passcode: passcode, progress: report)
      }
      try output.emit(
        [], "keysChanged",
        [
          ("path", .text(keychain.path)), ("items", .integer(status.items.values.reduce(0, +))),
          ("root", .boolean(root)),
        ])
    }
  }
}
