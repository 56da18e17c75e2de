import LatchkeyEnrollmentServer
import LatchkeyLedger
import LatchkeyServerTestSupport
import Foundation
import KeychainTouchID
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeyKeychainModel
import LatchkeyKeychainTesting
import LatchkeySwiftTesting
import Security
import Testing

@testable import LatchkeyEnrollment

/// Challenges, renewal and the end of a device, against the server itself.
@Suite(.temporaryKeychain(typing: "1234")) struct RealServerKeyTests {
  private let large = Transfer(
    from: RealService.checking, to: RealService.savings, amount: Amount(minorUnits: 100_000), currency: "EUR")

  @Test("A large transfer is approved by the user") func aLargeTransferIsApprovedByTheUser() async throws {
    let user = ScriptedPrompter(always: "1234")
    try await TemporaryKeychain(passcode: "1234", prompter: user).use {
      try await RealService.with { _, configuration in
        let client = EnrollmentClient(configuration)
        _ = try await logIn(client)
        let status = try await client.registerApprovalKey().value
        #expect(status.hasApprovalKey)
        #expect(try await client.identity()?.hasApprovalKey == true)
        let outcome = try await client.transfer(large).value
        #expect(outcome.isApproved)
        #expect(user.questions.last?.reason.contains("1000.00 EUR") == true)
        #expect(outcome.receipt.balance == Amount(minorUnits: 400_000))
      }
    }
  }

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

  @Test("A login by key needs the user and no password") func aLoginByKeyNeedsTheUserAndNoPassword() async throws {
    let user = ScriptedPrompter(always: "1234")
    try await TemporaryKeychain(passcode: "1234", prompter: user).use {
      try await RealService.with { _, configuration in
        let client = EnrollmentClient(configuration)
        _ = try await logIn(client)
        _ = try await client.registerApprovalKey().value
        let asked = user.questions.count
        let outcome = try await client.logInByKey().value
        #expect(outcome.user == "demo")
        #expect(user.questions.count == asked + 1)
        #expect(try await client.sessionToken() != nil)
      }
    }
  }

  @Test("the key that document 004's own listing makes is registered, logs in and approves; forgetting leaves it")
  func theDocumentsKey() async throws {
    let finger = ScriptedAuthenticator()
    try await TemporaryKeychain(passcode: "1234", biometry: [finger]).use {
      try await RealService.with { _, configuration in
        let client = EnrollmentClient(configuration)
        _ = try await logIn(client)
        let program = keychainTouchID()
        let pair = try program.makePair()
        #expect(try await client.registerApprovalKey(existing: "my-se-key").value.hasApprovalKey)
        #expect(finger.timesAsked == 1, "the key states where it lives, which is a use of it")

        // A later run of the program finds the key by the stored record.
        let later = EnrollmentClient(try EnrollmentConfiguration(enrolled: configuration.label))
        #expect(later.configuration.approvalKeyLabel == "my-se-key")
        #expect(try await later.logInByKey().value.user == "demo")
        #expect(finger.timesAsked == 2)
        #expect(try await later.transfer(large).value.isApproved)
        #expect(finger.timesAsked == 3)

        try await later.forget()
        #expect(try program.privateKey(named: "my-se-key") == pair.privateKey)
        #expect(try await later.identity() == nil)
      }
    }
  }

  @Test("A key that is not there is not registered and none is made")
  func aKeyThatIsNotThereIsNotRegisteredAndNoneIsMade() async throws {
    try await TemporaryKeychain(passcode: "1234").use {
      try await RealService.with { _, configuration in
        let client = EnrollmentClient(configuration)
        _ = try await logIn(client)
        let error = await failure { try await client.registerApprovalKey(existing: "my-se-key").value }
        guard case .keychain(let status, _) = error else {
          Issue.record("\(String(describing: error))")
          return
        }
        #expect(status == errSecItemNotFound)
        #expect(try DeviceKey.find(label: "my-se-key") == nil)
        #expect(try await client.identity()?.hasApprovalKey == false)
      }
    }
  }

  @Test(
    "a key that asks nobody is not registered, and nothing is sent: a bare one, an identity key, one under the own label"
  )
  func unguardedKeys() async throws {
    try await TemporaryKeychain(passcode: "1234").use {
      try await RealService.with { server, configuration in
        let client = EnrollmentClient(configuration)
        _ = try await logIn(client)
        var other = configuration
        (other.label, other.identityKeyLabel) = ("other", "latchkey-identity-other")
        _ = try await logIn(EnrollmentClient(other))
        _ = try DeviceKey.identity.make(label: "bare")
        // Nothing that is sent from here on arrives.
        try await server.stop()
        for label in ["bare", "latchkey-identity-other", configuration.identityKeyLabel] {
          let errors = [
            await failure { try await client.registerApprovalKey(existing: label).value },
            await failure { try await client.requireApprovalKey(existing: label) },
          ]
          for error in errors {
            guard case .misuse(let detail) = error else {
              Issue.record("\(label): \(String(describing: error))")
              continue
            }
            #expect(
              detail.contains("asks for no consent")
                && detail.contains("latchkey enclave create LABEL --guard user-presence"))
          }
        }
        _ = try DeviceKey.identity.make(label: configuration.approvalKeyLabel)
        guard case .misuse = await failure({ try await client.registerApprovalKey().value }) else {
          Issue.record("an unguarded key under the own label is taken")
          return
        }
        #expect(try await client.identity()?.hasApprovalKey == false)
        // Of two keys with one label the other might sign.
        _ = try DeviceKey.approval(.passcode).make(label: "bare")
        guard case .misuse = await failure({ try await client.requireApprovalKey(existing: "bare") }) else {
          Issue.record("one of two keys is unguarded")
          return
        }
        _ = try DeviceKey.approval(.passcode).make(label: "guarded")
        try await client.requireApprovalKey(existing: "guarded")
      }
    }
  }

  @Test("An unguarded key that an earlier version registered approves nothing, and the error names the remedy")
  func unguardedRegistration() async throws {
    try await TemporaryKeychain(passcode: "1234", prompter: ScriptedPrompter(always: "1234")).use {
      try await RealService.with { _, configuration in
        let client = EnrollmentClient(configuration)
        _ = try await logIn(client)
        _ = try await client.registerApprovalKey().value
        try DeviceKey.delete(label: configuration.approvalKeyLabel)
        _ = try DeviceKey.identity.make(label: configuration.approvalKeyLabel)
        try await forgetWhichKey(client)
        #expect(try await client.approvalKeyState() == .unguarded)
        for error in [
          await failure { try await client.transfer(large).value },
          await failure { try await client.logInByKey().value },
        ] {
          guard case .misuse(let detail) = error else {
            Issue.record("\(String(describing: error))")
            continue
          }
          #expect(
            detail.contains("asks for no consent") && detail.contains("`latchkey revoke` ends the device"), "\(detail)")
          #expect(!detail.contains("enclave create"), "\(detail)")
        }
        #expect(try await client.pendingTransfers().isEmpty)
      }
    }
  }

  @Test("The loss of the approval key is reported with the remedy, and no other key is made for the device")
  func lostApprovalKey() async throws {
    try await TemporaryKeychain(passcode: "1234", prompter: ScriptedPrompter(always: "1234")).use {
      try await RealService.with { _, configuration in
        let client = EnrollmentClient(configuration)
        _ = try await logIn(client)
        #expect(try await !client.hasLostApprovalKey())
        _ = try await client.registerApprovalKey().value
        #expect(try await !client.hasLostApprovalKey())
        try DeviceKey.delete(label: configuration.approvalKeyLabel)
        #expect(try await client.hasLostApprovalKey())
        for error in [
          await failure { try await client.transfer(large).value },
          await failure { try await client.logInByKey().value },
        ] {
          guard case .keychain(errSecItemNotFound, let detail) = error else {
            Issue.record("\(String(describing: error))")
            continue
          }
          #expect(detail.contains("`latchkey revoke` ends the device"), "\(detail)")
        }
        // The server refuses a second one, and what was made for it is gone.
        guard case .problem(let problem) = await failure({ try await client.registerApprovalKey().value }) else {
          Issue.record("a second approval key is registered")
          return
        }
        #expect(problem.code == .notPermitted && problem.detail?.contains("revoke the device") == true)
        #expect(try DeviceKey.find(label: configuration.approvalKeyLabel) == nil)
        // The way out.
        try await client.revoke().value
        _ = try await logIn(client)
        #expect(try await client.registerApprovalKey().value.hasApprovalKey)
        #expect(try await client.transfer(large).value.isApproved)
      }
    }
  }

  @Test(
    "a key that was made anew under the label of the registered one is told as another, with the way out; nobody is asked for it",
    arguments: [DeviceKey.approval(.userPresence), .identity])
  func replacedApprovalKey(made: DeviceKey) async throws {
    let user = ScriptedPrompter(always: "1234")
    try await TemporaryKeychain(passcode: "1234", prompter: user).use {
      try await RealService.with { _, configuration in
        var configuration = configuration
        configuration.label = "my phone"
        let client = EnrollmentClient(configuration)
        _ = try await logIn(client)
        #expect(try await client.approvalKeyState() == .none)
        _ = try await client.registerApprovalKey().value
        #expect(try await client.approvalKeyState() == .registered)
        try DeviceKey.delete(label: configuration.approvalKeyLabel)
        #expect(try await client.approvalKeyState() == .lost)
        _ = try made.make(label: configuration.approvalKeyLabel)
        #expect(try await client.approvalKeyState() == .replaced)
        #expect(try await client.hasLostApprovalKey())
        let asked = user.questions.count
        for error in [
          await failure { try await client.transfer(large).value },
          await failure { try await client.logInByKey().value },
        ] {
          guard case .keychain(errSecItemNotFound, let detail) = error else {
            Issue.record("\(String(describing: error))")
            continue
          }
          #expect(
            detail.contains("is another one than this device has registered, so it approves nothing")
              && detail.contains("`latchkey revoke --label 'my phone'` ends the device")
              && detail.contains("`latchkey enroll --label 'my phone'` begins anew"), "\(detail)")
        }
        #expect(user.questions.count == asked)
        #expect(try await client.pendingTransfers().isEmpty)
        // The way out.
        try await client.revoke().value
        _ = try await logIn(client)
        #expect(try await client.approvalKeyState() == .none)
        _ = try await client.registerApprovalKey().value
        #expect(try await client.approvalKeyState() == .registered)
        #expect(try await client.transfer(large).value.isApproved)
      }
    }
  }

  @Test("of two keys under one label the registered one signs, whatever the other is")
  func twoKeysOfOneLabel() async throws {
    let user = ScriptedPrompter(always: "1234")
    try await TemporaryKeychain(passcode: "1234", prompter: user).use {
      try await RealService.with { _, configuration in
        let client = EnrollmentClient(configuration)
        _ = try await logIn(client)
        _ = try DeviceKey.approval(.userPresence).make(label: "other")
        _ = try await client.registerApprovalKey().value
        try DeviceKey.rename("other", to: configuration.approvalKeyLabel)
        _ = try DeviceKey.identity.make(label: configuration.approvalKeyLabel)
        #expect(try await client.approvalKeyState() == .registered)
        let asked = user.questions.count
        #expect(try await client.logInByKey().value.user == "demo")
        #expect(try await client.transfer(large).value.isApproved)
        #expect(user.questions.count == asked + 2)
      }
    }
  }

  @Test(
    "an enrollment of an earlier version, which knows a label alone, learns its key when the server has taken a signature"
  )
  func keyOfAnEarlierVersion() async throws {
    try await TemporaryKeychain(passcode: "1234", prompter: ScriptedPrompter(always: "1234")).use {
      try await RealService.with { _, configuration in
        let client = EnrollmentClient(configuration)
        _ = try await logIn(client)
        _ = try await client.registerApprovalKey().value
        let key = try #require(try await client.record()?.approvalKey)
        #expect(key.count == 65)
        try await forgetWhichKey(client)
        #expect(try await client.approvalKeyState() == .registered)
        _ = try await client.logInByKey().value
        #expect(try await client.record()?.approvalKey == key)
        try await forgetWhichKey(client)
        #expect(try await client.transfer(large).value.isApproved)
        #expect(try await client.record()?.approvalKey == key)

        // Only the server detects another key under the label; it is refused, and nothing stays open.
        try await forgetWhichKey(client)
        try DeviceKey.delete(label: configuration.approvalKeyLabel)
        _ = try DeviceKey.approval(.userPresence).make(label: configuration.approvalKeyLabel)
        guard case .problem(let login) = await failure({ try await client.logInByKey().value }),
          case .problem(let transfer) = await failure({ try await client.transfer(large).value })
        else {
          Issue.record("another key logs in or approves")
          return
        }
        #expect(login.code == .notAuthenticated && transfer.code == .approvalRequired)
        #expect(try await client.record()?.approvalKey == nil)
        #expect(try await client.pendingTransfers().isEmpty)
      }
    }
  }

  @Test("a refused registration leaves no key; the next one makes another")
  func refusedRegistration() async throws {
    try await RealService.with({ $0.limits.devicesPerUser = 1 }) { _, configuration in
      let client = EnrollmentClient(configuration)
      _ = try await logIn(client)
      var other = configuration
      (other.label, other.identityKeyLabel) = ("other", "latchkey-identity-other")
      let second = EnrollmentClient(other)
      for _ in 0..<2 {
        guard case .problem(let problem) = await failure({ try await logIn(second) }) else {
          Issue.record("a user has more devices than allowed")
          return
        }
        #expect(problem.code == .notPermitted)
        #expect(try DeviceKey.find(label: other.identityKeyLabel) == nil)
        #expect(try DeviceKey.find(label: configuration.identityKeyLabel) != nil)
      }
      try await client.revoke().value
      #expect(try await logIn(second).isNewlyRegistered)
    }
  }

  @Test("a second approval key is refused; the first stays registered, and it alone goes with the enrollment")
  func whoseKeyItIs() async throws {
    try await TemporaryKeychain(passcode: "1234", biometry: [ScriptedAuthenticator()]).use {
      try await RealService.with { _, configuration in
        var configuration = configuration
        configuration.approvalKeyGuard = .biometryAny
        let client = EnrollmentClient(configuration)
        _ = try await logIn(client)
        _ = try await client.registerApprovalKey().value
        _ = try keychainTouchID().makePair()
        let error = await failure { try await client.registerApprovalKey(existing: "my-se-key").value }
        guard case .problem(let problem) = error else {
          Issue.record("\(String(describing: error))")
          return
        }
        #expect(problem.code == .notPermitted)
        #expect(
          try EnrollmentConfiguration(enrolled: configuration.label).approvalKeyLabel == configuration.approvalKeyLabel)
        try await client.forget()
        #expect(try DeviceKey.find(label: configuration.approvalKeyLabel) == nil)
        #expect(try DeviceKey.find(label: "my-se-key") != nil)
      }
    }
  }

  @Test(
    "biometry alone is asked where the guard says so: the passcode does not do", arguments: ApprovalKeyGuard.allCases)
  func guards(keyGuard: ApprovalKeyGuard) async throws {
    let finger = ScriptedAuthenticator()
    let user = ScriptedPrompter(always: "1234")
    try await TemporaryKeychain(passcode: "1234", biometry: [finger], prompter: user).use {
      try await RealService.with { _, configuration in
        var configuration = configuration
        configuration.approvalKeyGuard = keyGuard
        let client = EnrollmentClient(configuration)
        _ = try await logIn(client)
        _ = try await client.registerApprovalKey().value
        let (touched, asked) = (finger.timesAsked, user.questions.count)
        #expect(try await client.logInByKey().value.user == "demo")
        #expect((finger.timesAsked == touched + 1) == (keyGuard != .passcode))
        #expect((user.questions.count == asked + 1) == (keyGuard == .passcode))
      }
    }
  }

  @Test("A login by a key that is not registered is refused") func aLoginByAKeyThatIsNotRegisteredIsRefused()
    async throws
  {
    try await RealService.with { _, configuration in
      let client = EnrollmentClient(configuration)
      _ = try await logIn(client)
      _ = try DeviceKey.approval(.userPresence).make(label: configuration.approvalKeyLabel)
      let error = await failure { try await client.logInByKey().value }
      guard case .problem(let problem) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(problem.code == .notAuthenticated)
    }
  }

  @Test("A login by certificate needs nothing else") func aLoginByCertificateNeedsNothingElse() async throws {
    try await RealService.with { _, configuration in
      let client = EnrollmentClient(configuration)
      _ = try await logIn(client)
      #expect(try await client.logInByCertificate().value.user == "demo")
      #expect(try await client.deviceStatus().name == "my device")
    }
  }

  @Test("A certificate is renewed over itself") func aCertificateIsRenewedOverItself() async throws {
    try await RealService.with { _, configuration in
      let client = EnrollmentClient(configuration)
      let old = try await logIn(client).identity
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
      _ = try await logIn(client)
      try await client.revoke().value
      #expect(await failure { try await client.accounts().value } == .notEnrolled)
    }
  }

  @Test("A device that the operator revoked enrolls again, and its open transfer is the same")
  func afterTheOperatorRevokedItADeviceEnrollsAnewAndItsOpenTransferIsTheSame() async throws {
    try await RealService.with({ $0.policy.revocationStaleness = .zero }) { server, configuration in
      let client = EnrollmentClient(configuration)
      let first = try await logIn(client).identity
      let transfer = Transfer(
        from: RealService.checking, to: RealService.savings, amount: Amount(minorUnits: 2323), currency: "EUR")
      // Booked, and the answer lost: the intent is still there when the device has gone.
      let intent = TransferIntent(
        transfer: transfer, idempotencyKey: try configuration.freshName(), created: configuration.now)
      #expect(try intent.keep(label: configuration.label))
      let call = try Call.send(Routes.transfers, transfer, .signature, idempotencyKey: intent.idempotencyKey)
      _ = try await client.messenger.send(call, as: first.signer)
      try await Operator(server.store, clock: { server.clock.now }).revokeDevice(first.device)
      let again = try await logIn(client)
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
      let old = try await logIn(client).identity
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
      let old = try await logIn(client).identity
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
      let device = try #require(Identifier(try await logIn(client).identity.device))
      try await client.forget()
      #expect(try await client.identity() == nil)
      #expect(try DeviceKey.find(label: configuration.identityKeyLabel) == nil)
      #expect(try await server.store.read { try $0.device(device)?.revoked } == nil)
      #expect(try await logIn(client).isNewlyRegistered)
    }
  }

  /// Makes an enrollment one of an earlier version.
  private func forgetWhichKey(_ client: EnrollmentClient) async throws {
    var record = try #require(try await client.record())
    record.approvalKey = nil
    try await client.save(record)
  }

  private func logIn(_ client: EnrollmentClient) async throws -> LoginOutcome {
    try await client.logIn(user: "demo", password: RunningServer.password, deviceName: "my device").value
  }
}
