import ArgumentParser
import LatchkeyByteCoding
import LatchkeyCommandLine
import LatchkeyProvisioningProtocol

/// `latchkey legacy decrypt`: ciphertext on standard input, text on standard output.
struct LegacyDecrypt: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decrypt",
    abstract: "Decrypt the hexadecimal digits on standard input; print the text without the zeros at its end.",
    discussion: """
      The text is printed as it stands, with no newline after it unless standard output is a terminal. Text that is not \
      UTF-8 ends with 65. With --json: plaintext (text, which is null if not UTF-8 and --raw is given; bytes), done.
      """,
    examples: ["latchkey legacy decrypt --key @key.hex < ciphertext.hex"],
    statuses: [.badData])

  @Option(help: "The message key: 48 digits, as `ecdh` prints it.") var key: String
  @Flag(help: "Print all bytes, the zeros at the end included.") var raw = false
  @OptionGroup var output: LegacyOutputOptions

  func validate() throws {
    guard key != "-" else {
      throw ValidationError("standard input is the ciphertext's, so the key cannot come from it")
    }
  }

  func run() throws {
    guard output.json else {
      let message = try message()
      try StandardStreams.write(raw ? message.bytes : Array(message.trimmedBytes))
      if StandardStreams.isOutputTerminal { try StandardStreams.writeLine("") }
      return
    }
    try output.print { lines in
      let message = try message()
      lines.add(
        "", "plaintext",
        ["text": message.text.map { .text($0) } ?? .null, "bytes": .text(Hexadecimal.encode(message.bytes))])
    }
  }

  private func message() throws(CommandFailure) -> LegacyUnauthenticatedMessage {
    let messageKey = try LegacyInput.messageKey(key)
    let ciphertext = try LegacyInput.bytes("-", "ciphertext")
    let message: LegacyUnauthenticatedMessage
    do {
      message = try messageKey.decrypt(ciphertext)
    } catch {
      throw CommandFailure(.badData, "the ciphertext has \(ciphertext.count) bytes, not a multiple of 16")
    }
    guard raw || message.text != nil else {
      throw CommandFailure(.badData, "the plaintext is not UTF-8; the key may be another's (--raw prints its bytes)")
    }
    return message
  }
}
