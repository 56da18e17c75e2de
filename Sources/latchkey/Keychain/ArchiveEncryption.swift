import ArgumentParser
import LatchkeyAgeEncryption
import LatchkeyCommandLine
import LatchkeyKeychainArchive

/// The recipients or the passphrase that an archive is encrypted for.
struct ArchiveEncryption: ParsableArguments {
  @Option(
    name: [.customShort("r"), .long],
    help: ArgumentHelp("Encrypt for this recipient; can be repeated.", valueName: "age1…"))
  var recipient: [String] = []
  @Option(
    parsing: .unconditional,
    help: "Encrypt by this passphrase: @FILE, - or, with a warning, the passphrase itself. Asked for if left out.")
  var passphrase: String?
  @Flag(name: [.customShort("a"), .long], help: "Write lines of ASCII.") var armor = false

  func validate() throws {
    guard recipient.isEmpty || passphrase == nil else {
      throw ValidationError("give recipients or a passphrase: an age file has either")
    }
  }

  /// The recipients, read before anything else is done.
  func recipients() throws(ArchiveError) -> [AgeRecipient] {
    do throws(AgeError) {
      var recipients: [AgeRecipient] = []
      for text in recipient { recipients.append(try AgeRecipient(text)) }
      return recipients
    } catch {
      throw .age(error)
    }
  }

  /// The recipients, or else the passphrase for the archive at `path`.
  func lock(_ recipients: [AgeRecipient], for path: String) throws(CommandFailure) -> AgeLock {
    guard recipients.isEmpty else { return .recipients(recipients) }
    let bytes = try SecretArgument.readBytes(
      passphrase, option: "--passphrase", prompt: "Passphrase for \(path): ", retype: "The same again: ")
    guard !bytes.isEmpty else { throw CommandFailure(.usage, "--passphrase is empty: anyone could open \(path)") }
    return .passphrase(bytes)
  }

  func write(_ sealed: [UInt8], to path: String) throws(CommandFailure) {
    try ArchiveFile.write(armor ? Array(AgeArmor.encode(sealed).utf8) : sealed, to: path)
  }
}
