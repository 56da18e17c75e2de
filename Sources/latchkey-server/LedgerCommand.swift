import ArgumentParser
import EnrollmentProtocol
import EnrollmentServer

/// `latchkey-server ledger`: the money.
struct LedgerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ledger", abstract: "Verify the ledger.", subcommands: [Verify.self])

  struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "verify", abstract: "Hold every balance against its entries, and the sum of all against zero.",
      discussion: """
        Ends with 1 if they differ. With --json: sum (currency, amount), account (number) for each that is out of balance, done or \
        error.
        """)

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: EventOptions

    func run() async throws {
      try await output.operating {
        try await store.using { store in
          let report = try await Operator(store).verifyLedger()
          for (currency, sum) in report.sums.sorted(by: { $0.key < $1.key }) {
            let amount = Amount(minorUnits: sum)
            output.tell(
              "\(currency)  \(sum == 0 ? "adds up" : "is off by \(amount)")", "sum",
              ["currency": .text(currency), "amount": .text("\(amount)")])
          }
          for number in report.outOfBalance {
            output.tell("\(number)  is not the sum of its entries", "account", ["number": .text(number)])
          }
          if !report.isWhole { throw ExitCode(1) }
        }
      }
    }
  }
}
