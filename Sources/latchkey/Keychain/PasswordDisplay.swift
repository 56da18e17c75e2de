import ArgumentParser
import LatchkeyCommandLine

/// Whether a password is shown, and how.
struct PasswordDisplay: ParsableArguments {
  @Flag(name: [.customShort("g"), .long], help: "Show the password too, on standard error.") var showPassword = false
  @Flag(
    name: [.customShort("w"), .customLong("password")],
    help: "Print the password alone; one that is not printable ASCII comes in hexadecimal digits.")
  var passwordAlone = false
  @Flag(help: "Print the password alone, byte for byte and without a newline at its end.") var raw = false

  var showsPassword: Bool { showPassword || passwordAlone || raw }

  /// - Throws: if `--raw` stands beside what prints something else.
  func validate(_ output: KeychainOutput) throws {
    guard !raw || !(showPassword || passwordAlone || output.json) else {
      throw ValidationError("--raw stands without -w, -g and --json")
    }
  }
}
