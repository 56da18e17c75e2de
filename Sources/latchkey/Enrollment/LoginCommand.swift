import ArgumentParser
import LatchkeyCommandLine
import LatchkeyEnrollment
import LatchkeyEnrollmentProtocol

/// `latchkey login`: a session, by password, by key or by certificate.
struct LoginCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "login",
    abstract: "Log in, and list the accounts.",
    discussion: """
      With --key no password goes anywhere: the server's challenge is signed by the approval key, which asks for you: the one \
      that `latchkey enroll` made or registered, or that `latchkey device register-key` registered since. With --user the password is asked for. Without either the certificate alone is shown.

      \(LegacyEnrollmentOptions.help)

      With --json: started (operation), loggedIn (user, device, method), account (number, name, currency, balance), done or \
      error.
      """,
    examples: ["latchkey login", "latchkey login --user alice --password @password.txt"],
    statuses: .enrollment + [.itemNotFound])

  @Option(
    help: ArgumentHelp("Log in by the approval key: its label, as `latchkey enroll` printed it.", valueName: "label"))
  var key: String?
  @Option(help: ArgumentHelp("Log in by password: the user's name.", valueName: "name")) var user: String?
  @Option(help: ArgumentHelp("The user's password: @FILE or -; asked for if left out.", valueName: "password"))
  var password: String?
  @OptionGroup var legacy: LegacyEnrollmentOptions
  @OptionGroup var enrollment: EnrollmentOptions

  func validate() throws {
    guard key == nil || user == nil else { throw ValidationError("give --key or --user") }
    guard password == nil || user != nil else { throw ValidationError("--password goes with --user") }
    guard key == nil || !legacy.isLegacy else {
      throw ValidationError("the old service knows no approval keys: leave --key out")
    }
  }

  func run() async throws {
    // A password registers a device that the server has ended.
    try await enrollment.run(changingDevice: user != nil) {
      let report = EnrollmentReport(enrollment.output)
      if let old = try legacy.configuration(enrolled: enrollment.label) {
        return try await LegacyEnrollmentCommands(enrollment.output, old, legacy, label: enrollment.label).logIn(
          user: user, password: password)
      }
      var configuration = try EnrollmentConfiguration(enrolled: enrollment.label)
      if let key { configuration.approvalKeyLabel = key }
      let client = EnrollmentClient(configuration)
      if key != nil {
        try await logIn(by: client, report)
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

  /// The server says only that it accepts no login by this key; the advice depends on what is registered here.
  private func logIn(by client: EnrollmentClient, _ report: EnrollmentReport) async throws {
    do {
      try report.loggedIn(try await report.follow(client.logInByKey()), by: "key")
    } catch EnrollmentError.problem(let problem) where problem.code == .notAuthenticated {
      let (label, option) = (client.configuration.approvalKeyLabel, client.configuration.labelOption)
      let isRegistered = try await client.identity()?.hasApprovalKey == true
      let failure = CommandFailure(.problem(problem))
      throw CommandFailure(
        failure.status, code: failure.code,
        failure.message
          + (isRegistered
            ? "; if the key was made anew since this device registered it, `latchkey revoke\(option)` ends the device, and "
              + "`latchkey enroll\(option)` begins anew"
            : "; this device has registered no approval key: `latchkey device register-key "
              + "\(EnrollmentConfiguration.word(label))\(option)` registers this one"))
    }
  }
}
