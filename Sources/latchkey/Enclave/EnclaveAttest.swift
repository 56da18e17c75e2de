import ArgumentParser
import LatchkeyByteCoding
import LatchkeyCommandLine
import LatchkeyKeychainModel

/// `latchkey enclave attest`: a statement of where a key lives.
struct EnclaveAttest: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "attest",
    abstract: "State where a key lives and what guards it, bound to a challenge.",
    discussion: """
      The statement is CBOR: of a key in a TPM an attestation object in WebAuthn's `tpm` format, signed by the TPM, whose \
      certificates come from the PEM file in LATCHKEY_ATTESTATION_CHAIN; of a software key one that says so, which proves \
      nothing. On standard output it is in hexadecimal, in FILE as it is. A guarded key asks.

      With --json: attested (\(EnclaveKeyItem.help), statement), done or error.
      """,
    examples: ["latchkey enclave attest --label build --challenge 0011223344556677 -o statement.cbor"],
    statuses: .keychainItem)

  @OptionGroup var which: EnclaveKeyOptions
  @Option(
    name: [.customShort("c"), .long],
    help: "What the verifier has sent, 8 to 1024 bytes in hexadecimal: the digits, @FILE or -.")
  var challenge: String
  @Option(name: [.customShort("o"), .customLong("output")], help: ArgumentHelp("Write it here.", valueName: "file"))
  var path: String?
  @Option(help: "The reason that the user is shown.") var reason: String?
  @OptionGroup var output: KeychainOutput

  func validate() throws { try which.label.validateAlone() }

  func run() throws {
    try output.run {
      let text = try SecretArgument.readText(challenge, option: "--challenge")
      guard let bytes = try? Hexadecimal.decode(text), (8...1024).contains(bytes.count) else {
        throw CommandFailure(.badData, "--challenge needs 8 to 1024 bytes in hexadecimal")
      }
      let (keychain, key) = try which.find()
      let statement = try keychain.enclave.attest(
        key.key, challenge: bytes, consent: Consent(reason: reason ?? "attest the key \(key.label)"))
      let digits = Hexadecimal.encode(statement)
      if let path { try OutputFile.write(statement, to: path) }
      try output.emit(path == nil ? [digits] : [], "attested", key.fields + [("statement", .text(digits))])
    }
  }
}
