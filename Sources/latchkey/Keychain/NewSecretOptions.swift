import ArgumentParser
import LatchkeyByteCoding
import LatchkeyCommandLine

/// The secret of an item to be added, and what to do if the item is there.
struct NewSecretOptions: ParsableArguments {
  @Option(
    name: [.customShort("w", allowingJoined: true), .long], parsing: .unconditional,
    help: "The password: @FILE, - or, with a warning, the password itself. Asked for if left out.")
  var password: String?
  @Option(
    name: [.customShort("X", allowingJoined: true), .customLong("hex")], parsing: .unconditional,
    help: "The secret in hexadecimal digits: @FILE, - or, with a warning, the digits.")
  var hexadecimal: String?
  @Flag(name: [.customShort("U"), .long], help: "Update the item if it is there.") var update = false
  @Flag(
    name: [.customShort("A"), .customLong("allow-any")],
    help: "Let any application read the item: so it is anyway, within its access group.")
  var allowsAny = false

  @Option(
    name: .customShort("T", allowingJoined: true), parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Refused: which programs read an item is decided by access groups.", valueName: "program"))
  var program: [String] = []

  func validate() throws {
    guard program.isEmpty else {
      throw ValidationError("-T: which programs read an item is decided by access groups: give --access-group instead")
    }
    guard password == nil || hexadecimal == nil else { throw ValidationError("give -w or -X, not both") }
  }

  /// Whether the secret is standard input.
  var isStandardInput: Bool { password == "-" || hexadecimal == "-" }

  /// Reads the secret.
  func read() throws(CommandFailure) -> [UInt8] {
    guard let hexadecimal else {
      return try SecretArgument.readBytes(
        password, option: "-w", prompt: "Password for the item: ", retype: "The same again: ")
    }
    let digits = try SecretArgument.read(hexadecimal, option: "-X", prompt: "")
    do {
      return try Hexadecimal.decode(digits.filter { !$0.isWhitespace })
    } catch {
      // The error names the wrong character, which is one of the secret.
      throw CommandFailure(.badData, "-X is no even number of hexadecimal digits")
    }
  }
}
