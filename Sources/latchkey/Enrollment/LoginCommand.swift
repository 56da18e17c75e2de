import ArgumentParser
import Enrollment

/// `latchkey login`: a session, by password, by key or by certificate.
struct LoginCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "login",
    abstract: "Log in, and list the accounts.",
    discussion: """
      With --key no password goes anywhere: the server's challenge is signed by the approval key, which asks for you: the one \
      that `latchkey enroll` made or registered, or that `latchkey device register-key` registered since. With --user the password is asked for. Without either the certificate alone is shown.

      \(DocumentedOptions.help)

      With --json: started (operation), loggedIn (user, device, method), account (number, name, currency, balance), done or \
      error.
      """)

  @Option(
    help: ArgumentHelp("Log in by the approval key: its label, as `latchkey enroll` told it.", valueName: "label"))
  var key: String?
  @Option(help: ArgumentHelp("Log in by password: the user's name.", valueName: "name")) var user: String?
  @Option(help: ArgumentHelp("The user's password: @FILE or -; asked for if left out.", valueName: "password"))
  var password: String?
  @OptionGroup var documented: DocumentedOptions
  @OptionGroup var enrollment: EnrollmentOptions

  func validate() throws {
    guard key == nil || user == nil else { throw ValidationError("give --key or --user") }
    guard password == nil || user != nil else { throw ValidationError("--password goes with --user") }
  }

  func run() async throws {
    try await enrollment.run {
      let report = EnrollmentReport(enrollment.output)
      if let old = try documented.configuration(enrolled: enrollment.label) {
        return try await DocumentedStory(enrollment.output, old, documented, label: enrollment.label).logIn(
          user: user, password: password)
      }
      var configuration = try EnrollmentConfiguration(enrolled: enrollment.label)
      if let key { configuration.approvalKeyLabel = key }
      let client = EnrollmentClient(configuration)
      if key != nil {
        try report.loggedIn(try await report.follow(client.logInByKey()), by: "key")
      } else if let user {
        let password = try SecretArgument.read(password, option: "--password", prompt: "Password of \(user): ")
        let outcome = try await report.follow(
          client.logIn(user: user, password: password, deviceName: "device"))
        try report.loggedIn(outcome, by: "password")
      } else {
        try report.loggedIn(try await report.follow(client.logInByCertificate()), by: "certificate")
      }
    }
  }
}
