import Foundation
import KeychainTouchID
import LatchkeyEnrollmentProtocol
import LatchkeyKeychainModel
import LatchkeyKeychainTesting
import LatchkeyServerTestSupport
import LatchkeySwiftTesting
import Security
import Testing

@testable import LatchkeyEnrollment

/// The approval key of a device: made, registered and used, against the server itself.
@Suite(.temporaryKeychain(typing: "1234")) struct RealServerApprovalKeyTests {
  @Test("A large transfer is approved by the user") func aLargeTransferIsApprovedByTheUser() async throws {
    let user = ScriptedPrompter(always: "1234")
    try await TemporaryKeychain(passcode: "1234", prompter: user).use {
      try await RealService.with { _, configuration in
        let client = EnrollmentClient(configuration)
        _ = try await RealService.logIn(client)
        let status = try await client.registerApprovalKey().value
        #expect(status.hasApprovalKey)
        #expect(try await client.identity()?.hasApprovalKey == true)
        let outcome = try await client.transfer(RealService.largeTransfer).value
        #expect(outcome.isApproved)
        #expect(user.questions.last?.reason.contains("1000.00 EUR") == true)
        #expect(outcome.receipt.balance == Amount(minorUnits: 400_000))
      }
    }
  }

  @Test("A login by key needs the user and no password") func aLoginByKeyNeedsTheUserAndNoPassword() async throws {
    let user = ScriptedPrompter(always: "1234")
    try await TemporaryKeychain(passcode: "1234", prompter: user).use {
      try await RealService.with { _, configuration in
        let client = EnrollmentClient(configuration)
        _ = try await RealService.logIn(client)
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
        _ = try await RealService.logIn(client)
        let program = keychainTouchID()
        let pair = try program.makePair()
        #expect(try await client.registerApprovalKey(existing: "my-se-key").value.hasApprovalKey)
        #expect(finger.timesAsked == 1, "the key states where it lives, which is a use of it")

        // A later run of the program finds the key by the stored record.
        let later = EnrollmentClient(try EnrollmentConfiguration(enrolled: configuration.label))
        #expect(later.configuration.approvalKeyLabel == "my-se-key")
        #expect(try await later.logInByKey().value.user == "demo")
        #expect(finger.timesAsked == 2)
        #expect(try await later.transfer(RealService.largeTransfer).value.isApproved)
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
        _ = try await RealService.logIn(client)
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
        _ = try await RealService.logIn(client)
        var other = configuration
        (other.label, other.identityKeyLabel) = ("other", "latchkey-identity-other")
        _ = try await RealService.logIn(EnrollmentClient(other))
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

  @Test("a second approval key is refused; the first stays registered, and it alone goes with the enrollment")
  func whoseKeyItIs() async throws {
    try await TemporaryKeychain(passcode: "1234", biometry: [ScriptedAuthenticator()]).use {
      try await RealService.with { _, configuration in
        var configuration = configuration
        configuration.approvalKeyGuard = .biometryAny
        let client = EnrollmentClient(configuration)
        _ = try await RealService.logIn(client)
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
        _ = try await RealService.logIn(client)
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
      _ = try await RealService.logIn(client)
      _ = try DeviceKey.approval(.userPresence).make(label: configuration.approvalKeyLabel)
      let error = await failure { try await client.logInByKey().value }
      guard case .problem(let problem) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(problem.code == .notAuthenticated)
    }
  }
}
