import Crypto
import Foundation
import LatchkeyCertificateAuthority
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeyPostgresTestSupport
import LatchkeyServerTestSupport
import Testing

@testable import LatchkeyEnrollmentServer

#if PostgreSQL
  import LatchkeyEnrollmentPostgres
#endif

/// What a decision leaves behind that writes first and refuses then.
@Suite("A service that writes, and then refuses") struct ServiceRefusalTests {
  @Test("Its rows and audit entries are undone; nonce, approval and challenge are not") func undone() async throws {
    try await RefusalScenario.undone { _ in }
  }

  @Test("An answer that was kept is repeated, whatever the service decides later") func kept() async throws {
    try await RefusalScenario.kept { _ in }
  }

  @Test("An approval that two servers get at once counts once") func once() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-service-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "server.db").path
    try await RefusalScenario.once { number in
      { $0.store = try SQLiteStore(path: path, node: "test \(number)") }
    }
  }

  @Test("A service that asks about two contents in one request has made a mistake; about one twice, none")
  func twoContents() async throws {
    let service = try TrialService()
    try await RefusalScenario.with(service, { _ in }) { server, ask, _ in
      service.decides { store in
        _ = try store.missingApproval(of: RefusalScenario.content(1))
        _ = try store.missingApproval(of: RefusalScenario.content(2))
        return .refused(Problem(.notPermitted))
      }
      #expect(try await ask("/v1/trial", nil).code == .internalError)
      service.decides { store in
        let first = try store.missingApproval(of: RefusalScenario.content(1))
        let second = try store.missingApproval(of: RefusalScenario.content(1))
        guard let first, let second, first == second else { return try .kept(200, json: ["different"]) }
        return .refused(second)
      }
      #expect(try await ask("/v1/trial", nil).code == .approvalRequired)
      let written = try await TrialService.written(in: server.store)
      #expect(written == [0, 0])
    }
  }

  @Test("A transaction that a service keeps does nothing after its end, and the server goes on") func captured()
    async throws
  {
    let (service, kept) = (try TrialService(), Kept())
    try await RefusalScenario.with(service, { _ in }) { server, ask, _ in
      service.decides { store in
        kept.transaction = store
        return try .kept(200, json: ["kept"])
      }
      #expect(try await ask("/v1/trial", nil).status == 200)
      let transaction = try #require(kept.transaction)
      let uses: [(SignedTransaction) throws -> Void] = [
        { _ = try $0.rows("SELECT name FROM trial_rows") }, { _ = try $0.change("DELETE FROM trial_rows", []) },
        { _ = try $0.beginChange("DELETE FROM trial_rows", []) },
        { _ = try $0.changedRows("DELETE FROM trial_rows RETURNING name", []) }, { try $0.audit("tried", [:]) },
        { _ = try $0.device($0.device.id) }, { _ = try $0.devices(of: "demo") }, { _ = try $0.hasUser("demo") },
        { _ = try $0.missingApproval(of: RefusalScenario.content(1)) },
      ]
      for use in uses {
        #expect {
          try use(transaction)
        } throws: {
          if case EnrollmentStoreError.misuse(let text) = $0 { text.contains("has ended") } else { false }
        }
      }
      let written = try await TrialService.written(in: server.store)
      #expect(written == [1, 1])
      #expect(try await ask("/v1/again", nil).status == 200)
    }
  }

  private final class Kept: @unchecked Sendable { nonisolated(unsafe) var transaction: SignedTransaction? }

  @Test("A key that one route has answered is refused at another route of the service") func otherRoute() async throws {
    let service = try TrialService()
    service.decides { _ in try .kept(200, json: ["kept"]) }
    try await RunningServer.with({ $0.services = [service] }) { server in
      let device = try await server.device()
      try await server.withClient(device) { client in
        func ask(_ path: String) async throws -> TestAnswer {
          try await client.send(
            server.signed(by: device, "POST", path, body: Array("{}".utf8), key: "0123456789abcdef"))
        }
        let (first, second) = (try await ask("/v1/trial"), try await ask("/v1/again"))
        #expect(first.status == 200 && second.code == .idempotencyMismatch)
      }
      let written = try await TrialService.written(in: server.store)
      #expect(written == [1, 1])
    }
  }
}

#if PostgreSQL
  /// The same on PostgreSQL.
  @Suite("A service that writes, and then refuses, on PostgreSQL", .enabled(if: TestServer.isThere))
  struct ServicesOnPostgresTests {
    @Test("Its rows and audit entries are undone; nonce, approval and challenge are not") func undone() async throws {
      let database = try TestDatabase()
      try await RefusalScenario.undone { $0.store = try PostgresStore(database.address, node: "test", logger: .quiet) }
    }

    @Test("An answer that was kept is repeated, whatever the service decides later") func kept() async throws {
      let database = try TestDatabase()
      try await RefusalScenario.kept { $0.store = try PostgresStore(database.address, node: "test", logger: .quiet) }
    }

    @Test("An approval that two servers get at once counts once") func once() async throws {
      let database = try TestDatabase()
      try await RefusalScenario.once { number in
        { $0.store = try PostgresStore(database.address, node: "test \(number)", logger: .quiet) }
      }
    }
  }
#endif

private enum RefusalScenario {
  typealias Change = (inout ServerConfiguration) throws -> Void
  /// Sends a request of its own key and nonce.
  typealias Ask = (_ path: String, _ approval: Approval?) async throws -> TestAnswer
  typealias Sign = (Challenge) throws -> Approval

  static func content(_ number: UInt8) -> ApprovedDigest { ApprovedDigest(SHA256.hash(data: [number])) }

  /// A server with the service, and a device with an approval key.
  static func with(
    _ service: TrialService, _ change: Change, _ body: (RunningServer, Ask, Sign) async throws -> Void
  ) async throws {
    try await RunningServer.with({
      try change(&$0)
      $0.services = [service]
    }) { server in
      let (device, approvalKey) = (try await server.device(), P256.Signing.PrivateKey())
      try await server.store.write { store in
        var record = try #require(try store.device(device.id))
        record.approvalKey = approvalKey.point
        try store.updateDevice(record)
      }
      try await server.withClient(device) { client in
        try await body(
          server,
          { path, approval in
            try await client.send(
              server.signed(by: device, "POST", path, body: Array("{}".utf8), approval: approval))
          },
          { challenge in
            Approval(
              challengeID: challenge.id,
              signature: try approvalKey.signature(of: challenge, .service("trial"), content(1).bytes))
          })
      }
    }
  }

  static func undone(_ change: Change) async throws {
    let service = try TrialService()
    service.decides { store in
      if let missing = try store.missingApproval(of: content(1)) { return .refused(missing) }
      return .refused(Problem(.notPermitted, detail: "not today"))
    }
    try await with(service, change) { server, ask, sign in
      let refused = try await ask("/v1/trial", nil)
      let challenge = try #require(try refused.decoded(Problem.self).challenge)
      let approval = try sign(challenge)
      #expect(try await ask("/v1/trial", approval).code == .notPermitted, "the challenge was stored")
      #expect(try await ask("/v1/trial", approval).code == .approvalRequired, "the approval was used up")
      let written = try await TrialService.written(in: server.store)
      #expect(written == [0, 0])
      let device = try await server.device()
      let request = try server.signed(by: device, "POST", "/v1/trial", body: Array("{}".utf8))
      try await server.withClient(device) { client in
        let (first, second) = (try await client.send(request), try await client.send(request))
        #expect(first.code == .notPermitted && second.code == .replayed, "the nonce was used up")
      }
    }
  }

  static func kept(_ change: Change) async throws {
    let service = try TrialService()
    service.decides { _ in try .kept(201, json: ["kept"]) }
    try await RunningServer.with({
      try change(&$0)
      $0.services = [service]
    }) { server in
      let device = try await server.device()
      try await server.withClient(device) { client in
        func ask(_ key: String) async throws -> TestAnswer {
          try await client.send(server.signed(by: device, "POST", "/v1/trial", body: Array("{}".utf8), key: key))
        }
        let first = try await ask("0123456789abcdef")
        service.decides { _ in .refused(Problem(.notPermitted, detail: "not any more")) }
        #expect(try await ask("fedcba9876543210").code == .notPermitted)
        let again = try await ask("0123456789abcdef")
        #expect(again.status == 201 && again.body == first.body && again.header("idempotency-replayed") == "true")
        let written = try await TrialService.written(in: server.store)
        #expect(written == [1, 1])
        service.decides { _ in try .kept(202, json: ["later"]) }
        #expect(try await ask("fedcba9876543210").status == 202, "a refusal is not kept")
      }
    }
  }

  static func once(_ change: (Int) -> Change) async throws {
    let (one, other) = (try TrialService(), try TrialService())
    for service in [one, other] {
      service.decides { store in
        if let missing = try store.missingApproval(of: content(1)) { return .refused(missing) }
        return try .kept(201, json: ["approved"])
      }
    }
    try await RunningServer.with({
      try change(1)(&$0)
      $0.services = [one]
    }) { first in
      let (device, approvalKey) = (try await first.device(), P256.Signing.PrivateKey())
      try await first.store.write { store in
        var record = try #require(try store.device(device.id))
        record.approvalKey = approvalKey.point
        try store.updateDevice(record)
      }
      // By another clock a challenge of the first server may have ended at the second.
      try await RunningServer.with(clock: first.clock) {
        try change(2)(&$0)
        $0.services = [other]
        $0.alsoTrusted = first.authority.chain
      } _: { second in
        try await first.withClient(device) { client in
          try await second.withClient(device) { otherClient in
            @Sendable func ask(_ server: RunningServer, _ client: TestClient, _ approval: Approval?) async throws
              -> TestAnswer
            {
              try await client.send(
                server.signed(by: device, "POST", "/v1/trial", body: Array("{}".utf8), approval: approval))
            }
            for _ in 0..<8 {
              let challenge = try #require(try await ask(first, client, nil).decoded(Problem.self).challenge)
              let approval = Approval(
                challengeID: challenge.id,
                signature: try approvalKey.signature(of: challenge, .service("trial"), content(1).bytes))
              async let here = ask(first, client, approval)
              async let there = ask(second, otherClient, approval)
              let statuses = try await [here.status, there.status].sorted()
              #expect(statuses == [201, 403])
            }
          }
        }
      }
      let written = try await TrialService.written(in: first.store)
      #expect(written == [8, 8])
    }
  }
}
