import ArgumentParser
import LatchkeyCommandLine
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentServer
import LatchkeyLedger

/// `latchkey-server account`: accounts of users.
struct AccountCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "account", abstract: "Open accounts.",
    examples: ["latchkey-server account open alice Savings EUR 1000.00"],
    statuses: .storeRecord,
    subcommands: [Open.self])

  struct Open: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "open", abstract: "Open an account, and pay in.",
      discussion:
        "The amount comes from the account of the service itself. With --json: opened (account, user), done or error.",
      examples: ["latchkey-server account open alice Savings EUR 1000.00"],
      statuses: .storeRecord)

    @Argument(help: "The user's name.") var user: String
    @Argument(help: "What the account is called.") var name: String
    @Argument(help: "The currency: EUR.") var currency: String
    @Argument(help: "The amount to pay in, with two decimals: 1000.00.") var amount: String
    @Option(help: ArgumentHelp("12 digits; else any that are free.", valueName: "number")) var number: String?
    @OptionGroup var store: StoreOptions
    @OptionGroup var output: EventOptions

    func run() async throws {
      try await output.operating {
        guard let paid = Amount(amount) else {
          throw CommandFailure(.usage, "an amount has two decimals and no sign: 1000.00")
        }
        try await store.using { store in
          // An account can be opened before the server runs for the first time.
          try await LedgerService().makeTables(in: store)
          let opened = try await Operator(store)
            .openAccount(of: user, number: number, name: name, currency: currency, amount: paid)
          output.emit("Opened \(opened) of \(user)", "opened", ["account": .text(opened), "user": .text(user)])
        }
      }
    }
  }
}
