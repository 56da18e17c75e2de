import ArgumentParser
import LatchkeyAgeEncryption
import LatchkeyCommandLine
import LatchkeyKeychainArchive
import LatchkeyKeychainModel
import LatchkeyKeychainStore

/// `latchkey keychain restore`: the keychain of a backup.
struct RestoreKeychain: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Make the keychain that `latchkey keychain backup` wrote.",
    discussion: """
      The backup is opened and verified whole before anything that is there is touched. Everything is as it was then: what was \
      deleted or changed since is back, and so is the passcode of that time. A keychain that is there stays where it is, unless \
      --replace moves it aside, as FILE.before-restore; programs that have it open must be started again. A restore that was interrupted is \
      completed by doing it again.

      Ends with 51 if the passphrase or the identity does not open it, 65 if it is damaged, or if a keychain or another \
      key file is in the way. Where a TPM counts, the backup counts as the newest copy from then on.

      With --json: restored (path, items, aside: where the old one is, or null), done or error.
      """,
    examples: [
      "latchkey keychain restore keychain.age", "latchkey keychain restore keychain.age --identity key.txt --replace",
    ],
    statuses: .keychain)

  @Argument(help: "The backup.") var archive: String
  @Option(
    name: [.customShort("i"), .long],
    help: ArgumentHelp("The file of the age identity that it is encrypted for.", valueName: "file"))
  var identity: String?
  @Option(
    parsing: .unconditional,
    help: "Its passphrase: @FILE, - or, with a warning, the passphrase itself. Asked for if left out.")
  var passphrase: String?
  @Flag(help: "Put a keychain aside that is there.") var replace = false
  @OptionGroup var file: KeychainFile
  @OptionGroup var output: KeychainOutput

  func run() throws {
    try output.run {
      do {
        guard let bytes = try ArchiveFile.read(archive) else {
          throw CommandFailure(.badData, "\(archive) is no age file")
        }
        let unlock = try ArchiveFile.unlock(bytes, of: archive, identity: identity, passphrase: passphrase)
        let snapshot = try KeychainBackup(opening: bytes, unlock).snapshot
        let (path, aside) = try OpenKeychain.restore(
          snapshot, path: file.keychain, keyFile: file.keyFile, replacing: replace)
        try emit(path, snapshot.itemCount, aside)
      } catch let error as ArchiveError {
        throw error.failure
      } catch let error as AgeError {
        throw ArchiveError.age(error).failure
      }
    }
  }

  private func emit(_ path: String, _ items: Int, _ aside: String?) throws {
    if output.json {
      try output.emit(
        [], "restored",
        [("path", .text(path)), ("items", .integer(items)), ("aside", aside.map { .text($0) } ?? .null)])
    } else {
      if let aside { StandardStreams.writeErrorLine("what was there is now \(aside)") }
      StandardStreams.writeErrorLine("\(path) restored, \(items) \(items == 1 ? "item" : "items")")
    }
  }
}
