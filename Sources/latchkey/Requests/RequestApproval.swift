import ArgumentParser
import Crypto
import LatchkeyByteCoding
import LatchkeyCommandLine
import LatchkeyEnrollment
import LatchkeyEnrollmentProtocol
import LatchkeySystem

/// What the user approves of a request, in their own words: never what the service says.
struct RequestApproval: ParsableArguments {
  @Option(
    name: .customLong("approve"), parsing: .unconditional,
    help: ArgumentHelp(
      "Approve this if the service asks: the text itself, @FILE to the byte, or @- for standard input.",
      valueName: "text"))
  var content: String?
  @Option(
    name: .customLong("approve-for"), help: ArgumentHelp("The name of the service that asks.", valueName: "service"))
  var service: String?

  var isGiven: Bool { content != nil }

  /// The most bytes of a text that is approved.
  private static let largest = 64 * 1024
  /// How many characters of a text, with its escapes, are shown where the user is asked.
  private static let longestShown = 400

  func validate() throws {
    guard (content == nil) == (service == nil) else {
      throw ValidationError("--approve and --approve-for go together: what is approved, and for which service")
    }
    guard service.map({ ChallengePurpose(rawValue: "service-\($0)") != nil }) ?? true else {
      throw ValidationError("--approve-for is a service's name: 1 to 16 characters a-z and 0-9, the first a letter")
    }
  }

  /// What is approved; nil without the option.
  func stated(verbose: Bool) throws(CommandFailure) -> StatedApproval? {
    guard let content, let service else { return nil }
    let text = try Self.text(content)
    var stated = StatedApproval(
      of: text, for: service, reason: "approve for the service \(service): \(Self.shown(text))")
    if verbose { stated.onAsked = { ResponseReport.show($0) } }
    return stated
  }

  private static func text(_ content: String) throws(CommandFailure) -> String {
    let text = content.first == "@" ? try RequestField.text(of: String(content.dropFirst()), upTo: largest) : content
    guard let text, !text.isEmpty else {
      throw CommandFailure(.badData, "--approve is a text: UTF-8, 1 to \(largest) bytes")
    }
    return text
  }

  /// A text in one line, without a doubt about its characters; of a long one the beginning, and what tells it from others.
  static func shown(_ text: String) -> String {
    let whole = PrintableText.quoted(text)
    guard whole.unicodeScalars.count > longestShown else { return whole }
    let digest = Hexadecimal.encode(SHA256.hash(data: Array(text.utf8)))
    var beginning = text.unicodeScalars.prefix(longestShown / 2)
    while PrintableText.quoted(String(beginning)).unicodeScalars.count > longestShown / 2 { beginning.removeLast() }
    return "\(PrintableText.quoted(String(beginning))) … (\(text.utf8.count) bytes, SHA-256 \(digest))"
  }

  /// What to do about a service that wants an approval, for the user of a command that goes on.
  ///
  /// - Parameter isStated: whether the command line says what is approved.
  /// - Throws: `CommandFailure` if an approval was stated, and did not do.
  static func hint(
    _ answer: ApprovableResponse, isStated: Bool, _ client: EnrollmentClient
  ) async throws -> String? {
    if let failure = failure(answer.outcome) { throw failure }
    guard answer.outcome == .notSent else { return nil }
    guard let refusal = answer.refusal else { return nil }
    if isStated, let failure = try await CommandFailure(refusal, noApprovalKeyOf: client) { throw failure }
    guard refusal.code == .approvalRequired, answer.response.isVerified else { return nil }
    return
      "the service asks for an approval: run the command again with --approve, the text of what is approved as the service defines it, "
      + "and --approve-for, the service's name"
  }

  /// How a command ends whose approval did not do; nil for another outcome.
  static func failure(_ outcome: ApprovableResponse.Outcome) -> CommandFailure? {
    switch outcome {
    case .notSent, .sent: nil
    case .notAccepted:
      CommandFailure(
        .notPermitted, code: "approvalRequired",
        "the service did not accept the approval, and did nothing: is --approve the text that it asks for, to the byte, and --approve-for "
          + "its name? The same command again gets a fresh challenge")
    case .late(let lifetime):
      CommandFailure(
        .tryLater, code: "approvalLate",
        "the approval came too late, and nothing was done: a challenge counts for \(lifetime) s. Run the same command again"
      )
    }
  }
}
