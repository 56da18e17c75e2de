import LatchkeyEnrollmentServer
import LatchkeyLedger
import LatchkeyServerTestSupport
import Foundation
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeySealedMessages
import LatchkeySwiftTesting
import Testing

@testable import LatchkeyEnrollment

/// Document 002's client against the old service itself, over TLS on loopback.
@Suite(.temporaryKeychain(typing: "1234"), .timeLimit(.minutes(10))) struct RealLegacyEnrollmentTests {
  @Test("A device logs in, registers, lists its accounts and transfers")
  func aDeviceLogsInRegistersListsItsAccountsAndTransfers() async throws {
    try await withService { server, configuration in
      let client = LegacyEnrollmentClient(configuration)
      let bare = try await client.logIn(user: "demo", password: RunningServer.password).value
      #expect(bare.identity == nil)
      #expect(client.sessionToken == bare.token)
      // Without a certificate a token gives nothing.
      let nobody = await failure { try await client.accounts().value }
      #expect(nobody == .refused(status: 401, "Not Authenticated"))

      let login = try await register(client)
      let identity = try #require(login.identity)
      #expect(client.sessionToken == login.token && login.token != bare.token)
      let kept = try configuration.credentials.defaultCredential(for: configuration.identitySpace)
      #expect(kept?.identity == identity)
      #expect(
        try await client.accounts().value == [
          LegacyAccount(name: "Checking", number: RealService.checking, balance: "5000.00"),
          LegacyAccount(name: "Savings", number: RealService.savings, balance: "1000.00"),
        ])
      try await client.transfer(
        to: RealService.savings, from: RealService.checking, amount: 23.23, notes: "Book advance to savings."
      ).value
      #expect(try await client.accounts().value.map(\.balance) == ["4976.77", "1023.23"])
      await client.close()
    }
  }

  @Test("The next process logs in by its certificate") func theNextProcessLogsInByItsCertificate() async throws {
    try await withService { _, configuration in
      let first = LegacyEnrollmentClient(configuration)
      let registered = try await register(first)
      let client = LegacyEnrollmentClient(configuration)
      let login = try await client.logInByCertificate(pin: "4711").value
      #expect(login.identity == nil && login.token != registered.token)
      #expect(try await client.accounts().value.count == 2)
      let wrong = await failure { try await client.logInByCertificate(pin: "4712").value }
      #expect(wrong == .refused(status: 401, "Not Authenticated"))
      // The failure has not ended the session.
      #expect(client.sessionToken == login.token)
      #expect(try await client.accounts().value.count == 2)
    }
  }

  @Test("The service finds the token in the field or the payload", arguments: LegacyEnrollment.SigningOption.allCases)
  func theServiceFindsTheTokenInTheFieldOrThePayload(_ option: LegacyEnrollment.SigningOption) async throws {
    try await withService { server, configuration in
      let login = try await register(LegacyEnrollmentClient(configuration))
      var other = configuration
      other.signing = option
      let client = LegacyEnrollmentClient(other, token: login.token)
      let transfer = client.transfer(to: RealService.savings, from: RealService.checking, amount: 1)
      let isFound = option == .header || option == .payload
      if isFound {
        try await transfer.value
      } else {
        let error = await failure { try await transfer.value }
        #expect(error == .refused(status: 401, "Not Authenticated"))
      }
      let balance = try await server.store.read { try $0.account(RealService.savings)?.balance }
      #expect(balance == (isFound ? 100_100 : 100_000))
      // A request without a payload has one place for it.
      let accounts = client.accounts()
      if option == .header {
        #expect(try await accounts.value.count == 2)
      } else {
        let error = await failure { try await accounts.value }
        #expect(error == .refused(status: 401, "Not Authenticated"))
      }
    }
  }

  @Test("The legacy client's defaults reach the service and are refused")
  func theDocumentsDefaultsReachTheServiceAndAreRefused() async throws {
    try await withService { server, configuration in
      let client = LegacyEnrollmentClient(configuration)
      _ = try await register(client)
      let empty = await failure { try await client.transfer().value }
      #expect(empty == .refused(status: 400, "Message Integrity Error"))
      let unknown = await failure {
        try await client.transfer(to: "999999999999", from: RealService.checking, amount: 1).value
      }
      #expect(unknown == .refused(status: 400, "Unknown Account"))
      #expect(try await client.accounts().value.map(\.balance) == ["5000.00", "1000.00"])
    }
  }

  @Test("a server without the old service says so, whatever is asked of it; one that refuses before its routes, why")
  func noOldService() async throws {
    let keys = try LegacyEnvelopeKeys(
      encryption: "0123456789abcdef0123456789abcdef", authentication: "fedcba9876543210fedcba9876543210")
    try await RealService.with { _, modern in
      let client = LegacyEnrollmentClient(
        LegacyEnrollmentConfiguration(server: modern.server, trustRoots: modern.trustRoots, keys: keys))
      let none = EnrollmentError.refused(status: 404, "there is no old service at this address (status 404)")
      #expect(await failure { try await register(client) } == none)
      #expect(await failure { try await client.accounts().value } == none)
      #expect(await failure { try await client.transfer().value } == none)
    }
    try await withService { _, configuration in
      let client = LegacyEnrollmentClient(configuration)
      var last: EnrollmentError?
      for _ in 0..<10 where last == nil || last == .refused(status: 401, "Not Authenticated") {
        last = await failure { try await client.logIn(user: "demo", password: "wrong").value }
      }
      guard case .refused(status: 429, let reason) = last else {
        Issue.record("\(String(describing: last))")
        return
      }
      #expect(reason.hasSuffix("(status 429)") && reason.count > 30, "\(reason)")
    }
  }

  @Test("A wrong password registers nothing") func aWrongPasswordRegistersNothing() async throws {
    try await withService { server, configuration in
      let client = LegacyEnrollmentClient(configuration)
      let error = await failure {
        try await client.logIn(user: "demo", password: "wrong", registering: "4711").value
      }
      #expect(error == .refused(status: 401, "Not Authenticated"))
      #expect(client.sessionToken == nil)
      #expect(try configuration.credentials.defaultCredential(for: configuration.identitySpace) == nil)
      let devices = try await server.store.read { try $0.devices(of: "demo") }
      #expect(devices.isEmpty)
    }
  }

  @Test("A client with other keys cannot read anything nor be read")
  func aClientWithOtherKeysCannotReadAnythingNorBeRead() async throws {
    try await withService { _, configuration in
      let login = try await register(LegacyEnrollmentClient(configuration))
      var other = configuration
      other.keys = try LegacyEnvelopeKeys(
        encryption: String(repeating: "0", count: 32), authentication: String(repeating: "1", count: 32))
      let client = LegacyEnrollmentClient(other, token: login.token)
      let unread = await failure { try await client.accounts().value }
      switch unread {
      case .cannotVerify, .cannotInterpret: break
      default: Issue.record("\(String(describing: unread))")
      }
      let refused = await failure {
        try await client.transfer(to: RealService.savings, from: RealService.checking, amount: 1).value
      }
      #expect(refused == .refused(status: 400, "Message Integrity Error"))
    }
  }

  // MARK: Helpers of the tests

  private func withService(
    _ body: @Sendable (RunningServer, LegacyEnrollmentConfiguration) async throws -> Void
  ) async throws {
    let keys = try LegacyEnvelopeKeys(
      encryption: "0123456789abcdef0123456789abcdef", authentication: "fedcba9876543210fedcba9876543210")
    try await RealService.with {
      $0.services = [try LedgerService(legacy: LegacyEnrollmentService(keys: keys))]
    } _: { server, modern in
      var configuration = LegacyEnrollmentConfiguration(
        server: modern.server, trustRoots: modern.trustRoots, keys: keys)
      configuration.credentials = CredentialStorage()
      configuration.clock = modern.clock
      try await body(server, configuration)
    }
  }

  private func register(_ client: LegacyEnrollmentClient) async throws -> LegacyEnrollmentLogin {
    try await client.logIn(user: "demo", password: RunningServer.password, registering: "4711").value
  }
}
