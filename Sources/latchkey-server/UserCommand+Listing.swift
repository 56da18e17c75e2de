import ArgumentParser
import Foundation
import LatchkeyCommandLine
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentServer
import LatchkeyEnrollmentStore

// What an operator sees of users, and who is let in.

extension UserCommand {
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List users, by name.",
      discussion: "With --json: user (user, state, failures, lockedUntil, disabled), done or error.",
      examples: ["latchkey-server user list --only locked", "latchkey-server user list --prefix plant-7/"],
      statuses: .storeRecord)

    @Option(help: ArgumentHelp("Names that begin so.", valueName: "text")) var prefix = ""
    @Option(help: ArgumentHelp("Users who are active, disabled or locked.", valueName: "state")) var only: State?
    @OptionGroup var options: OperatorOptions

    func run() async throws {
      let filter = UserFilter(prefix: prefix, state: only?.state)
      let now = Int64(Date().timeIntervalSince1970)
      try await options.list(["USER", "STATE", "FAILURES", "UNTIL"], "user") {
        try await $0.users(filter, limit: 1000, cursor: $1)
      } row: { user in
        let state = UserFilter.State(of: user, now: now)
        let until = state == .locked ? user.lockedUntil.map(Moment.text) : nil
        return [user.name.text, state.rawValue, "\(user.failures)", until ?? "-"]
      } fields: { user in
        [
          ("user", .text(user.name.text)), ("state", .text(UserFilter.State(of: user, now: now).rawValue)),
          ("failures", .integer(user.failures)),
          ("lockedUntil", Moment.value(user.lockedUntil.flatMap { $0 > now ? $0 : nil })),
          ("disabled", Moment.value(user.disabled)),
        ]
      }
    }

    /// A state on the command line.
    enum State: String, ExpressibleByArgument, CaseIterable {
      case active, disabled, locked

      var state: UserFilter.State {
        switch self {
        case .active: .active
        case .disabled: .disabled
        case .locked: .locked
        }
      }
    }
  }

  struct Disable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "disable", abstract: "Refuse a user's logins and devices, and end the sessions.",
      discussion: """
        Servers that run on the same store refuse the user's devices within half a second. Nothing is revoked: user enable lets them \
        in again. With --json: disabled (user), done or error.
        """,
      examples: ["latchkey-server user disable alice"], statuses: .storeRecord)

    @Argument(help: "The user's name.") var name: String
    @OptionGroup var options: OperatorOptions

    func run() async throws {
      try await options.doing("Disabled \(name)", "disabled", [("user", .text(name))]) { try await $0.disable(name) }
    }
  }

  struct Enable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "enable", abstract: "Let in a user who was disabled.",
      discussion: "With --json: enabled (user), done or error.",
      examples: ["latchkey-server user enable alice"], statuses: .storeRecord)

    @Argument(help: "The user's name.") var name: String
    @OptionGroup var options: OperatorOptions

    func run() async throws {
      try await options.doing("Enabled \(name)", "enabled", [("user", .text(name))]) { try await $0.enable(name) }
    }
  }
}
