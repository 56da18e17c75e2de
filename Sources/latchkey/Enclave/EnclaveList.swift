import ArgumentParser
import LatchkeyCommandLine
import LatchkeyKeychainModel
import LatchkeySystem

/// `latchkey enclave list`: the keys, where they live, and what guards them.
struct EnclaveList: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the keys: label, fingerprint, where it lives, what guards it, when it can be used.",
    discussion: """
      A key that asks for biometry as it was enrolled is marked as lost once that has changed; no user is asked to find out. The \
      fingerprint is the beginning of the public key's SHA-256.

      With --json: key (\(EnclaveKeyItem.help), isInvalidated: null if it is not known now), done or error.
      """,
    examples: ["latchkey enclave list", "latchkey enclave list --json"],
    statuses: .keychain)

  @OptionGroup var place: KeychainOptions
  @OptionGroup var output: KeychainOutput

  func run() throws {
    try output.run {
      let keychain = try place.open(.findingItems)
      let enclave = try keychain.enclave
      for key in try EnclaveKeyItem.all(in: keychain) {
        let isInvalidated = try? enclave.isInvalidated(key.key)
        let guards = key.key.control.flags.guardNames
        // The label comes from the key's creator: it must not move the cursor.
        let line = [
          PrintableText.escaped(key.label), key.fingerprint, key.key.backend.rawValue,
          guards.isEmpty ? "none" : guards.joined(separator: ","), key.key.control.protection.commandName,
        ].joined(separator: "\t")
        try output.emit(
          [isInvalidated == true ? line + "\tlost: what was enrolled has changed" : line], "key",
          key.fields + [("isInvalidated", isInvalidated.map { .boolean($0) } ?? .null)])
      }
    }
  }
}
