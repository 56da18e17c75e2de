import ArgumentParser
import LatchkeyCommandLine
import LatchkeyEnrollment
import LatchkeyEnrollmentProtocol

/// `latchkey device token`: a one-time token with which another device enrolls.
struct DeviceTokenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token",
    abstract: "Get a one-time token with which another device enrolls.",
    discussion: """
      Logs the user in by password, and prints the token that the service answers with. It allows its holder to enroll one device of this user, \
      until it expires. `latchkey provision --enroll` gives it to a device, which never learns the password. Nothing is stored \
      here. The file of --out is readable by you alone.

      With --json: token (token, or file; server, user, expires), done or error.
      """,
    examples: [
      "latchkey device token https://bank.example --user alice --out token.txt",
      "latchkey device token https://localhost:8443 --user demo --password @demo-password --ca ca.pem",
    ],
    statuses: [.badData, .unavailable, .inputOutput, .tryLater, .notPermitted])

  @Argument(help: "The service: https://HOST or https://HOST:PORT.") var url: String
  @Option(help: ArgumentHelp("The user's name.", valueName: "name")) var user: String
  @Option(help: ArgumentHelp("The user's password: @FILE or -; asked for if left out.", valueName: "password"))
  var password: String?
  @Option(
    name: .customLong("ca"),
    help: ArgumentHelp("Who may vouch for the server: PEM or DER; else the system's roots.", valueName: "file"))
  var roots: String?
  @Option(help: ArgumentHelp("Write the token to this file, which only you may read.", valueName: "file"))
  var out: String?
  @OptionGroup var output: EventOptions

  func run() async throws {
    try await output.run {
      try await EnrollmentOptions.failing {
        let server = try ServerAddress(url)
        let trusted = try roots.map { path throws(CommandFailure) in try CertificateFile.read(path) }
        let password = try SecretArgument.read(password, option: "--password", prompt: "Password of \(user): ")
        let client = EnrollmentClient(EnrollmentConfiguration(server: server, trustRoots: trusted))
        let token = try await client.deviceToken(user: user, password: password).value
        await client.close()
        if let out { try OutputFile.writeSecret(Array("\(token.text)\n".utf8), to: out) }
        // Printed because it was asked for.
        output.emit(
          out == nil ? token.text : nil, "token",
          fields: [
            out.map { ("file", .text($0)) } ?? ("token", .text(token.text)), ("server", .text("\(server)")),
            ("user", .text(token.user)), ("expires", .text(EnrollmentReport.time(token.expires))),
          ])
      }
    }
  }
}
