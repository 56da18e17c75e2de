import ArgumentParser
import LatchkeyCommandLine
import LatchkeyEnrollment
import LatchkeyEnrollmentProtocol
import LatchkeySealedMessages
import Security

/// The old service (Examples/002-sealed-transfer), in place of the modern one.
struct LegacyEnrollmentOptions: ParsableArguments {
  static let help = """
    With --documented the old service is spoken to that Examples/002-sealed-transfer in the source describes, its envelope and its \
    routes byte for byte. It has known flaws: `enroll` then needs both keys and the PIN, and the others find them in the keychain.
    """

  @Flag(
    name: .customLong("documented"), help: "Speak the old protocol. It is not secure; for services that know no other.")
  var isLegacy = false
  @Option(help: ArgumentHelp("The envelope's AES key, 32 characters: @FILE.", valueName: "key")) var encryptionKey:
    String?
  @Option(help: ArgumentHelp("The envelope's MAC key, 32 characters or more: @FILE.", valueName: "key"))
  var macKey: String?
  @Option(help: ArgumentHelp("The PIN, which protects the PKCS#12 file, too: @FILE or -.", valueName: "pin"))
  var pin: String?
  @Option(help: ArgumentHelp("Where the token goes: none, querystring, payload or header.", valueName: "place"))
  var signing: TokenPlace?

  func validate() throws {
    guard isLegacy || (encryptionKey == nil && macKey == nil && pin == nil && signing == nil) else {
      throw ValidationError("--encryption-key, --mac-key, --pin and --signing go with --documented")
    }
  }

  /// The configuration of a first login; nil without the flag.
  func configuration(
    server: ServerAddress, roots: [SecCertificate]?, label: String
  ) throws -> LegacyEnrollmentRecord? {
    guard isLegacy else { return nil }
    let encryption = try SecretArgument.read(
      encryptionKey, option: "--encryption-key", prompt: "AES key of the envelope: ")
    let mac = try SecretArgument.read(macKey, option: "--mac-key", prompt: "MAC key of the envelope: ")
    guard let keys = try? LegacyEnvelopeKeys(encryption: encryption, authentication: mac) else {
      throw CommandFailure(.badData, "--encryption-key has 32 characters, --mac-key 32 or more")
    }
    var configuration = LegacyEnrollmentConfiguration(server: server, trustRoots: roots, keys: keys)
    if let signing { configuration.signing = signing.option }
    return LegacyEnrollmentRecord(configuration: configuration)
  }

  /// The configuration that the keychain has; nil without the flag.
  func configuration(enrolled label: String) throws -> LegacyEnrollmentRecord? {
    guard isLegacy else { return nil }
    var record = try LegacyEnrollmentRecord(enrolled: label)
    if let signing { record.configuration.signing = signing.option }
    return record
  }

  /// The PIN.
  func readPIN() throws(CommandFailure) -> String {
    try SecretArgument.read(pin, option: "--pin", prompt: "PIN: ")
  }
}

/// Where the token goes, by its name on the command line.
enum TokenPlace: String, ExpressibleByArgument, CaseIterable {
  case none, querystring, payload, header

  /// The old client's name for it.
  var option: LegacyEnrollment.SigningOption {
    switch self {
    case .none: .none
    case .querystring: .querystring
    case .payload: .payload
    case .header: .header
    }
  }
}
