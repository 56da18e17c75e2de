import LatchkeyEnrollmentServer
import LatchkeyLedger
import LatchkeyServerTestSupport
import Foundation
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeyKeychainModel
import LatchkeyKeychainTesting
import LatchkeySwiftTesting
import Security
import Testing

@testable import LatchkeyEnrollment

/// Registration, renewal and the end of a device and its identity key, against the server itself.
@Suite(.temporaryKeychain(typing: "1234")) struct RealServerKeyTests {
  @Test("At a server without the sample bank a device enrolls, and there are no accounts") func withoutBank()
    async throws
  {
    try await TemporaryKeychain().use {
      try await RealService.with {
        $0.services = []
      } _: { _, configuration in
        let client = EnrollmentClient(configuration)
        let outcome = try await client.logIn(user: "demo", password: RunningServer.password, deviceName: "test").value
        #expect(outcome.isNewlyRegistered)
        #expect(try outcome.accounts.get().isEmpty)
        await #expect(throws: EnrollmentError.self) { try await client.accounts().value }
      }
    }
  }

  @Test("a refused registration leaves no key; the next one makes another")
  func refusedRegistration() async throws {
    try await RealService.with({ $0.limits.devicesPerUser = 1 }) { _, configuration in
      let client = EnrollmentClient(configuration)
      _ = try await RealService.logIn(client)
      var other = configuration
      (other.label, other.identityKeyLabel) = ("other", "latchkey-identity-other")
      let second = EnrollmentClient(other)
      for _ in 0..<2 {
        guard case .problem(let problem) = await failure({ try await RealService.logIn(second) }) else {
          Issue.record("a user has more devices than allowed")
          return
        }
        #expect(problem.code == .notPermitted)
        #expect(try DeviceKey.find(label: other.identityKeyLabel) == nil)
        #expect(try DeviceKey.find(label: configuration.identityKeyLabel) != nil)
      }
      try await client.revoke().value
      #expect(try await RealService.logIn(second).isNewlyRegistered)
    }
  }

  @Test("A login by certificate needs nothing else") func aLoginByCertificateNeedsNothingElse() async throws {
    try await RealService.with { _, configuration in
      let client = EnrollmentClient(configuration)
      _ = try await RealService.logIn(client)
      #expect(try await client.logInByCertificate().value.user == "demo")
      #expect(try await client.deviceStatus().name == "my device")
    }
  }

  @Test("A certificate is renewed over itself") func aCertificateIsRenewedOverItself() async throws {
    try await RealService.with { _, configuration in
      let client = EnrollmentClient(configuration)
      let old = try await RealService.logIn(client).identity
      // From its first moment on, less than all of its life is left.
      var configuration = configuration
      configuration.renewalFraction = 1
      _ = try await EnrollmentClient(configuration).accounts().value
      let new = try #require(try await client.identity())
      #expect(new.identity.certificate != old.identity.certificate)
      #expect(new.device == old.device)
      #expect(new.notAfter >= old.notAfter)
    }
  }

  @Test("A revoked device is refused and forgets itself") func aRevokedDeviceIsRefusedAndForgetsItself() async throws {
    try await RealService.with { _, configuration in
      let client = EnrollmentClient(configuration)
      _ = try await RealService.logIn(client)
      try await client.revoke().value
      #expect(await failure { try await client.accounts().value } == .notEnrolled)
    }
  }

  @Test("A device that the operator revoked enrolls again, and its open transfer is the same")
  func afterTheOperatorRevokedItADeviceEnrollsAnewAndItsOpenTransferIsTheSame() async throws {
    try await RealService.with({ $0.policy.revocationStaleness = .zero }) { server, configuration in
      let client = EnrollmentClient(configuration)
      let first = try await RealService.logIn(client).identity
      let transfer = Transfer(
        from: RealService.checking, to: RealService.savings, amount: Amount(minorUnits: 2323), currency: "EUR")
      // Booked, and the answer lost: the intent is still there when the device has gone.
      let intent = TransferIntent(
        transfer: transfer, idempotencyKey: try configuration.freshName(), created: configuration.now)
      #expect(try intent.keep(label: configuration.label))
      let call = try Call.send(Routes.transfers, transfer, .signature, idempotencyKey: intent.idempotencyKey)
      _ = try await client.messenger.send(call, as: first.signer)
      try await Operator(server.store, clock: { server.clock.now }).revokeDevice(first.device)
      let again = try await RealService.logIn(client)
      #expect(again.isNewlyRegistered && again.identity.device != first.device)
      let outcome = try await client.transfer(transfer).value
      #expect(outcome.isReplayed)
      #expect(try await server.store.read { try $0.account(RealService.checking)?.balance } == 500_000 - 2323)
      #expect(try await client.pendingTransfers() == [])
    }
  }

  @Test("A changed key ends the old certificate and the device goes on")
  func aChangedKeyEndsTheOldCertificateAndTheDeviceGoesOn() async throws {
    try await RealService.with({ $0.policy.revocationStaleness = .zero }) { server, configuration in
      let client = EnrollmentClient(configuration)
      let old = try await RealService.logIn(client).identity
      let new = try await client.renew(changingKey: true).value
      #expect(new.device == old.device)
      #expect(new.identity.key != old.identity.key)
      let call = Call.get(Routes.accounts, .certificate(answerIsSigned: true))
      // Its key is deleted, so not even a connection is made with it.
      await #expect(throws: EnrollmentError.self) { try await client.messenger.send(call, as: old.signer) }
      let certificates = try await server.store.read { [id = new.device] store in
        try Identifier(id).map { try store.certificates(of: $0) } ?? []
      }
      #expect(certificates.filter { $0.revoked != nil }.count == 1 && certificates.count == 2)
      _ = try await EnrollmentClient(configuration).transfer(
        Transfer(from: RealService.checking, to: RealService.savings, amount: Amount(minorUnits: 1), currency: "EUR")
      ).value
      #expect(try DeviceKey.find(label: configuration.nextIdentityKeyLabel) == nil)
      #expect(try DeviceKey.find(label: configuration.identityKeyLabel) == new.identity.key)
      _ = server
    }
  }

  @Test("A changed key whose answer was lost is finished by the next operation")
  func aChangedKeyWhoseAnswerWasLostIsFinishedByTheNextOperation() async throws {
    try await RealService.with({ $0.policy.revocationStaleness = .zero }) { _, configuration in
      let client = EnrollmentClient(configuration)
      let old = try await RealService.logIn(client).identity
      // As far as a try comes that ends before its answer: the server has the new key, the keychain the old certificate.
      var record = try #require(try await client.record())
      record.isChangingKey = true
      try await client.save(record)
      let next = try DeviceKey.identity.make(label: configuration.nextIdentityKeyLabel)
      let request = try await SigningRequest.der(for: next, commonName: old.device)
      let call = try Call.send(
        Routes.renewal, RenewalRequest(signingRequest: Base64Bytes(request)), .certificate(answerIsSigned: true))
      _ = try await client.messenger.send(call, as: old.signer)
      #expect(try await EnrollmentClient(configuration).accounts().value.count == 2)
      let now = try #require(try await client.identity())
      #expect(now.device == old.device)
      #expect(now.identity.key == next)
      #expect(try await client.record()?.isChangingKey == nil)
    }
  }

  @Test("Forgetting a device needs no presence and leaves nothing") func forgettingAsksNobodyAndLeavesNothing()
    async throws
  {
    try await RealService.with { server, configuration in
      let client = EnrollmentClient(configuration)
      let device = try #require(Identifier(try await RealService.logIn(client).identity.device))
      try await client.forget()
      #expect(try await client.identity() == nil)
      #expect(try DeviceKey.find(label: configuration.identityKeyLabel) == nil)
      #expect(try await server.store.read { try $0.device(device)?.revoked } == nil)
      #expect(try await RealService.logIn(client).isNewlyRegistered)
    }
  }
}
