import ArgumentParser
import Enrollment
import EnrollmentProtocol

/// `latchkey transfer`: moves money, once.
struct TransferCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "transfer",
    abstract: "Transfer money from one account to another.",
    discussion: """
      The request is signed by the identity key; a large amount asks for the approval key, and so for you. If no answer comes, \
      the command ends with 75, or with 69 where the server cannot be reached, and keeps the transfer: the same command again \
      finds out what became of it, and never books it twice. --pending lists such transfers.

      \(DocumentedOptions.help)

      With --json: started (operation), transferred (transfer, from, to, amount, currency, balance, booked, idempotencyKey, \
      isReplayed, isApproved), pending (from, to, amount, currency, notes, idempotencyKey), done or error.
      """)

  @Option(help: ArgumentHelp("The account that gives.", valueName: "number")) var from: String?
  @Option(help: ArgumentHelp("The account that gets.", valueName: "number")) var to: String?
  @Option(help: ArgumentHelp("How much, with two decimals: 23.23.", valueName: "amount")) var amount: String?
  @Option(help: ArgumentHelp("The currency of both accounts: EUR.", valueName: "code")) var currency: String?
  @Option(help: ArgumentHelp("A remark.", valueName: "text")) var notes = ""
  @Flag(help: "List the transfers whose end is not known, and transfer nothing.") var pending = false
  @OptionGroup var documented: DocumentedOptions
  @OptionGroup var enrollment: EnrollmentOptions

  func validate() throws {
    if pending { return }
    guard from != nil, to != nil, amount != nil, currency != nil || documented.isDocumented else {
      throw ValidationError("give --from, --to, --amount and --currency, or --pending")
    }
    guard let amount, Amount(amount) != nil else {
      throw ValidationError("--amount has two decimals: 23.23, 5.00")
    }
  }

  func run() async throws {
    try await enrollment.run {
      let output = enrollment.output
      if let old = try documented.configuration(enrolled: enrollment.label) {
        return try await DocumentedStory(output, old, documented, label: enrollment.label).transfer(
          from: from ?? "", to: to ?? "", amount: amount ?? "", notes: notes)
      }
      let client = try enrollment.client()
      guard !pending else { return try await list(client) }
      guard let from, let to, let amount = amount.flatMap(Amount.init), let currency else {
        throw CommandFailure(.usage, "give --from, --to, --amount and --currency")
      }
      let transfer = Transfer(from: from, to: to, amount: amount, currency: currency, notes: notes)
      let report = EnrollmentReport(output)
      report.transferred(try await report.follow(client.transfer(transfer)))
    }
  }

  private func list(_ client: EnrollmentClient) async throws {
    for intent in try await client.pendingTransfers() {
      let transfer = intent.transfer
      enrollment.output.tell(
        "\(transfer.amount) \(transfer.currency) from \(transfer.from) to \(transfer.to): the end is not known",
        "pending",
        [
          "from": .text(transfer.from), "to": .text(transfer.to), "amount": .text("\(transfer.amount)"),
          "currency": .text(transfer.currency), "notes": .text(transfer.notes),
          "idempotencyKey": .text(intent.idempotencyKey),
        ])
    }
  }
}
