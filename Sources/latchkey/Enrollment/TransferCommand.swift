import ArgumentParser
import LatchkeyCommandLine
import LatchkeyEnrollment
import LatchkeyEnrollmentProtocol

/// `latchkey transfer`: moves money, once.
struct TransferCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "transfer",
    abstract: "Transfer money from one account to another.",
    discussion: """
      The request is signed by the identity key; a large amount asks for the approval key, and so for you. If no answer comes, \
      the command ends with 75, or with 69 where the server cannot be reached, and keeps the transfer: the same command again \
      finds out what became of it, and never books it twice. --pending lists such transfers. Each run that ends well is a \
      transfer of its own: of two at once with the same fields, one waits for the other's end, and both are booked. A \
      transfer that wants an approval and does not get it, because no user can be asked or the key is another one, is not \
      booked, and not saved.

      At a terminal the command lists the accounts, asks for what is left out, and shows the new balances; lines that were \
      typed ahead answer in the questions' order. Elsewhere, and with --json, all must be given. --date is recorded with \
      the transfer as its value date and signed with the rest; the transfer is booked at once, whatever the date. The \
      server says how far ahead it may lie; today's is the earliest, with --documented, too, unless the service is not \
      Latchkey's.

      \(LegacyEnrollmentOptions.help)

      With --json: started (operation), transferred (transfer, from, to, amount, currency, balance, booked, date, \
      idempotencyKey, isReplayed, isApproved), pending (from, to, amount, currency, notes, date, idempotencyKey), done or error.
      """,
    examples: [
      "latchkey transfer --from 123123456456 --to 654654123123 --amount 12.50 --currency EUR",
      "latchkey transfer --pending",
    ],
    statuses: .enrollment + [.itemNotFound])

  @Option(help: ArgumentHelp("The account that gives.", valueName: "number")) var from: String?
  @Option(help: ArgumentHelp("The account that gets.", valueName: "number")) var to: String?
  // A minus at the front of a value is wrong, or a remark's own, and no option.
  @Option(parsing: .unconditional, help: ArgumentHelp("How much, with two decimals: 23.23.", valueName: "amount"))
  var amount: String?
  @Option(help: ArgumentHelp("The currency of both accounts: EUR.", valueName: "code")) var currency: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The transfer date, in UTC: 2026-11-30 or 2026-11-30T14:00:00Z.", valueName: "date"))
  var date: String?
  @Option(parsing: .unconditional, help: ArgumentHelp("A remark.", valueName: "text")) var notes: String?
  @Flag(help: "List the transfers whose end is not known, and transfer nothing.") var pending = false
  @OptionGroup var legacy: LegacyEnrollmentOptions
  @OptionGroup var enrollment: EnrollmentOptions

  /// Whether nothing is left to ask for.
  private var isComplete: Bool {
    from != nil && to != nil && amount != nil && (currency != nil || legacy.isLegacy)
  }

  func validate() throws {
    if pending {
      guard from == nil, to == nil, amount == nil, currency == nil, date == nil, notes == nil else {
        throw ValidationError("--pending lists, and transfers nothing: give it without a transfer")
      }
      guard !legacy.isLegacy else {
        throw ValidationError("transfers of the old protocol are not saved: leave --pending or --documented out")
      }
      return
    }
    guard isComplete || (TerminalQuestion.isPossible && !enrollment.output.json) else {
      throw ValidationError("give --from, --to, --amount and --currency, or --pending")
    }
    guard amount.map({ Amount($0) != nil }) ?? true else {
      throw ValidationError("--amount has two decimals: 23.23, 5.00")
    }
    guard date.map({ TransferDate($0) != nil }) ?? true else {
      throw ValidationError("--date is \(TransferDate.form)")
    }
  }

  func run() async throws {
    try await enrollment.run {
      var form = TransferForm(
        from: from, to: to, amount: amount.flatMap { Amount($0) }, date: date.flatMap { TransferDate($0) }, notes: notes
      )
      if let old = try legacy.configuration(enrolled: enrollment.label) {
        return try await LegacyEnrollmentCommands(enrollment.output, old, legacy, label: enrollment.label).transfer(
          form, isComplete: isComplete)
      }
      let client = try enrollment.client()
      guard !pending else { return try await list(client) }
      let report = EnrollmentReport(enrollment.output)
      var currency = currency
      if !isComplete {
        let accounts = try await report.follow(client.accounts())
        try form.complete(
          from: accounts.map { .init(number: $0.number, name: $0.name, balance: "\($0.balance) \($0.currency)") },
          isNumber: { $0.utf8.count == 12 && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
        currency = currency ?? accounts.first { $0.number == form.from }?.currency
      }
      guard let from = form.from, let to = form.to, let amount = form.amount, let currency else {
        throw CommandFailure(.usage, "--from is none of your accounts: give --currency, too")
      }
      let transfer = Transfer(
        from: from, to: to, amount: amount, currency: currency, notes: form.notes ?? "", date: form.date?.seconds)
      let outcome = try await enrollment.inTurn(transfer) {
        try await made(transfer, by: client, report)
      }
      report.transferred(outcome)
      if !isComplete {
        await report.balances { report.accounts(try await report.follow(client.accounts())) }
      }
    }
  }

  private func made(
    _ transfer: Transfer, by client: EnrollmentClient, _ report: EnrollmentReport
  ) async throws -> TransferOutcome {
    do {
      return try await report.follow(client.transfer(transfer))
    } catch EnrollmentError.unreachable(let detail) {
      guard try await client.pendingTransfers().contains(where: { $0.transfer == transfer }) else {
        throw EnrollmentError.unreachable(detail)
      }
      throw EnrollmentError.unreachable("\(detail); the transfer is saved, and the same command continues it")
    } catch EnrollmentError.problem(let problem) where problem.code == .notPermitted {
      throw try await CommandFailure(problem, noApprovalKeyOf: client) ?? CommandFailure(.problem(problem))
    }
  }

  private func list(_ client: EnrollmentClient) async throws {
    for intent in try await client.pendingTransfers() {
      let transfer = intent.transfer
      let date = transfer.date.map { ", dated \(TransferDate(seconds: $0).text)" } ?? ""
      enrollment.output.emit(
        "\(transfer.amount) \(transfer.currency) from \(transfer.from) to \(transfer.to)\(date): the end is not known",
        "pending",
        [
          "from": .text(transfer.from), "to": .text(transfer.to), "amount": .text("\(transfer.amount)"),
          "currency": .text(transfer.currency), "notes": .text(transfer.notes),
          "date": EnrollmentReport.date(transfer.date), "idempotencyKey": .text(intent.idempotencyKey),
        ])
    }
  }
}
