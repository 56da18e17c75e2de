import Foundation
import LatchkeyCommandLine
import LatchkeyEnrollment
import LatchkeyEnrollmentProtocol
import LatchkeySealedMessages
import LatchkeySystem

/// The commands of enrollment, at an old service.
struct LegacyEnrollmentCommands {
  private let output: EventOptions
  private let record: LegacyEnrollmentRecord
  private let options: LegacyEnrollmentOptions
  private let label: String
  private let client: LegacyEnrollmentClient

  init(_ output: EventOptions, _ record: LegacyEnrollmentRecord, _ options: LegacyEnrollmentOptions, label: String) {
    self.output = output
    self.record = record
    self.options = options
    self.label = label
    client = LegacyEnrollmentClient(record.configuration, token: record.token)
  }

  /// Logs in, registers the device, and lists the accounts.
  func enroll(user: String, password: String) async throws {
    let pin = try options.readPIN()
    let login = try await follow(client.logIn(user: user, password: password, registering: pin))
    try keep(login.token)
    output.emit(
      "Enrolled at \(record.configuration.server) for \(PrintableText.escaped(user)), by the old protocol", "enrolled",
      [
        "server": .text("\(record.configuration.server)"), "user": .text(user), "label": .text(label),
        "isLegacy": true,
      ])
    try await accounts()
  }

  /// Logs in, by password or over the certificate with the PIN, and lists the accounts.
  func logIn(user: String?, password: String?) async throws {
    let login: LegacyEnrollmentLogin
    if let user {
      let password = try SecretArgument.read(password, option: "--password", prompt: "Password of \(user): ")
      login = try await follow(client.logIn(user: user, password: password))
    } else {
      login = try await follow(client.logInByCertificate(pin: try options.readPIN()))
    }
    try keep(login.token)
    let method = user == nil ? "certificate" : "password"
    output.emit("Logged in, by \(method)", "loggedIn", ["method": .text(method), "isLegacy": true])
    try await accounts()
  }

  /// Lists the accounts.
  func accounts() async throws {
    for account in try await follow(client.accounts()) {
      output.emit(
        "\(PrintableText.escaped(account.number))  \(PrintableText.escaped(account.balance))  \(PrintableText.escaped(account.name))",
        "account",
        ["number": .text(account.number), "name": .text(account.name), "balance": .text(account.balance)])
    }
  }

  /// Transfers money; asks for what the form lacks, and shows the new balances then.
  func transfer(_ given: TransferForm, isComplete: Bool) async throws {
    var form = given
    if !isComplete {
      try form.complete(
        from: try await follow(client.accounts()).map { .init(number: $0.number, name: $0.name, balance: $0.balance) },
        isNumber: { !$0.isEmpty })
    }
    guard let from = form.from, let to = form.to, let amount = form.amount, let value = Double("\(amount)") else {
      throw CommandFailure(.usage, "give --from, --to and --amount")
    }
    try await follow(client.transfer(to: to, from: from, amount: value, date: form.date?.date, notes: form.notes ?? ""))
    let dated = form.date.map { ", dated \($0.text)" } ?? ""
    output.emit(
      "Transferred \(amount) from \(from) to \(to)\(dated), by the old protocol", "transferred",
      [
        "from": .text(from), "to": .text(to), "amount": .text("\(amount)"),
        "date": EnrollmentReport.date(form.date?.seconds), "isLegacy": true,
      ])
    if !isComplete { await EnrollmentReport(output).balances(accounts) }
  }

  private func follow<Success>(_ operation: EnrollmentOperation<Success>) async throws -> Success {
    try await EnrollmentReport(output).follow(operation)
  }

  private func keep(_ token: String) throws {
    var record = record
    record.token = token
    try record.save(label: label)
  }
}
