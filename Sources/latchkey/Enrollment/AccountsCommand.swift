import ArgumentParser
import LatchkeyCommandLine
import LatchkeyEnrollment

/// `latchkey accounts`: the user's accounts.
struct AccountsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "accounts",
    abstract: "List the accounts of this device's user.",
    discussion: """
      Over the certificate; the answer counts only with the signature of the server's key, which was pinned at enrollment.

      \(LegacyEnrollmentOptions.help)

      With --json: started (operation), account (number, name, currency, balance), done or error.
      """,
    examples: ["latchkey accounts", "latchkey accounts --json"],
    statuses: .enrollment)

  @OptionGroup var legacy: LegacyEnrollmentOptions
  @OptionGroup var enrollment: EnrollmentOptions

  func run() async throws {
    try await enrollment.run {
      let report = EnrollmentReport(enrollment.output)
      if let old = try legacy.configuration(enrolled: enrollment.label) {
        return try await LegacyEnrollmentCommands(enrollment.output, old, legacy, label: enrollment.label).accounts()
      }
      report.accounts(try await report.follow(enrollment.client().accounts()))
    }
  }
}
