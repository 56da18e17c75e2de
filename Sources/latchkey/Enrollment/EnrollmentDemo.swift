import Foundation
import LatchkeyCommandLine
import LatchkeyEnrollment
import LatchkeyEnrollmentProtocol

/// The demonstration's second half: the device that has joined the network and enrolled registers an approval key, fetches its accounts, and
/// makes two transfers, of which the larger needs its user. Each step says what protected it.
struct EnrollmentDemo: Sendable {
  let service: DemoService
  let chapters: DemoChapters
  let output: EventOptions

  /// Runs it to its end, in the device's keychain.
  func run() async throws { try await service.inKeychain { try await moveMoney() } }

  private func moveMoney() async throws {
    var configuration = try EnrollmentConfiguration(enrolled: DemoService.label)
    configuration.credentials = service.credentials
    let client = EnrollmentClient(configuration)
    let report = EnrollmentReport(output)

    chapters.begin("The device keeps its identity: key, certificate and the server's key are in the keychain.")
    chapters.protection("each item by a key of its own; the identity goes to \(service.place.url) and nowhere else")

    chapters.begin("It makes a second key, which approves, and says where that lives.")
    let status = try await client.registerApprovalKey().value
    if output.json { report.approvalKey(configuration.approvalKeyLabel, status) }
    let evidence = status.approvalKeyEvidence ?? "nothing"
    // A software key has no other evidence.
    let proof = evidence == "latchkey-software" ? "only its own statement (software)" : "the \(evidence)'s statement"
    chapters.protection("each use asks the user; where it lives has \(proof)")

    chapters.begin("It fetches the accounts.")
    let accounts = try await client.accounts().value
    if output.json { report.accounts(accounts) }
    for account in accounts {
      chapters.add("\(account.number)  \(account.balance) \(account.currency)  \(account.name)")
    }
    chapters.protection("mutual TLS; the answer signed by the server's key, for this request alone (RFC 9421)")
    guard accounts.count >= 2 else { return }

    try await transfer("25.00", from: accounts[0], to: accounts[1], client, report)
    chapters.protection("the request signed by the identity key; its Idempotency-Key: sent twice, it is booked once")
    try await transfer("1000.00", from: accounts[1], to: accounts[0], client, report)
    chapters.protection(
      "besides, the approval key's signature over this transfer and the server's challenge, good once for a minute")
    await client.close()
  }

  private func transfer(
    _ amount: String, from: AccountSummary, to: AccountSummary, _ client: EnrollmentClient, _ report: EnrollmentReport
  ) async throws {
    guard let value = Amount(amount) else { return }
    chapters.begin("It transfers \(amount) \(from.currency) from \(from.number) to \(to.number).")
    let outcome = try await client.transfer(
      Transfer(from: from.number, to: to.number, amount: value, currency: from.currency, notes: "demo")
    ).value
    if output.json { report.transferred(outcome) }
    chapters.add(
      "booked\(outcome.isApproved ? ", approved" : ""): \(from.number) has \(outcome.receipt.balance) \(from.currency) now"
    )
  }
}
