import ArgumentParser
import LatchkeyByteCoding
import LatchkeyCommandLine
import LatchkeyProvisioningProtocol

/// `latchkey legacy encrypt`: text on standard input, ciphertext on standard output.
struct LegacyEncrypt: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "encrypt",
    abstract: "Encrypt the UTF-8 text on standard input; print hexadecimal digits.",
    discussion:
      "The text is used as it is, with a newline at its end. With --json: ciphertext (ciphertext), done.",
    examples: ["printf 'hello' | latchkey legacy encrypt --key @key.hex"],
    statuses: [.badData])

  @Option(help: "The message key: 48 digits, as `ecdh` prints it.") var key: String
  @Flag(help: "Accept any bytes, not UTF-8 alone.") var raw = false
  @OptionGroup var output: LegacyOutputOptions

  /// The longest message that a frame can carry: the zero fill adds at least one byte.
  private static let messageLimit = LegacyFrame.greatestLength - LegacyFrame.headerLength - 1

  func validate() throws {
    guard key != "-" else { throw ValidationError("standard input is the text's, so the key cannot come from it") }
  }

  func run() throws {
    try output.print { lines in
      let messageKey = try LegacyInput.messageKey(key)
      let plaintext = try StandardStreams.read(atMost: Self.messageLimit)
      guard raw || String(validating: plaintext, as: UTF8.self) != nil else {
        throw CommandFailure(.badData, "the text is not UTF-8; --raw accepts any bytes")
      }
      let ciphertext = Hexadecimal.encode(try messageKey.encrypt(plaintext))
      lines.add(ciphertext, "ciphertext", ["ciphertext": .text(ciphertext)])
    }
  }
}
