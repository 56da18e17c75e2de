import LatchkeyEnrollmentServer
import LatchkeyLedger
import LatchkeyServerTestSupport
import LatchkeyTestSupport
import Foundation
import LatchkeyCertificateAuthority
import LatchkeyEnrollment
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeyKeychainTesting
import LatchkeySealedMessages
import Security
import Testing

@testable import sealed_transfer

/// The document on client certificates and sealed requests (Examples/002-sealed-transfer): its code, line for line, against the old
/// service over mutual TLS.
@Suite("Document 002: a client certificate, and a transfer in an envelope", .timeLimit(.minutes(10)))
struct SealedTransferExampleTests {
  private static let checking = "123123456456"
  private static let savings = "654654123123"

  private static let cannotVerify = UIAlertView(
    title: "Unsecure Connection",
    message: "We're unable to verify account data validity. Please check your network connection and try again.",
    cancelButtonTitle: "OK")
  private static let cannotInterpret = UIAlertView(
    title: "Unsecure Connection",
    message: "We're unable to interpret account data validity. Please check your network connection and try again.",
    cancelButtonTitle: "OK")

  /// A program with a keychain of its own, and a server that has two accounts of its user.
  private func withApp(
    encryptionKey: String = kAESEncryptionKey, macKey: String = kMACKey,
    _ body: @Sendable (App, Heard, RunningServer) async throws -> Void
  ) async throws {
    let keys = try LegacyEnvelopeKeys(encryption: encryptionKey, authentication: macKey)
    try await RunningServer.with({ $0.services = [try LedgerService(legacy: LegacyEnrollmentService(keys: keys))] }) {
      server in
      try await server.store.write { store in
        for (number, user, name): (String, UserName, String) in [
          ("000000000001", "", "House"), (Self.checking, "demo", "Checking"), (Self.savings, "demo", "Savings"),
        ] {
          _ = try store.addAccount(
            AccountRecord(
              number: number, user: user, name: name, currency: "EUR", balance: 0, overdraft: user == "" ? .max : 0))
        }
        for (number, amount) in [(Self.checking, 100_000), (Self.savings, 500_000)] as [(String, Int64)] {
          _ = try store.book(
            Booking(
              id: .random(), from: "000000000001", to: number, amount: amount, currency: "EUR", notes: "", booked: 0,
              device: nil))
        }
      }
      let app = App(host: "localhost", port: server.port, root: server.root)
      let heard = Heard(app.center)
      try await TemporaryKeychain(passcode: "1234").use { try await body(app, heard, server) }
    }
  }

  private func logIn(_ app: App, registerDevice: Bool = true, password: String = RunningServer.password) async throws {
    let operation = NormalLoginOperation(app, registerDevice: registerDevice, passphrase: "4711")
    try operation.start(user: "demo", password: password)
    #expect(await app.untilIdle())
  }

  private func transfer(_ app: App, _ change: (FundsTransferOperation) -> Void = { _ in }) async {
    let operation = FundsTransferOperation(app)
    operation._toAccount = Self.checking
    operation._fromAccount = Self.savings
    operation._amount = 23.23
    operation._transferDate = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down))
    operation._transferNotes = "Book advance to savings."
    change(operation)
    operation.start()
    #expect(await app.untilIdle())
    #expect(!operation.isExecuting)
  }

  private func balance(_ server: RunningServer, _ number: String) async throws -> Int64? {
    try await server.store.read { try $0.account(number)?.balance }
  }

  @Test("login registers, keeps the identity, and fetches the accounts; a transfer moves the money")
  func wholeStory() async throws {
    try await withApp { app, heard, server in
      let shown = Shown(app)
      try await logIn(app)
      #expect(shown.alerts == [])
      #expect(shown.activity == [])
      #expect(app.model.token != nil)
      #expect(app.defaults.bool(forKey: "registeredDevice"))
      #expect(
        heard.all.sorted() == [
          kAccountOperationSuccessful.rawValue, kNormalLoginSuccessNotification.rawValue,
        ])
      #expect(app.model.accounts.map(\.number) == [Self.checking, Self.savings])
      #expect(app.model.accounts.map(\.balance) == ["1000.00", "5000.00"])

      // The identity is in the keychain, for this server and no other.
      let credential = try #require(try app.sharedCredentialStorage.defaultCredential(for: app.certSpace))
      #expect(credential.identity != nil)
      #expect(
        try app.sharedCredentialStorage.defaultCredential(
          for: ProtectionSpace(host: app.host, port: app.port + 1, authenticationMethod: .clientCertificate)) == nil)
      var found: CFTypeRef?
      let query: [CFString: Any] = [kSecClass: kSecClassIdentity, kSecReturnRef: true]
      #expect(SecItemCopyMatching(query as CFDictionary, &found) == errSecSuccess)

      await transfer(app)
      #expect(
        heard.all.suffix(2) == [
          kFundsTransferStartNotification.rawValue, kFundsTransferSuccessNotification.rawValue,
        ])
      #expect(try await balance(server, Self.checking) == 102_323)
      #expect(try await balance(server, Self.savings) == 497_677)
      #expect(shown.activity == [true, false])
    }
  }

  @Test("the token may go into the payload; elsewhere it goes nowhere, and the transfer is refused")
  func signingOptions() async throws {
    try await withApp { app, heard, server in
      try await logIn(app)
      await transfer(app) { $0.signingOption = .payload }
      #expect(try await balance(server, Self.checking) == 102_323)
      for option in [NJRequestSigningOption.none, .querystring] {
        await transfer(app) { $0.signingOption = option }
        #expect(heard.all.last == kFundsTransferFailedNotification.rawValue)
      }
      #expect(try await balance(server, Self.checking) == 102_323)
    }
  }

  @Test("a wrong password registers nothing")
  func wrongPassword() async throws {
    try await withApp { app, heard, _ in
      try await logIn(app, password: "wrong")
      #expect(heard.all == [kNormalLoginFailedNotification.rawValue])
      #expect(app.model.token == nil)
      #expect(!app.defaults.bool(forKey: "registeredDevice"))
      #expect(try app.sharedCredentialStorage.defaultCredential(for: app.certSpace) == nil)
    }
  }

  @Test("a login without registration gets a token, and without a certificate no accounts")
  func withoutCertificate() async throws {
    try await withApp { app, heard, _ in
      let shown = Shown(app)
      try await logIn(app, registerDevice: false)
      #expect(app.model.token != nil)
      #expect(app.model.accounts == [])
      // The document shows the refusal as data that it cannot interpret, and posts nothing of it.
      #expect(heard.all == [kNormalLoginSuccessNotification.rawValue])
      #expect(shown.alerts == [Self.cannotInterpret])
    }
  }

  @Test("accounts whose MAC does not match: an alert with title and text, the error is posted, and no account is shown")
  func macDoesNotMatch() async throws {
    try await withApp(macKey: String(kMACKey.reversed())) { app, heard, server in
      let shown = Shown(app)
      try await logIn(app)
      #expect(shown.alerts == [Self.cannotVerify])
      #expect(heard.all.sorted() == [kAccountOperationError.rawValue, kNormalLoginSuccessNotification.rawValue])
      #expect(app.model.accounts == [])
      // The server, too, believes no message of such a program.
      await transfer(app)
      #expect(heard.all.last == kFundsTransferFailedNotification.rawValue)
      #expect(try await balance(server, Self.checking) == 100_000)
    }
  }

  @Test("accounts under another AES key cannot be interpreted: an alert with title and text, and nothing is posted")
  func cannotBeInterpreted() async throws {
    try await withApp(encryptionKey: String(kAESEncryptionKey.reversed())) { app, heard, _ in
      let shown = Shown(app)
      try await logIn(app)
      #expect(shown.alerts == [Self.cannotInterpret])
      #expect(heard.all == [kNormalLoginSuccessNotification.rawValue])
      #expect(app.model.accounts == [])
    }
  }

  @Test("a server that never answers: each operation ends after its timeout, as failed")
  func timeouts() async throws {
    let server = try SilentServer()
    let root = try CertificateAuthority(
      name: "Test authority", key: FileAuthorityKey(), now: Date(), serial: RunningServer.serial()
    ).chain[0]
    let app = App(host: "127.0.0.1", port: server.port, root: root, operationTimeout: 0.05)
    let (heard, shown) = (Heard(app.center), Shown(app))
    let started = ContinuousClock.now
    try await TemporaryKeychain(passcode: "1234").use {
      try await logIn(app)
      #expect(heard.all == [kNormalLoginFailedNotification.rawValue])
      app.fetchAccounts()
      #expect(await app.untilIdle())
      #expect(heard.all.last == kAccountOperationError.rawValue)
      await transfer(app)
      #expect(heard.all.last == kFundsTransferFailedNotification.rawValue)
      #expect(app.lastFailure == .noAnswer(isSent: false))
      #expect(shown.activity == [true, false])
      #expect(shown.alerts == [])
    }
    // Connections without a timeout take half a minute each.
    #expect(ContinuousClock.now - started < .seconds(80))
    #expect(App(host: "localhost", port: 1, root: []).operationTimeout == 30)
  }

  @Test(
    "a transfer whose answer is held back is told as one that may be booked, one whose handshake is as one that was not sent",
    arguments: [(3, true), (2, false)])
  func heldAnswer(flights: Int, isSent: Bool) async throws {
    try await withApp { app, _, server in
      try await logIn(app)
      let connections = try HeldConnections(before: server.port)
      connections.hold(after: flights)
      let hasty = App(host: "localhost", port: connections.port, root: server.root, operationTimeout: 3)
      hasty.model.token = app.model.token
      let credential = try #require(try app.sharedCredentialStorage.defaultCredential(for: app.certSpace))
      try hasty.sharedCredentialStorage.setDefaultCredential(credential, for: hasty.certSpace)
      let started = ContinuousClock.now
      await transfer(hasty)
      #expect(hasty.lastFailure == .noAnswer(isSent: isSent))
      #expect(hasty.lastFailure?.leavesOpen == isSent)
      // Where the connection's end was waited for, it never came.
      #expect(ContinuousClock.now - started < .seconds(60))
      #expect(try await balance(server, Self.checking) == (isSent ? 102_323 : 100_000))
    }
  }

  @Test("A transfer that was not sent or was refused is not reported as open; one with a fault on the way is")
  func openEnds() {
    for failure in [.noServer("x"), .untrusted, .keychain("x"), .noAnswer(isSent: false)] as [RequestFailure] {
      #expect(!failure.leavesOpen)
    }
    for status in [400, 401, 403, 404, 429] { #expect(!RequestFailure.refused(status: status, "").leavesOpen) }
    for status in [500, 502, 503, 504] { #expect(RequestFailure.refused(status: status, "").leavesOpen) }
    #expect(RequestFailure.broken("x").leavesOpen && RequestFailure.noAnswer(isSent: true).leavesOpen)
  }

  @Test("without any values the transfer is sent with the document's defaults, and refused")
  func defaults() async throws {
    try await withApp { app, heard, server in
      try await logIn(app)
      let now = Date()
      await transfer(app) {
        $0._toAccount = nil
        $0._fromAccount = nil
        $0._amount = nil
        $0._transferDate = nil
        $0._transferNotes = nil
        $0.date = { now }
      }
      #expect(heard.all.last == kFundsTransferFailedNotification.rawValue)
      #expect(try await balance(server, Self.checking) == 100_000)
    }
  }

  @Test("its clock is read twice: across a second, the program's own message is refused")
  func twoClocks() async throws {
    try await withApp { app, heard, server in
      try await logIn(app)
      let ticks = Ticks()
      await transfer(app) {
        $0._transferDate = nil
        $0.date = { ticks.next() }
      }
      #expect(heard.all.last == kFundsTransferFailedNotification.rawValue)
      #expect(try await balance(server, Self.checking) == 100_000)
    }
  }

  @Test("the same against the program latchkey-server, as it is started from a shell")
  func program() async throws {
    let server = try await ServerProgram(encryptionKey: kAESEncryptionKey, macKey: kMACKey)
    defer { server.end() }
    let app = App(host: "localhost", port: server.port, root: server.root)
    let (heard, shown) = (Heard(app.center), Shown(app))
    try await TemporaryKeychain(passcode: "1234").use {
      try await logIn(app, password: server.password)
      #expect(shown.alerts == [])
      #expect(app.defaults.bool(forKey: "registeredDevice"))
      #expect(app.model.accounts.map(\.balance) == ["1000.00", "5000.00"])
      await transfer(app)
      #expect(heard.all.last == kFundsTransferSuccessNotification.rawValue)
      app.fetchAccounts()
      #expect(await app.untilIdle())
      #expect(app.model.accounts.suffix(2).map(\.balance) == ["1023.23", "4976.77"])
    }
  }

  @Test("Utils: a passphrase that is wrong leaves both as they were; a vector of length 0 has 16 bytes")
  func utils() async throws {
    var (identity, certificate): (SecIdentity?, SecCertificate?) = (nil, nil)
    Utils.identity(&identity, andCertificate: &certificate, fromPKCS12Data: Data([0x30, 0]), withPassphrase: "4711")
    #expect(identity == nil && certificate == nil)
    #expect(Utils.blockInitializationVector(ofLength: 0)?.count == 16)
    #expect(Utils.blockInitializationVector(ofLength: 24)?.count == 24)
  }
}

/// A clock that is a second later each time.
private final class Ticks: @unchecked Sendable {
  private var last = Date(timeIntervalSince1970: 1_330_318_800)

  func next() -> Date {
    last += 1
    return last
  }
}
