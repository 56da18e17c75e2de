import ArgumentParser

/// Whether a password is shown, and how.
struct PasswordDisplay: ParsableArguments {
  @Flag(name: [.customShort("g"), .long], help: "Show the password too, on standard error.") var showPassword = false
  @Flag(
    name: [.customShort("w"), .customLong("password")],
    help: "Print the password alone; one that is not printable ASCII comes in hexadecimal digits.")
  var passwordAlone = false

  var showsPassword: Bool { showPassword || passwordAlone }
}
