import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeyServerTestSupport
import Logging
import Testing

@testable import LatchkeyEnrollmentServer

/// Services that cancel tasks, and such whose answers are large, over the wire.
@Suite("A service that cancels, or answers much") struct MisbehavingServiceTests {
  private static func with(
    _ change: (inout ServerConfiguration) -> Void = { _ in },
    _ body: (OpenService, TestClient, _ ask: (String) async throws -> TestAnswer) async throws -> Void
  ) async throws {
    let service = try OpenService()
    try await RunningServer.with({
      $0.services = [service]
      change(&$0)
    }) { server in
      let device = try await server.device()
      try await server.withClient(device) { client in
        try await body(service, client) { key in
          try await client.send(server.signed(by: device, "POST", "/v1/trial", body: Array("{}".utf8), key: key))
        }
        service.behaves()
        let next = try await client.send(server.signed(by: device, "POST", "/v1/trial", body: Array("{}".utf8)))
        #expect(next.status == 201, "the server goes on")
      }
    }
  }

  @Test("A closure that cancels its task gets its request a 500, and the log says so") func cancels() async throws {
    let lines = LoggedLines()
    try await Self.with {
      $0.logger = Logger(label: "test") { _ in lines.handler }
    } _: { service, client, ask in
      service.prepares { withUnsafeCurrentTask { $0?.cancel() } }
      let answer1 = try await ask("0123456789abcdef")
      #expect(answer1.code == .internalError)
      #expect(lines.all.contains { $0.text.contains("canceled") && $0.text.contains("POST /v1/trial") })
      service.behaves()
      // In a transaction there is no task.
      service.decides { _ in
        withUnsafeCurrentTask { $0?.cancel() }
        return try .kept(201, json: ["kept"])
      }
      let answer2 = try await ask("0123456789abcdef")
      #expect(answer2.status == 201)
      service.reads { store in
        withUnsafeCurrentTask { $0?.cancel() }
        return try ServiceAnswer(json: try OpenService.count(store))
      }
      let answer3 = try await client.request("GET", "/v1/trial/rows")
      #expect(answer3.text == "[1]")
    }
  }

  @Test("CancellationError is an error like any other: a 500, and nothing is stored") func cancellationError()
    async throws
  {
    try await Self.with { service, client, ask in
      service.prepares { throw CancellationError() }
      let answer4 = try await ask("0123456789abcdef")
      #expect(answer4.code == .internalError)
      service.behaves()
      service.decides { _ in throw CancellationError() }
      let answer5 = try await ask("0123456789abcdef")
      #expect(answer5.code == .internalError)
      service.behaves()
      service.reads { _ in throw CancellationError() }
      let answer6 = try await client.request("GET", "/v1/trial/rows")
      #expect(answer6.code == .internalError)
      service.behaves()
      let answer7 = try await client.request("GET", "/v1/trial/rows")
      #expect(answer7.text == "[0]")
      let decided = try await ask("0123456789abcdef")
      #expect(decided.status == 201 && decided.header("idempotency-replayed") == nil)
    }
  }

  /// A value whose JSON has so many bytes.
  private static func value(_ size: Int) -> [String] { [String(repeating: "a", count: size - 4)] }

  @Test("An answer larger than the limit is a 500, and what was written is undone; one as large as it is sent and kept")
  func large() async throws {
    let limit = ServerLimits().answerSize
    try await Self.with { service, client, ask in
      for size in [limit + 1, 64 << 20] {
        service.decides { _ in try .kept(201, json: Self.value(size)) }
        let answer8 = try await ask("0123456789abcdef")
        #expect(answer8.code == .internalError)
        service.reads { _ in try ServiceAnswer(json: Self.value(size)) }
        let answer9 = try await client.request("GET", "/v1/trial/rows")
        #expect(answer9.code == .internalError)
      }
      service.behaves()
      let answer10 = try await client.request("GET", "/v1/trial/rows")
      #expect(answer10.text == "[0]")
      service.decides { _ in try .kept(201, json: Self.value(limit)) }
      let first = try await ask("0123456789abcdef")
      #expect(first.status == 201 && first.body.count == limit)
      service.behaves()
      let again = try await ask("0123456789abcdef")
      #expect(again.body == first.body && again.header("idempotency-replayed") == "true")
      service.reads { _ in try ServiceAnswer(json: Self.value(limit)) }
      let answer11 = try await client.request("GET", "/v1/trial/rows")
      #expect(answer11.body.count == limit)
    }
  }

  @Test("A server with a greater limit sends megabytes") func megabytes() async throws {
    try await Self.with {
      $0.limits.answerSize = 4 << 20
    } _: { service, client, _ in
      service.reads { _ in try ServiceAnswer(json: Self.value(4 << 20)) }
      let answer12 = try await client.request("GET", "/v1/trial/rows")
      #expect(answer12.body.count == 4 << 20)
    }
  }
}
