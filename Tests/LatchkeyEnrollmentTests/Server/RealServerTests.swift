import LatchkeyServerTestSupport
import Foundation
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeySwiftTesting
import Security
import Testing

@testable import LatchkeyEnrollment

/// The client against the server itself, over TLS on loopback: every ceremony once as it should be, and once as it must not.
@Suite(.temporaryKeychain(typing: "1234")) struct RealServerTests {
  private let small = Transfer(
    from: RealService.checking, to: RealService.savings, amount: Amount(minorUnits: 2323), currency: "EUR",
    notes: "Book advance to savings.")
  private let large = Transfer(
    from: RealService.checking, to: RealService.savings, amount: Amount(minorUnits: 100_000), currency: "EUR")

  @Test("A device enrolls, lists its accounts and transfers") func aDeviceEnrollsListsItsAccountsAndTransfers()
    async throws
  {
    try await RealService.with { server, configuration in
      let client = EnrollmentClient(configuration)
      let outcome = try await RealService.logIn(client)
      #expect(outcome.isNewlyRegistered)
      #expect(try outcome.accounts.get().map(\.number) == [RealService.checking, RealService.savings])
      let devices = try await server.store.read { try $0.devices(of: "demo") }
      #expect(devices.map(\.name) == ["my device"])
      let receipt = try await client.transfer(small).value.receipt
      #expect(receipt.balance == Amount(minorUnits: 500_000 - 2323))
      #expect(try await client.accounts().value.map(\.balance.minorUnits) == [500_000 - 2323, 100_000 + 2323])
      await client.close()
    }
  }

  @Test("The next process goes on without any argument") func theNextProcessGoesOnWithoutAnyArgument() async throws {
    try await RealService.with { server, configuration in
      _ = try await RealService.logIn(EnrollmentClient(configuration))
      var again = try EnrollmentConfiguration(enrolled: "default")
      again.clock = configuration.clock
      #expect(again.server == configuration.server)
      #expect(try await EnrollmentClient(again).accounts().value.count == 2)
      let second = try await RealService.logIn(EnrollmentClient(again))
      #expect(!second.isNewlyRegistered)
      let devices = try await server.store.read { try $0.devices(of: "demo") }
      #expect(devices.count == 1)
    }
  }

  @Test("Without an approval key a large transfer is not booked") func withoutAnApprovalKeyALargeTransferIsNotBooked()
    async throws
  {
    try await RealService.with { _, configuration in
      let client = EnrollmentClient(configuration)
      _ = try await RealService.logIn(client)
      _ = await failure { try await client.transfer(large).value }
      #expect(try await client.accounts().value.map(\.balance.minorUnits) == [500_000, 100_000])
    }
  }

  @Test("A revoked device gets the revocation error") func aDeviceThatTheServerRevokedIsReported() async throws {
    try await RealService.with { server, configuration in
      let client = EnrollmentClient(configuration)
      let device = try await RealService.logIn(client).identity.device
      let now = Int64(server.clock.now.timeIntervalSince1970)
      let id = try #require(Identifier(device))
      _ = try await server.store.write { try $0.revokeDevice(id, at: now, reason: 1) }
      server.clock.advance(by: 10)
      let error = await failure { try await client.transfer(small).value }
      guard case .problem(let problem) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(problem.code == .revoked)
    }
  }

  @Test("A device that the server revoked ends on this side by the server's signed answer")
  func aDeviceThatTheServerRevokedEndsHereByTheServersWord() async throws {
    try await RealService.with { server, configuration in
      let client = EnrollmentClient(configuration)
      let id = try #require(Identifier(try await RealService.logIn(client).identity.device))
      let now = Int64(server.clock.now.timeIntervalSince1970)
      _ = try await server.store.write { try $0.revokeDevice(id, at: now, reason: 1) }
      server.clock.advance(by: 10)
      try await client.revoke().value
      #expect(try await client.identity() == nil)
    }
  }

  @Test(
    "A revocation that was interrupted while it deleted is finished by the next one, and nothing else is deleted so")
  func interruptedRevocation() async throws {
    try await RealService.with { server, configuration in
      let client = EnrollmentClient(configuration)
      let identity = try await RealService.logIn(client).identity
      let record = try #require(try await client.record())
      // Killed after the first thing that it deletes.
      try EnrollmentClient.deleteCredentials(of: identity, but: nil, record, configuration)
      #expect(try await client.identity() == nil)
      let error = await failure { try await client.revoke().value }
      guard case .notEnrolled = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(try DeviceKey.find(label: configuration.identityKeyLabel) != nil)
      var ended = record
      ended.isEnded = true
      try await client.save(ended)
      try await client.revoke().value
      #expect(try DeviceKey.find(label: configuration.identityKeyLabel) == nil)
      #expect(try await client.record() == nil)
    }
  }

  @Test("A device that ended and was not deleted whole enrolls anew, and has not ended then")
  func enrolledAfterInterruptedRevocation() async throws {
    try await RealService.with { server, configuration in
      let client = EnrollmentClient(configuration)
      let first = try await RealService.logIn(client).identity
      var record = try #require(try await client.record())
      try EnrollmentClient.deleteCredentials(of: first, but: nil, record, configuration)
      record.isEnded = true
      try await client.save(record)
      let second = try await RealService.logIn(client).identity
      #expect(second.device != first.device)
      #expect(try await client.record()?.isEnded == nil)
      try await client.revoke().value
      #expect(try await client.record() == nil)
    }
  }

  @Test("A key that the server made arrives as PKCS #12") func aKeyOfTheServersMakingComesAsPKCS12() async throws {
    try await RealService.with { _, configuration in
      let client = EnrollmentClient(configuration)
      let outcome = try await client.logIn(
        user: "demo", password: RunningServer.password, deviceName: "my device", origin: .madeByServer
      ).value
      #expect(outcome.isNewlyRegistered)
      #expect(try outcome.accounts.get().count == 2)
      #expect(try await client.transfer(small).value.receipt.amount == small.amount)
    }
  }

  @Test("A wrong password is refused without a device") func aWrongPasswordIsRefusedWithoutADevice() async throws {
    try await RealService.with { server, configuration in
      let client = EnrollmentClient(configuration)
      let error = await failure { try await client.logIn(user: "demo", password: "wrong", deviceName: "x").value }
      guard case .problem(let problem) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(problem.code == .notAuthenticated)
      let devices = try await server.store.read { try $0.devices(of: "demo") }
      #expect(devices.isEmpty)
    }
  }
}
