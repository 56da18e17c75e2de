import ArgumentParser
import LatchkeyCommandLine
import LatchkeyLedger
import LatchkeySealedMessages

/// The old service (Examples/002-sealed-transfer) beside the modern one.
struct LegacyEnrollmentOptions: ParsableArguments {
  @Flag(
    name: .customLong("documented"),
    help: "Serve the old protocol, too. It is not secure; for clients that know no other.")
  var isLegacy = false
  @Option(help: ArgumentHelp("The envelope's AES key, 32 characters: @FILE or -.", valueName: "key"))
  var encryptionKey: String?
  @Option(help: ArgumentHelp("The envelope's MAC key, 32 characters or more: @FILE or -.", valueName: "key"))
  var macKey: String?

  func validate() throws {
    guard isLegacy || (encryptionKey == nil && macKey == nil) else {
      throw ValidationError("--encryption-key and --mac-key go with --documented")
    }
  }

  /// What a client is given for the same keys; nothing for those that it must ask for.
  var clientOptions: String {
    [("--encryption-key", encryptionKey), ("--mac-key", macKey)].map { option, given in
      guard let given, given.hasPrefix("@") else { return "" }
      return " \(option) @\(String(given.dropFirst()).shellQuoted)"
    }.joined()
  }

  func service() throws -> LegacyEnrollmentService? {
    guard isLegacy else { return nil }
    let encryption = try SecretArgument.read(encryptionKey, option: "--encryption-key", prompt: "Envelope's AES key: ")
    let mac = try SecretArgument.read(macKey, option: "--mac-key", prompt: "Envelope's MAC key: ")
    do {
      return LegacyEnrollmentService(keys: try LegacyEnvelopeKeys(encryption: encryption, authentication: mac))
    } catch {
      throw CommandFailure(.badData, "the envelope's keys: the AES key has 32 characters, the MAC key at least 32")
    }
  }
}
