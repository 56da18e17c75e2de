import ArgumentParser
import EnrollmentServer

/// `latchkey-server user`: who may log in.
struct UserCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "user", abstract: "Add users, and change their passwords.", subcommands: [Add.self, Password.self])

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add", abstract: "Add a user who logs in with a password.",
      discussion: "With --json: added (user), done or error.")

    @OptionGroup var user: UserArguments
    @OptionGroup var store: StoreOptions
    @OptionGroup var output: EventOptions

    func run() async throws {
      try await output.operating {
        let secret = try user.secret("Password")
        try await store.using { try await Operator($0).addUser(user.name, password: secret) }
        output.tell("Added \(user.name)", "added", ["user": .text(user.name)])
      }
    }
  }

  struct Password: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "password", abstract: "Give a user another password, and end a lock.",
      discussion: "Sessions go on until they end. With --json: changed (user), done or error.")

    @OptionGroup var user: UserArguments
    @OptionGroup var store: StoreOptions
    @OptionGroup var output: EventOptions

    func run() async throws {
      try await output.operating {
        let secret = try user.secret("New password")
        try await store.using { try await Operator($0).setPassword(secret, of: user.name) }
        output.tell("Changed the password of \(user.name)", "changed", ["user": .text(user.name)])
      }
    }
  }
}

/// A user and the password that is to be theirs.
struct UserArguments: ParsableArguments {
  @Argument(help: "The user's name.") var name: String
  @Option(help: ArgumentHelp("The password: @FILE or -; asked for if left out.", valueName: "password"))
  var password: String?

  /// The password, asked for as `what` where the command line does not say where it stands.
  func secret(_ what: String) throws(CommandFailure) -> String {
    try SecretArgument.read(password, option: "--password", prompt: "\(what) of \(name): ")
  }
}
