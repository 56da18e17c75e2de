import Foundation
import LatchkeyEnrollmentProtocol
import LatchkeyKeychainModel
import LatchkeyKeychainTesting
import LatchkeyServerTestSupport
import LatchkeySwiftTesting
import LatchkeyTLSTestSupport
import Security
import Testing

@testable import LatchkeyEnrollment

/// A request whose user has said what to approve if the service asks.
@Suite(.temporaryKeychain(typing: "1234")) struct ApprovedRequestTests {
  private let body = #"{"from":"123123456456","to":"654654123123","amount":"1000.00","currency":"EUR","notes":""}"#
  /// What `LedgerService` asks an approval of.
  private let text = "latchkey-transfer-v1\n12:12312345645612:6546541231237:1000.003:EUR0:"
  private let problem = Problem(
    .approvalRequired,
    challenge: Challenge(id: "challenge", value: Base64Bytes([UInt8](repeating: 7, count: 32)), expiresIn: 60))

  private static let problems = "application/problem+json"

  private func request(_ url: String, _ content: ServiceRequest.Content? = nil) -> ServiceRequest {
    var request = ServiceRequest(
      method: "POST", url: url + Routes.transfers, fields: [("Content-Type", "application/json")],
      content: content ?? .bytes(Array(body.utf8)))
    request.idempotencyKey = "transfer-of-november"
    return request
  }

  private func approval(_ text: String? = nil, for service: String = "ledger") -> StatedApproval {
    StatedApproval(of: text ?? self.text, for: service, reason: "approve the transfer of November")
  }

  /// Runs `body` with the sample bank, and a device whose user has an approval key.
  private func withBank(
    _ user: some PresencePrompter,
    _ body: (RunningServer, EnrollmentClient, () async throws -> Amount?) async throws -> Void
  ) async throws {
    try await TemporaryKeychain(passcode: "1234", prompter: user).use {
      try await RealService.with { server, configuration in
        let client = EnrollmentClient(configuration)
        _ = try await RealService.logIn(client)
        _ = try await client.registerApprovalKey().value
        try await body(server, client) {
          try await client.accounts().value.first { $0.number == RealService.checking }?.balance
        }
      }
    }
  }

  /// Runs `body` with a service that asks whatever the test says, and a device with an approval key.
  private func withFake(
    _ user: ScriptedPrompter, _ body: (FakeService, EnrollmentClient) async throws -> Void
  ) async throws {
    try await TemporaryKeychain(passcode: "1234", prompter: user).use {
      let (service, client) = try await enrolled()
      _ = try DeviceKey.approval(.userPresence).make(label: client.configuration.approvalKeyLabel)
      try await body(service, client)
    }
  }

  @Test("It is approved and sent again, is done once, and its repetition asks nobody") func approved() async throws {
    let user = ScriptedPrompter(always: "1234")
    try await withBank(user) { server, client, balance in
      let asked = user.questions.count
      let answer = try await client.send(request(server.url), approving: approval())
      #expect(answer.outcome == .sent && answer.response.status == 201 && answer.response.isVerified)
      let receipt = try JSONDecoder().decode(
        TransferReceipt.self, from: Data(try await answer.response.body.collect(upTo: 4096)))
      #expect(receipt.amount == Amount("1000.00"))
      #expect(user.questions.count == asked + 1)
      #expect(user.questions.last?.reason == "approve the transfer of November")
      let again = try await client.send(request(server.url), approving: approval())
      #expect(again.outcome == .notSent && again.response.status == 201)
      #expect(again.response.field("idempotency-replayed") == "true" && user.questions.count == asked + 1)
      #expect(try await balance() == Amount("4000.00"))
    }
  }

  @Test(
    "Another text or another service is not approved; the user was asked once, and nothing is done",
    arguments: [("latchkey-transfer-v1\n12:12312345645612:6546541231237:1000.003:EUR0:\n", "ledger"), (nil, "meter")])
  func another(_ text: String?, _ service: String) async throws {
    let user = ScriptedPrompter(always: "1234")
    try await withBank(user) { server, client, balance in
      let asked = user.questions.count
      let answer = try await client.send(request(server.url), approving: approval(text, for: service))
      #expect(answer.outcome == .notAccepted && answer.refusal?.code == .approvalRequired)
      #expect(user.questions.count == asked + 1)
      #expect(try await balance() == Amount("5000.00"))
    }
  }

  @Test("A user who agrees after the challenge's end is too late, and nothing is done") func late() async throws {
    let clock = Clocks()
    let user = ClosurePrompter { (_, _) in
      clock.advance()
      return Array("1234".utf8)
    }
    try await withBank(user) { server, client, balance in
      clock.clock = server.clock
      let answer = try await client.send(request(server.url), approving: approval())
      #expect(answer.outcome == .late(lifetime: 60))
      #expect(try await balance() == Amount("5000.00"))
    }
  }

  /// The server's clock, once there is a server.
  private final class Clocks: @unchecked Sendable {
    nonisolated(unsafe) var clock: MovableClock?
    func advance() { clock?.advance(by: 60) }
  }

  @Test("A service that asks again and again gets one approval: same key, same content, another nonce")
  func bounded() async throws {
    let user = ScriptedPrompter(always: "1234")
    try await withFake(user) { service, client in
      for _ in 0..<4 { service.fail(Routes.transfers, .refuseSigned(problem)) }
      // A pipe can be read once.
      let pipe = Pipe()
      try pipe.fileHandleForWriting.write(contentsOf: Data(body.utf8))
      try pipe.fileHandleForWriting.close()
      let url = "https://localhost:\(service.server.port)"
      let path = "/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)"
      let answer = try await client.send(request(url, .file(path: path)), approving: approval())
      #expect(answer.outcome == .notAccepted && user.questions.count == 1)
      let sent = service.requests(Routes.transfers)
      #expect(sent.count == 2 && service.bookings == 0)
      #expect(sent.allSatisfy { $0.body == Array(body.utf8) && $0["idempotency-key"] == "transfer-of-november" })
      #expect(sent.map { $0[HeaderNames.approval] != nil } == [false, true])
      #expect(Set(sent.compactMap { $0["signature-input"] }).count == 2)
      #expect(sent.last?["signature-input"]?.contains("\"latchkey-approval\"") == true)
    }
  }

  @Test("A challenge that the server's key has not signed, or that is missing, is not shown to the user")
  func unsigned() async throws {
    let user = ScriptedPrompter(always: "1234")
    try await withFake(user) { service, client in
      let url = "https://localhost:\(service.server.port)"
      for fault in [FakeService.Fault.refuse(problem), .refuseSigned(Problem(.approvalRequired))] {
        service.fail(Routes.transfers, fault)
        let error = await failure { try await client.send(request(url), approving: approval()) }
        guard case .cannotVerify = error else {
          Issue.record("\(fault): \(String(describing: error))")
          continue
        }
      }
      #expect(user.questions.isEmpty && service.requests(Routes.transfers).count == 2)
    }
  }

  @Test("A second refusal that the server's key has not signed does not say that nothing was done") func unsignedAgain()
    async throws
  {
    try await withFake(ScriptedPrompter(always: "1234")) { service, client in
      service.fail(Routes.transfers, .refuseSigned(problem))
      service.fail(Routes.transfers, .refuse(problem))
      let error = await failure {
        try await client.send(request("https://localhost:\(service.server.port)"), approving: approval())
      }
      guard case .cannotVerify(let detail) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(detail.contains("may have been carried out") && service.requests(Routes.transfers).count == 2)
    }
  }

  @Test(
    "A challenge may have any lifetime",
    arguments: [
      (Int.min, ApprovableResponse.Outcome.late(lifetime: 0)), (-5, .late(lifetime: 0)), (Int.max, .notAccepted),
    ])
  func lifetimes(_ seconds: Int, _ outcome: ApprovableResponse.Outcome) async throws {
    try await withFake(ScriptedPrompter(always: "1234")) { service, client in
      let strange = Problem(
        .approvalRequired,
        challenge: Challenge(
          id: "challenge", value: Base64Bytes([UInt8](repeating: 7, count: 32)), expiresIn: seconds))
      for _ in 0..<2 { service.fail(Routes.transfers, .refuseSigned(strange)) }
      let answer = try await client.send(
        request("https://localhost:\(service.server.port)"), approving: approval())
      #expect(answer.outcome == outcome)
    }
  }

  @Test("Without an approval key, and where the user cancels, it is not sent again, and the error says so")
  func declined() async throws {
    let user = ScriptedPrompter()
    try await withFake(user) { service, client in
      let url = "https://localhost:\(service.server.port)"
      for hasKey in [true, false] {
        if !hasKey { try DeviceKey.delete(label: client.configuration.approvalKeyLabel) }
        let error = await failure { try await client.send(request(url), approving: approval()) }
        guard case .keychain(let status, let detail) = error else {
          Issue.record("\(String(describing: error))")
          continue
        }
        #expect(status == (hasKey ? errSecUserCanceled : errSecItemNotFound))
        #expect(detail.hasPrefix("nothing was approved: "), "\(detail)")
      }
      #expect(service.requests(Routes.transfers).count == 2 && service.bookings == 0)
    }
  }

  @Test("No approval is made unless one is stated and asked for, and a refusal keeps its content")
  func notAsked() async throws {
    let user = ScriptedPrompter(always: "1234")
    try await withFake(user) { service, client in
      let url = "https://localhost:\(service.server.port)"
      let refused = try await client.send(request(url), approving: nil)
      #expect(refused.outcome == .notSent && refused.refusal?.code == .approvalRequired)
      let content = try await refused.response.body.collect(upTo: 4096)
      #expect(try JSONDecoder().decode(Problem.self, from: Data(content)).challenge?.id == "challenge")
      service.fail(Routes.transfers, .refuseSigned(Problem(.notPermitted)))
      let forbidden = try await client.send(request(url), approving: approval())
      #expect(forbidden.outcome == .notSent && forbidden.refusal?.code == .notPermitted)
      #expect(try await !forbidden.response.body.collect(upTo: 4096).isEmpty)
      // No problem of an enrollment server.
      let codes = [402, 403].map { #"{"type":"","title":"","status":\#($0),"code":"approval_required"}"# }
      for (text, type) in [
        ("", Self.problems), ("{}", Self.problems), (codes[0], Self.problems), (codes[1], "text/plain"),
      ] {
        service.fail(Routes.transfers, .say(403, text, type: type))
        let other = try await client.send(request(url), approving: approval())
        #expect(other.outcome == .notSent && other.refusal == nil && other.response.status == 403)
        #expect(try await other.response.body.collect(upTo: 4096) == Array(text.utf8))
      }
      let long = String(repeating: "a", count: 70_000)
      for stated in [nil, approval()] {
        service.fail(Routes.transfers, .say(403, long, type: Self.problems))
        let other = try await client.send(request(url), approving: stated)
        #expect(other.outcome == .notSent && other.refusal == nil)
        #expect(try await other.response.body.collect(upTo: long.utf8.count) == Array(long.utf8))
      }
      #expect(user.questions.isEmpty)
    }
  }
}
