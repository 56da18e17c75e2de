import Crypto
import Foundation
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeyLedger
import LatchkeyServerTestSupport
import MeterReadings
import Testing

@testable import LatchkeyEnrollmentServer

/// The service of `Examples/006-meter` over the wire, beside the sample bank.
@Suite("A service's route") struct ServiceRoutesTests {
  private static let path = "/v1/readings"

  private static func with(_ body: (RunningServer, TestDevice, P256.Signing.PrivateKey) async throws -> Void)
    async throws
  {
    try await RunningServer.with({ $0.services = [try MeterReadings(), try LedgerService()] }) { server in
      let (device, approvalKey) = (try await server.device(), P256.Signing.PrivateKey())
      try await server.store.write { store in
        var record = try #require(try store.device(device.id))
        record.approvalKey = approvalKey.point
        try store.updateDevice(record)
      }
      try await body(server, device, approvalKey)
    }
  }

  private static func body(_ liters: Int64) throws -> [UInt8] { try JSONBytes.encode(MeterReading(liters: liters)) }

  private static func count(_ server: RunningServer) async throws -> Int64? {
    try await server.store.read { try $0.row("SELECT COUNT(*) FROM meter_readings")?.integer(0) }
  }

  private static let key = "0123456789abcdef"

  @Test("A request is decided once: repeated, it gets the same bytes, and another body under its key is refused")
  func once() async throws {
    try await Self.with { server, device, _ in
      try await server.withClient(device) { client in
        let first = try await client.send(
          server.signed(by: device, "POST", Self.path, body: Self.body(7), key: Self.key))
        #expect(first.status == 201)
        #expect(try first.decoded(MeterReceipt.self).liters == 7)
        let again = try await client.send(
          server.signed(by: device, "POST", Self.path, body: Self.body(7), key: Self.key))
        #expect(again.status == 201 && again.body == first.body && again.header("idempotency-replayed") == "true")
        let other = try await client.send(
          server.signed(by: device, "POST", Self.path, body: Self.body(8), key: Self.key))
        #expect(other.code == .idempotencyMismatch)
        // The key is this service's alone.
        let accounts = try await server.openAccounts()
        let transfer = Transfer(from: accounts.from, to: accounts.to, amount: Amount(minorUnits: 1), currency: "EUR")
        let elsewhere = try await client.send(
          server.signed(by: device, body: JSONBytes.encode(transfer), key: Self.key))
        #expect(elsewhere.status == 201)
      }
      #expect(try await Self.count(server) == 1)
    }
  }

  @Test("Without a certificate, a signature, a key or a whole body nothing is decided")
  func refused() async throws {
    try await Self.with { server, device, _ in
      let other = try await server.device()
      let request = try server.signed(by: device, "POST", Self.path, body: Self.body(7))
      let (unknown, foreign) = (
        try await server.withClient { try await $0.send(request) },
        try await server.withClient(other) { try await $0.send(request) }
      )
      #expect(unknown.code == .certificateRequired && foreign.code == .notAuthenticated)
      try await server.withClient(device) { client in
        let plain = try await client.request(
          "POST", Self.path, headers: [("content-type", "application/json")], body: Self.body(7))
        #expect(plain.code == .malformedRequest)
        for body in ["{}", "{\"liters\":\"7\"}", "[7]", "{\"liters\":7", "{\"liters\":7,\"liters\":8}"] {
          let answer = try await client.send(server.signed(by: device, "POST", Self.path, body: Array(body.utf8)))
          #expect(answer.code == .malformedRequest, "\(body)")
        }
        let negative = try await client.send(server.signed(by: device, "POST", Self.path, body: Self.body(-1)))
        #expect(negative.code == .invalidValue)
        let keyless = try server.signed(by: device, "POST", Self.path, body: Self.body(7), key: nil)
        #expect(try await client.send(keyless).code == .malformedRequest)
        #expect(try await client.request("DELETE", Self.path).status == 405)
      }
      #expect(try await Self.count(server) == 0)
    }
  }

  @Test("An approval for one service is none for another, though device, key and content are the same")
  func approvals() async throws {
    try await Self.with { server, device, approvalKey in
      try await server.withClient(device) { client in
        func ask(_ liters: Int64, _ approval: Approval? = nil) async throws -> TestAnswer {
          try await client.send(
            server.signed(by: device, "POST", Self.path, body: Self.body(liters), approval: approval))
        }
        func answer(_ challenge: Challenge, _ purpose: ChallengePurpose) throws -> Approval {
          Approval(
            challengeID: challenge.id,
            signature: try approvalKey.signature(of: challenge, purpose, MeterReading(liters: 3).approved.bytes))
        }
        func asked(_ purpose: ChallengePurpose) async throws -> Challenge {
          let content = Base64Bytes(MeterReading(liters: 3).approved.bytes)
          let answer = try await client.request(
            "POST", Routes.challenges, headers: [("content-type", "application/json")],
            body: JSONBytes.encode(ChallengeRequest(purpose: purpose, content: content)))
          return try answer.decoded(Challenge.self)
        }
        #expect(try await ask(7).status == 201)
        let challenge = try #require(try await ask(3).decoded(Problem.self).challenge)
        #expect(try await ask(3, answer(challenge, .service("ledger"))).code == .approvalRequired)
        let ledger = try await asked(.service("ledger"))
        #expect(try await ask(3, answer(ledger, .service("ledger"))).code == .approvalRequired)
        let mixed = try await asked(.service("ledger"))
        #expect(try await ask(3, answer(mixed, .service("meter"))).code == .approvalRequired)
        let own = try await asked(.service("meter"))
        #expect(try await ask(2, answer(own, .service("meter"))).code == .approvalRequired)
        let good = try await asked(.service("meter"))
        #expect(try await ask(3, answer(good, .service("meter"))).status == 201)
        #expect(try await ask(3, answer(good, .service("meter"))).status == 201, "no approval is needed any more")
        let unknown = try await client.request(
          "POST", Routes.challenges, headers: [("content-type", "application/json")],
          body: Array(#"{"purpose":"service-other","content":"\#(String(repeating: "A", count: 43))="}"#.utf8))
        #expect(unknown.code == .malformedRequest && unknown.text.contains("no service other"))
        for name in ["", "Meter", "1st", "meter ", "abcdefghijklmnopq"] {
          #expect(ChallengePurpose(rawValue: "service-\(name)") == nil)
        }
      }
    }
  }
}
