import ArgumentParser
import LatchkeyByteCoding
import LatchkeyCommandLine
import LatchkeyProvisioningProtocol
import LatchkeySecretData

/// `latchkey legacy ecdh`: the message key of a private and a public key.
struct LegacyECDH: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ecdh",
    abstract: "Agree on a key: print the shared x coordinate, 48 hexadecimal digits.",
    discussion: "With --json: key (key), done.",
    examples: ["latchkey legacy ecdh --private @private.hex --public @peer.hex"],
    statuses: [.badData])

  @Option(help: "The own private key: 48 digits, or GMObjC's 64.") var `private`: String
  @Option(help: "The peer's public key: 96 digits, or GMObjC's 98.") var `public`: String
  @OptionGroup var output: LegacyOutputOptions

  func validate() throws {
    guard `private` != "-" || `public` != "-" else {
      throw ValidationError("only one key can come from standard input")
    }
  }

  func run() throws {
    try output.print { lines in
      let own = try LegacyInput.privateKey(`private`)
      let peer = try LegacyInput.publicKey(`public`)
      let secret = try Self.agree(own, peer).exposedBytes
      let key = Hexadecimal.encode(secret.indices.map { secret[$0] })
      lines.add(key, "key", ["key": .text(key)])
    }
  }

  private static func agree(
    _ own: borrowing Secp192k1.PrivateKey, _ peer: Secp192k1.PublicKey
  ) throws(CommandFailure) -> Secp192k1.SharedSecret {
    do {
      return try own.sharedSecret(with: peer)
    } catch {
      throw CommandFailure(.badData, "these keys share no secret")
    }
  }
}
