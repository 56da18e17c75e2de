import ArgumentParser
import Foundation
import LatchkeyCommandLine
import LatchkeyKeychainArchive
import LatchkeyKeychainModel
import LatchkeyKeychainStore

/// `latchkey keychain backup`: the whole keychain as it is now, in an age file.
struct BackUpKeychain: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Write the whole keychain, as it is now, into an age file.",
    discussion: """
      Other programs go on reading and writing meanwhile; it need not be unlocked. The file holds the database, sealed as it is, and the \
      root key if that is in a file: with it and the keychain's passcode, if there is one, `latchkey keychain restore` makes the same \
      keychain anywhere. --without-root-key leaves the key out; a key in a TPM or a credential never comes along, so such a backup is \
      of use only where that key is. The file is of age v1, encrypted for the recipients, or for a passphrase.

      A keychain that fails verification is not backed up: 65.

      With --json: backedUp (path, items, rootKey: whether it is in the file), done or error.
      """,
    examples: ["latchkey keychain backup keychain.age", "latchkey keychain backup keychain.age --recipient age1…"],
    statuses: .keychain)

  @Argument(help: "The file to write, or - for standard output.") var archive: String
  @OptionGroup var lock: ArchiveEncryption
  @Flag(help: "Leave the root key out.") var withoutRootKey = false
  @OptionGroup var file: KeychainFile
  @OptionGroup var output: KeychainOutput

  func validate() throws {
    guard archive != "-" || !output.json else {
      throw ValidationError("--json writes to standard output, and so does -: give a file")
    }
  }

  func run() throws {
    try output.run {
      do {
        let recipients = try lock.recipients()
        let keychain = try OpenKeychain(
          path: file.keychain, keyFile: file.keyFile, passcode: nil, access: .inspecting)
        let snapshot = try keychain.database.snapshot(includesRootKey: !withoutRootKey)
        let backup = KeychainBackup(snapshot, created: Date())
        try lock.write(
          try backup.sealed(for: try lock.lock(recipients, for: archive), random: SystemRandom.bytes), to: archive)
        try emit(snapshot.itemCount, snapshot.rootKey != nil)
      } catch let error as ArchiveError {
        throw error.failure
      }
    }
  }

  private func emit(_ items: Int, _ hasRootKey: Bool) throws {
    if output.json {
      try output.emit(
        [], "backedUp", [("path", .text(archive)), ("items", .integer(items)), ("rootKey", .boolean(hasRootKey))])
    } else {
      let key = hasRootKey ? "with the root key" : "without the root key: save that, too"
      StandardStreams.writeErrorLine("\(items) \(items == 1 ? "item" : "items") backed up, \(key)")
    }
  }
}
