import ArgumentParser
import LatchkeyCommandLine
import LatchkeyKeychainModel

/// `latchkey enclave delete`: for good.
struct EnclaveDelete: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Delete a key for good. No user is asked.",
    discussion: """
      What it has signed stays valid; nothing can be signed with it again.

      With --json: deleted (\(EnclaveKeyItem.help)), done or error.
      """,
    examples: ["latchkey enclave delete --label build"],
    statuses: .keychainItem)

  @OptionGroup var which: EnclaveKeyOptions
  @OptionGroup var output: KeychainOutput

  func validate() throws { try which.label.validateAlone() }

  func run() throws {
    try output.run {
      let (keychain, key) = try which.find()
      let query = ItemQuery(.key, synchronizable: .any, persistentReference: key.item.reference)
      try keychain.store.delete(query, as: keychain.entitlements)
      try output.emit([], "deleted", key.fields)
    }
  }
}
