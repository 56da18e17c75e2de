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

      \(DocumentedOptions.help)

      With --json: started (operation), account (number, name, currency, balance), done or error.
      """,
    examples: ["latchkey accounts", "latchkey accounts --json"],
    statuses: .enrollment)

  @OptionGroup var documented: DocumentedOptions
  @OptionGroup var enrollment: EnrollmentOptions

  func run() async throws {
    try await enrollment.run {
      let report = EnrollmentReport(enrollment.output)
      if let old = try documented.configuration(enrolled: enrollment.label) {
        return try await DocumentedCommands(enrollment.output, old, documented, label: enrollment.label).accounts()
      }
      report.accounts(try await report.follow(enrollment.client().accounts()))
    }
  }
}
