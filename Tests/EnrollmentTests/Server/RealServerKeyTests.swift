import EnrollmentProtocol
import Foundation
import KeychainModel
import KeychainTesting
import Security
import Testing

@testable import Enrollment

/// Challenges, renewal and the end of a device, against the server itself.
@Suite(.temporaryKeychain) struct RealServerKeyTests {
  private let large = Transfer(
    from: RealService.checking, to: RealService.savings, amount: Amount(minorUnits: 100_000), currency: "EUR")

  @Test func aLargeTransferIsApprovedByTheUser() async throws {
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

  @Test func aLoginByKeyNeedsTheUserAndNoPassword() async throws {
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

  @Test func aLoginByAKeyThatIsNotRegisteredIsRefused() async throws {
    try await RealService.with { _, configuration in
      let client = EnrollmentClient(configuration)
      _ = try await logIn(client)
      _ = try DeviceKey.approval.make(label: configuration.approvalKeyLabel)
      let error = await failure { try await client.logInByKey().value }
      guard case .problem(let problem) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(problem.code == .notAuthenticated)
    }
  }

  @Test func aLoginByCertificateNeedsNothingElse() async throws {
    try await RealService.with { _, configuration in
      let client = EnrollmentClient(configuration)
      _ = try await logIn(client)
      #expect(try await client.logInByCertificate().value.user == "demo")
      #expect(try await client.deviceStatus().name == "my device")
    }
  }

  @Test func aCertificateIsRenewedOverItself() async throws {
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

  @Test func aRevokedDeviceIsRefusedAndForgetsItself() async throws {
    try await RealService.with { _, configuration in
      let client = EnrollmentClient(configuration)
      _ = try await logIn(client)
      try await client.revoke().value
      #expect(await failure { try await client.accounts().value } == .notEnrolled)
    }
  }

  private func logIn(_ client: EnrollmentClient) async throws -> LoginOutcome {
    try await client.logIn(user: "demo", password: RunningServer.password, deviceName: "my device").value
  }
}
