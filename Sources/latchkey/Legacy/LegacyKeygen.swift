import ArgumentParser
import LatchkeyByteCoding
import LatchkeyCommandLine
import LatchkeyProvisioningProtocol
import LatchkeySecretData

/// `latchkey legacy keygen`: a new key pair.
struct LegacyKeygen: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keygen",
    abstract: "Make a key pair, and print it in this protocol's form and in GMObjC's.",
    discussion: "With --json: keys (private, public, gmobjcPrivate, gmobjcPublic), done.",
    examples: ["latchkey legacy keygen", "latchkey legacy keygen --private @private.hex --json"],
    statuses: [.badData])

  @Option(help: "Print the pair of this private key instead of a new one.") var `private`: String?
  @OptionGroup var output: LegacyOutputOptions

  func run() throws {
    try output.print { lines in
      let pair = try pair()
      let gmobjcPrivate = String(repeating: "0", count: 16) + pair.private.uppercased()
      let gmobjcPublic = "04" + pair.public.uppercased()
      lines.add(
        """
        private: \(pair.private)
        public: \(pair.public)
        gmobjc-private: \(gmobjcPrivate)
        gmobjc-public: \(gmobjcPublic)
        """, "keys",
        [
          "private": .text(pair.private), "public": .text(pair.public), "gmobjcPrivate": .text(gmobjcPrivate),
          "gmobjcPublic": .text(gmobjcPublic),
        ])
    }
  }

  private func pair() throws -> (private: String, public: String) {
    if let `private` { return Self.texts(try LegacyInput.privateKey(`private`)) }
    var generator = SystemRandomNumberGenerator()
    return Self.texts(try Secp192k1.PrivateKey(using: &generator))
  }

  private static func texts(_ key: borrowing Secp192k1.PrivateKey) -> (private: String, public: String) {
    let bytes = key.exposedBytes
    return (Hexadecimal.encode(bytes.indices.map { bytes[$0] }), Hexadecimal.encode(key.publicKey.bytes))
  }
}
