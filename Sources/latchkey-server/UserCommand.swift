import ArgumentParser
import LatchkeyCommandLine
import LatchkeyEnrollmentServer
import LatchkeyEnrollmentStore

/// `latchkey-server user`: who may log in.
struct UserCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "user", abstract: "Add, list, disable and unlock users, and change their passwords.",
    examples: ["latchkey-server user add alice --password @password.txt"],
    statuses: .storeRecord,
    subcommands: [Add.self, List.self, Password.self, Disable.self, Enable.self, Unlock.self])

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add", abstract: "Add a user who logs in with a password.",
      discussion: "Makes the store where there is none. With --json: added (user), done or error.",
      examples: ["latchkey-server user add alice", "latchkey-server user add alice --password @password.txt"],
      statuses: .store)

    @OptionGroup var user: UserArguments
    @OptionGroup var store: StoreOptions
    @OptionGroup var output: EventOptions

    func run() async throws {
      try await output.operating {
        let secret = try user.secret("Password")
        try await store.using(isMade: true) { try await user.passwordOperator($0).addUser(user.name, password: secret) }
        output.emit("Added \(user.name)", "added", ["user": .text(user.name)])
      }
    }
  }

  struct Password: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "password", abstract: "Give a user another password, and end a lock.",
      discussion:
        "From where the user logged in is forgotten. Devices stay: device list shows them, device revoke ends one. With --json: changed (user), done or error.",
      examples: ["latchkey-server user password alice"],
      statuses: .storeRecord)

    @OptionGroup var user: UserArguments
    @Flag(help: "End the user's sessions, too: where the password was known to another.")
    var endSessions = false
    @OptionGroup var store: StoreOptions
    @OptionGroup var output: EventOptions

    func run() async throws {
      try await output.operating {
        let secret = try user.secret("New password")
        try await store.using {
          try await user.passwordOperator($0).setPassword(secret, of: user.name, endsSessions: endSessions)
        }
        output.emit("Changed the password of \(user.name)", "changed", ["user": .text(user.name)])
      }
    }
  }

  struct Unlock: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "unlock", abstract: "End a user's lock.",
      discussion: """
        A user is locked when a hundred wrong passwords came within a day from places that never logged the user in; devices \
        and addresses that did (the last 32 of half a year) are let in meanwhile, by every server of the store. The lock ends by itself, too, one try each quarter of an hour. A place \
        that guessed wrong waits a minute for each further try, whatever is done here. With --json: unlocked (user), done or \
        error.
        """,
      examples: ["latchkey-server user unlock alice"],
      statuses: .storeRecord)

    @Argument(help: "The user's name.") var name: String
    @OptionGroup var store: StoreOptions
    @OptionGroup var output: EventOptions

    func run() async throws {
      try await output.operating {
        try await store.using { try await Operator($0).unlock(name) }
        output.emit("Unlocked \(name)", "unlocked", ["user": .text(name)])
      }
    }
  }
}

/// A user and the password that is to be theirs.
struct UserArguments: ParsableArguments {
  @Argument(help: "The user's name.") var name: String
  @Option(help: ArgumentHelp("The password: @FILE or -; asked for if left out.", valueName: "password"))
  var password: String?
  @Option(
    help: ArgumentHelp("scrypt's log2 N for the password, 14 to 18, as of latchkey-server serve.", valueName: "number"))
  var passwordCost = PasswordCost.standard

  /// The operator who hashes it.
  func passwordOperator(_ store: any EnrollmentStore) -> Operator {
    Operator(store, passwordCost: passwordCost.logarithm)
  }

  /// The password, asked for as `what` where the command line does not say where it stands.
  func secret(_ what: String) throws(CommandFailure) -> String {
    try SecretArgument.read(password, option: "--password", prompt: "\(what) of \(name): ")
  }
}
