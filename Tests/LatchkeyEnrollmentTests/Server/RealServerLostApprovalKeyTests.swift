import Foundation
import LatchkeyEnrollmentProtocol
import LatchkeyKeychainModel
import LatchkeyKeychainTesting
import LatchkeyServerTestSupport
import LatchkeySwiftTesting
import Security
import Testing

@testable import LatchkeyEnrollment

/// A registered approval key that is gone, that another one has replaced, or that an earlier version recorded, against the server itself.
@Suite(.temporaryKeychain(typing: "1234")) struct RealServerLostApprovalKeyTests {
  @Test("An unguarded key that an earlier version registered approves nothing, and the error names the remedy")
  func unguardedRegistration() async throws {
    try await TemporaryKeychain(passcode: "1234", prompter: ScriptedPrompter(always: "1234")).use {
      try await RealService.with { _, configuration in
        let client = EnrollmentClient(configuration)
        _ = try await RealService.logIn(client)
        _ = try await client.registerApprovalKey().value
        try DeviceKey.delete(label: configuration.approvalKeyLabel)
        _ = try DeviceKey.identity.make(label: configuration.approvalKeyLabel)
        try await forgetWhichKey(client)
        #expect(try await client.approvalKeyState() == .unguarded)
        for error in [
          await failure { try await client.transfer(RealService.largeTransfer).value },
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
        _ = try await RealService.logIn(client)
        #expect(try await !client.hasLostApprovalKey())
        _ = try await client.registerApprovalKey().value
        #expect(try await !client.hasLostApprovalKey())
        try DeviceKey.delete(label: configuration.approvalKeyLabel)
        #expect(try await client.hasLostApprovalKey())
        for error in [
          await failure { try await client.transfer(RealService.largeTransfer).value },
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
        _ = try await RealService.logIn(client)
        #expect(try await client.registerApprovalKey().value.hasApprovalKey)
        #expect(try await client.transfer(RealService.largeTransfer).value.isApproved)
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
        _ = try await RealService.logIn(client)
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
          await failure { try await client.transfer(RealService.largeTransfer).value },
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
        _ = try await RealService.logIn(client)
        #expect(try await client.approvalKeyState() == .none)
        _ = try await client.registerApprovalKey().value
        #expect(try await client.approvalKeyState() == .registered)
        #expect(try await client.transfer(RealService.largeTransfer).value.isApproved)
      }
    }
  }

  @Test("of two keys under one label the registered one signs, whatever the other is")
  func twoKeysOfOneLabel() async throws {
    let user = ScriptedPrompter(always: "1234")
    try await TemporaryKeychain(passcode: "1234", prompter: user).use {
      try await RealService.with { _, configuration in
        let client = EnrollmentClient(configuration)
        _ = try await RealService.logIn(client)
        _ = try DeviceKey.approval(.userPresence).make(label: "other")
        _ = try await client.registerApprovalKey().value
        try DeviceKey.rename("other", to: configuration.approvalKeyLabel)
        _ = try DeviceKey.identity.make(label: configuration.approvalKeyLabel)
        #expect(try await client.approvalKeyState() == .registered)
        let asked = user.questions.count
        #expect(try await client.logInByKey().value.user == "demo")
        #expect(try await client.transfer(RealService.largeTransfer).value.isApproved)
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
        _ = try await RealService.logIn(client)
        _ = try await client.registerApprovalKey().value
        let key = try #require(try await client.record()?.approvalKey)
        #expect(key.count == 65)
        try await forgetWhichKey(client)
        #expect(try await client.approvalKeyState() == .registered)
        _ = try await client.logInByKey().value
        #expect(try await client.record()?.approvalKey == key)
        try await forgetWhichKey(client)
        #expect(try await client.transfer(RealService.largeTransfer).value.isApproved)
        #expect(try await client.record()?.approvalKey == key)

        // Only the server detects another key under the label; it is refused, and nothing stays open.
        try await forgetWhichKey(client)
        try DeviceKey.delete(label: configuration.approvalKeyLabel)
        _ = try DeviceKey.approval(.userPresence).make(label: configuration.approvalKeyLabel)
        guard case .problem(let login) = await failure({ try await client.logInByKey().value }),
          case .problem(let transfer) = await failure({ try await client.transfer(RealService.largeTransfer).value })
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

  /// Makes an enrollment one of an earlier version.
  private func forgetWhichKey(_ client: EnrollmentClient) async throws {
    var record = try #require(try await client.record())
    record.approvalKey = nil
    try await client.save(record)
  }
}
