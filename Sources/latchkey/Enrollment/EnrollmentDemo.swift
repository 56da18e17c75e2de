import Foundation
import LatchkeyCommandLine
import LatchkeyEnrollment
import LatchkeyEnrollmentProtocol
import LatchkeyKeychainModel
import LatchkeyKeychainStore
import Security

/// The demonstration's second half: the device that has just joined the network enrolls with a server, keeps its identity,
/// fetches its accounts, and makes two transfers, of which the larger needs its user. Each step says what protected it.
struct EnrollmentDemo: Sendable {
  let name: String
  let chapters: DemoChapters
  let output: EventOptions

  /// Runs it to its end, with a server and a keychain of its own, both of which are deleted.
  func run() async throws {
    guard let program = ServerProcess.program else {
      chapters.begin("The server's part needs latchkey-server: swift build --product latchkey-server", "noServer")
      return
    }
    let folder = try TemporaryFolder()
    folder.removeAtExit()
    defer { folder.remove() }
    let server = try ServerProcess(program, folder: folder.path + "/server")
    let result: Result<Void, any Error>
    do {
      try await EnrollmentOptions.failing {
        let keychain = try keychain(in: folder.path)
        defer { keychain.close() }
        let session = KeychainSession(store: keychain, entitlements: .none)
        try await KeychainSession.$replacement.withValue(session) { try await enroll(try await server.listening()) }
      }
      result = .success(())
    } catch {
      result = .failure(error)
    }
    await server.stop()
    // The keychain's folder is removed with its files alone.
    try? FileManager.default.removeItem(atPath: folder.path + "/server")
    try result.get()
    chapters.begin("The server has ended; the keychain and all that was in it are gone.", "ended")
  }

  /// A keychain with a passcode, which the demonstration types in its user's place, and says so.
  private func keychain(in folder: String) throws -> KeychainDatabase {
    let passcode = (0..<10).map { _ in String(Int.random(in: 0...9)) }.joined()
    var configuration = KeychainDatabase.Configuration(path: folder + "/keychain.db")
    configuration.engines = .software
    configuration.presence = PresenceConfiguration(
      prompter: ClosurePrompter { [chapters] question, _ in
        chapters.add("asked: \(question.reason); the demo types the passcode")
        return Array(passcode.utf8)
      })
    let keychain = try KeychainDatabase(configuration)
    try keychain.setPasscode(Array(passcode.utf8), current: nil)
    return keychain
  }

  private func enroll(_ place: (url: String, ca: String, user: String, passwordFile: String)) async throws {
    chapters.begin("A server starts, a process of its own: \(place.url)", "serving", ["url": .text(place.url)])
    protection("its certificate; the authority was made just now, and the device believes no other")
    let password = try SecretArgument.read("@\(place.passwordFile)", option: "--password", prompt: "")
    var configuration = EnrollmentConfiguration(
      server: try ServerAddress(place.url), trustRoots: try CertificateFile.read(place.ca), label: "demo")
    configuration.credentials = CredentialStorage()
    let client = EnrollmentClient(configuration)
    let report = EnrollmentReport(output)

    chapters.begin("The device logs \(place.user) in by password, and enrolls.")
    let login = try await client.logIn(user: place.user, password: password, deviceName: name).value
    if output.json { report.enrolled(login.identity, configuration, isNew: true) }
    chapters.add("device \(login.identity.device), certificate until \(EnrollmentReport.time(login.identity.notAfter))")
    protection(
      "the password by TLS, on the server by scrypt; the private key never left the enclave: a signing request did")
    chapters.begin("It keeps its identity: key, certificate and the server's key are in the keychain.")
    protection("each item by a key of its own; the identity goes to \(place.url) and nowhere else")

    chapters.begin("It makes a second key, which approves, and says where that lives.")
    let status = try await client.registerApprovalKey().value
    if output.json { report.approvalKey(configuration.approvalKeyLabel, status) }
    let evidence = status.approvalKeyEvidence ?? "nothing"
    // A software key has no other evidence.
    let proof = evidence == "latchkey-software" ? "only its own statement (software)" : "the \(evidence)'s statement"
    protection("each use asks the user; where it lives has \(proof)")

    chapters.begin("It fetches the accounts.")
    let accounts = try await client.accounts().value
    if output.json { report.accounts(accounts) }
    for account in accounts {
      chapters.add("\(account.number)  \(account.balance) \(account.currency)  \(account.name)")
    }
    protection("mutual TLS; the answer signed by the server's key, for this request alone (RFC 9421)")
    guard accounts.count >= 2 else { return }

    try await transfer("25.00", from: accounts[0], to: accounts[1], client, report)
    protection("the request signed by the identity key; its Idempotency-Key: sent twice, it is booked once")
    try await transfer("1000.00", from: accounts[1], to: accounts[0], client, report)
    protection(
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

  private func protection(_ text: String) { chapters.add("protected by: \(text)") }
}
