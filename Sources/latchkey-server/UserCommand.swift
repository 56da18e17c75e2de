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

    @Argument(help: "The user's name.") var name: String
    @Option(help: ArgumentHelp("The password: @FILE or -; asked for if left out.", valueName: "password"))
    var password: String?
    @OptionGroup var store: StoreOptions
    @OptionGroup var output: EventOptions

    func run() async throws {
      try await output.operating {
        let secret = try SecretArgument.read(password, option: "--password", prompt: "Password of \(name): ")
        try await store.using { try await Operator($0).addUser(name, password: secret) }
        output.tell("Added \(name)", "added", ["user": .text(name)])
      }
    }
  }

  struct Password: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "password", abstract: "Give a user another password, and end a lock.",
      discussion: "Sessions go on until they end. With --json: changed (user), done or error.")

    @Argument(help: "The user's name.") var name: String
    @Option(help: ArgumentHelp("The password: @FILE or -; asked for if left out.", valueName: "password"))
    var password: String?
    @OptionGroup var store: StoreOptions
    @OptionGroup var output: EventOptions

    func run() async throws {
      try await output.operating {
        let secret = try SecretArgument.read(password, option: "--password", prompt: "New password of \(name): ")
        try await store.using { try await Operator($0).setPassword(secret, of: name) }
        output.tell("Changed the password of \(name)", "changed", ["user": .text(name)])
      }
    }
  }
}
