import ArgumentParser
import LatchkeyCommandLine
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentServer
import LatchkeyEnrollmentStore
import LatchkeyLedger

/// `latchkey-server ledger`: the money.
struct LedgerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ledger", abstract: "Verify the ledger.", examples: ["latchkey-server ledger verify"],
    statuses: .store + [.notVerified],
    subcommands: [Verify.self])

  struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "verify",
      abstract: "Verify every balance by its entries, and every transfer by the audit log.",
      discussion: """
        The sum of all balances is zero; each balance is the sum of its entries; each transfer has two that cancel each other, and \
        one audit entry that says the same; and each audit entry of a transfer or an account has its own in the ledger, with the \
        owner that it was opened for. Whether the audit log is whole says `latchkey-server audit verify`.

        Ends with 1 if something differs. With --json: sum (currency, amount), account (number, reason) and transfer (transfer, \
        reason) for each that is wrong, at most 1000; done or error.
        """,
      examples: ["latchkey-server ledger verify --json"],
      statuses: .store + [.notVerified])

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: EventOptions

    func run() async throws {
      try await output.operating {
        try await store.using { store in
          let report = try await Operator(store).verifyLedger()
          for (currency, sum) in report.sums.sorted(by: { $0.key < $1.key }) {
            let amount = Amount(minorUnits: sum)
            output.emit(
              "\(currency)  \(sum == 0 ? "adds up" : "is off by \(amount)")", "sum",
              ["currency": .text(currency), "amount": .text("\(amount)")])
          }
          for fault in report.faults {
            if let number = fault.account {
              output.emit(
                "\(number)  \(fault.reason)", "account", ["number": .text(number), "reason": .text(fault.reason)])
            } else if let transfer = fault.transfer {
              output.emit(
                "\(transfer)  \(fault.reason)", "transfer",
                ["transfer": .text(transfer.description), "reason": .text(fault.reason)])
            }
          }
          if !report.isWhole { throw ExitCode(ExitStatus.notVerified.rawValue) }
        }
      }
    }
  }
}
