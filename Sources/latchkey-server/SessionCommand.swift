import ArgumentParser
import LatchkeyCommandLine
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentServer
import LatchkeyEnrollmentStore

/// `latchkey-server session`: who is logged in.
struct SessionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "session", abstract: "List sessions, and end them.", examples: ["latchkey-server session list"],
    statuses: .storeRecord, subcommands: [List.self, End.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List the sessions that have not ended.",
      discussion:
        "A session is known by its token's SHA-256; the token is not stored. With --json: session (session, user, device, expires), done or error.",
      examples: ["latchkey-server session list --user alice"], statuses: .storeRecord)

    @Option(help: ArgumentHelp("Sessions of this user alone.", valueName: "name")) var user: String?
    @OptionGroup var options: OperatorOptions

    func run() async throws {
      try await options.list(["SESSION", "USER", "DEVICE", "UNTIL"], "session") {
        try await $0.sessions(of: user, limit: 1000, cursor: $1)
      } row: {
        [Self.name($0), $0.user.text, $0.device?.description ?? "-", Moment.text($0.expires)]
      } fields: {
        [
          ("session", .text(Self.name($0))), ("user", .text($0.user.text)),
          ("device", $0.device.map { .text($0.description) } ?? .null), ("expires", .text(Moment.text($0.expires))),
        ]
      }
    }

    private static func name(_ record: TokenRecord) -> String { Moment.hexadecimal(record.hash) }
  }

  struct End: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "end", abstract: "End one session, or all of a user.",
      discussion:
        "The user may log in again: latchkey-server user disable prevents that. With --json: ended (session or user), done or error.",
      examples: ["latchkey-server session end --user alice"], statuses: .storeRecord)

    @Argument(help: "The session, as session list shows it.") var session: String?
    @Option(help: ArgumentHelp("All sessions of this user.", valueName: "name")) var user: String?
    @OptionGroup var options: OperatorOptions

    func validate() throws {
      guard (session == nil) != (user == nil) else { throw ValidationError("give a session, or --user") }
    }

    func run() async throws {
      if let user {
        try await options.doing("Ended the sessions of \(user)", "ended", [("user", .text(user))]) {
          try await $0.endSessions(of: user)
        }
      } else if let session {
        try await options.doing("Ended \(session)", "ended", [("session", .text(session))]) {
          try await $0.endSession(session)
        }
      }
    }
  }
}
