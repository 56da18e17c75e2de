import Foundation
import LatchkeyCommandLine
import LatchkeyEnrollment
import LatchkeyEnrollmentProtocol
import LatchkeySystem

/// What the commands of enrollment print.
struct EnrollmentReport {
  private let output: EventOptions

  init(_ output: EventOptions) { self.output = output }

  /// Emits that an operation has started, and waits for its end.
  func follow<Success>(_ operation: EnrollmentOperation<Success>) async throws -> Success {
    output.progress("\(operation.kind.rawValue) …", "started", ["operation": .text(operation.kind.rawValue)])
    return try await operation.value
  }

  /// A device that is enrolled.
  func enrolled(_ identity: EnrolledIdentity, _ configuration: EnrollmentConfiguration, isNew: Bool) {
    let until = Self.time(identity.notAfter)
    output.emit(
      """
      \(isNew ? "Enrolled" : "Already enrolled") at \(configuration.server) for \(PrintableText.escaped(identity.user)): \
      device \(identity.device), certificate until \(until)
      """, "enrolled",
      [
        "server": .text("\(configuration.server)"), "user": .text(identity.user), "device": .text(identity.device),
        "notAfter": .text(until), "isNew": .boolean(isNew), "label": .text(configuration.label),
        "identityKey": .text(configuration.identityKeyLabel),
      ])
  }

  /// A certificate that is renewed.
  func renewed(_ identity: EnrolledIdentity, newKey: Bool) {
    let until = Self.time(identity.notAfter)
    output.emit(
      "Renewed device \(identity.device)\(newKey ? " with a new key" : ""): certificate until \(until)", "renewed",
      ["device": .text(identity.device), "notAfter": .text(until), "newKey": .boolean(newKey)])
  }

  /// A login that succeeded.
  func loggedIn(_ outcome: LoginOutcome, by method: String) throws {
    output.emit(
      "Logged in as \(PrintableText.escaped(outcome.user)), by \(method)", "loggedIn",
      ["user": .text(outcome.user), "device": .text(outcome.identity.device), "method": .text(method)])
    accounts(try outcome.accounts.get())
  }

  /// The approval key's registration.
  func approvalKey(_ label: String, _ status: DeviceStatus) {
    let evidence = status.approvalKeyEvidence ?? "none"
    output.emit(
      "Registered the approval key \"\(label)\" (evidence: \(PrintableText.escaped(evidence)))", "approvalKey",
      ["label": .text(label), "evidence": .text(evidence)])
  }

  /// Accounts, a line each.
  func accounts(_ accounts: [AccountSummary]) {
    for account in accounts {
      let name = PrintableText.escaped(account.name)
      output.emit(
        "\(account.number)  \(account.balance) \(account.currency)  \(name)", "account",
        [
          "number": .text(account.number), "name": .text(account.name), "currency": .text(account.currency),
          "balance": .text("\(account.balance)"),
        ])
    }
  }

  /// A transfer that is booked.
  func transferred(_ outcome: TransferOutcome) {
    let receipt = outcome.receipt
    let approval = outcome.isApproved ? ", approved" : ""
    let dated = receipt.date.map { ", dated \(TransferDate(seconds: $0).text)" } ?? ""
    let earlier = outcome.isReplayed ? "; an earlier try had booked it" : ""
    output.emit(
      """
      Transferred \(receipt.amount) \(receipt.currency) from \(receipt.from) to \(receipt.to)\(dated)\(approval)\(earlier); \
      \(receipt.from) has \(receipt.balance) now
      """, "transferred",
      [
        "transfer": .text(receipt.transfer), "from": .text(receipt.from), "to": .text(receipt.to),
        "amount": .text("\(receipt.amount)"), "currency": .text(receipt.currency),
        "balance": .text("\(receipt.balance)"),
        "booked": .text(Self.time(Date(timeIntervalSince1970: TimeInterval(receipt.booked)))),
        "date": Self.date(receipt.date),
        "idempotencyKey": .text(outcome.idempotencyKey), "isReplayed": .boolean(outcome.isReplayed),
        "isApproved": .boolean(outcome.isApproved),
      ])
  }

  /// Shows the accounts after a transfer. If that fails, the transfer is booked all the same.
  func balances(_ show: () async throws -> Void) async {
    do {
      try await EnrollmentOptions.failing(show)
    } catch {
      let reason = (error as? CommandFailure)?.message ?? "\(error)"
      StandardStreams.reportError("the transfer is booked; the new balances cannot be shown: \(reason)")
    }
  }

  /// A transfer date, RFC 3339; null for none.
  static func date(_ seconds: Int64?) -> JSONLine.Value {
    seconds.map { .text(time(TransferDate(seconds: $0).date)) } ?? .null
  }

  /// RFC 3339, UTC.
  static func time(_ date: Date) -> String { date.formatted(.iso8601) }
}
