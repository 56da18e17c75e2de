import Foundation
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeyPostgresTestSupport
import LatchkeyServerTestSupport
import Testing

@testable import LatchkeyEnrollmentServer

#if PostgreSQL
  import LatchkeyEnrollmentPostgres
#endif

/// What becomes of a server one of whose services does not return, over the wire.
@Suite("A service that does not return", .timeLimit(.minutes(5))) struct StuckServiceTests {
  @Test("Its request and those behind it are refused at the limit, other routes answer, and what it did is undone")
  func decision() async throws { try await StuckScenario.decision(isAlone: true) { _ in } }

  @Test("A closure that runs statements without end is ended by the limit") func statements() async throws {
    try await StuckScenario.statements { _ in }
  }

  @Test("A statement without end is ended by the limit") func statement() async throws {
    try await StuckScenario.statement { _ in }
  }

  @Test("A closure that reads and does not return is in nobody's way") func reading() async throws {
    try await StuckScenario.reading { _ in }
  }

  @Test("A server that is stopped ends without it, and names it") func stop() async throws {
    try await StuckScenario.stop { _ in }
  }

  @Test("A client that disconnects takes nothing back: the answer is kept for its next try") func gone() async throws {
    try await StuckScenario.gone { _ in }
  }
}

#if PostgreSQL
  /// The same on PostgreSQL.
  @Suite("A service that does not return, on PostgreSQL", .enabled(if: TestServer.isThere), .timeLimit(.minutes(5)))
  struct StuckServiceOnPostgresTests {
    /// A store whose statements may last as long as a transaction.
    private func store(_ database: TestDatabase) -> StuckScenario.Change {
      {
        var configuration = PostgresStore.Configuration()
        configuration.timeouts.statement = .milliseconds(Int64(StuckScenario.limit * 1000))
        $0.store = try PostgresStore(database.address, node: "test", configuration: configuration, logger: .quiet)
      }
    }

    @Test("Its request is refused at the limit, others are answered, and what it did is undone")
    func decision() async throws { try await StuckScenario.decision(isAlone: false, store(TestDatabase())) }

    @Test("A closure that runs statements without end is ended by the limit") func statements() async throws {
      try await StuckScenario.statements(store(TestDatabase()))
    }

    @Test("A statement without end is ended by the limit") func statement() async throws {
      try await StuckScenario.statement(store(TestDatabase()))
    }

    @Test("A closure that reads and does not return is in nobody's way") func reading() async throws {
      try await StuckScenario.reading(store(TestDatabase()))
    }

    @Test("A server that is stopped ends without it, and names it") func stop() async throws {
      try await StuckScenario.stop(store(TestDatabase()))
    }

    @Test("A client that disconnects takes nothing back: the answer is kept for its next try") func gone()
      async throws
    {
      try await StuckScenario.gone(store(TestDatabase()))
    }
  }
#endif

private enum StuckScenario {
  typealias Change = (inout ServerConfiguration) throws -> Void

  /// Seconds: more than an honest transaction takes on a machine that is busy.
  static let limit = 2.0

  static func limit(_ configuration: inout ServerConfiguration, _ service: OpenService) {
    configuration.services = [service]
    configuration.limits.transactionTime = limit
    configuration.limits.requestTimeout = limit
  }

  /// Runs `body` with a server, a device, its client, and a way to send a signed request under a key.
  static func with(
    _ service: OpenService, _ change: Change,
    _ body: (RunningServer, TestClient, _ ask: @escaping @Sendable (String) async throws -> TestAnswer) async throws ->
      Void
  ) async throws {
    try await RunningServer.with({
      try change(&$0)
      limit(&$0, service)
    }) { server in
      let device = try await server.device()
      try await server.withClient(device) { client in
        try await body(server, client) { key in
          try await client.send(server.signed(by: device, "POST", "/v1/trial", body: Array("{}".utf8), key: key))
        }
      }
    }
  }

  /// Asks as clients do: again while the server is not available.
  static func insist(_ ask: () async throws -> TestAnswer) async throws -> TestAnswer {
    while true {
      let answer = try await ask()
      guard answer.code == .unavailable else { return answer }
    }
  }

  static func decision(isAlone: Bool, _ change: Change) async throws {
    let (service, halt) = (try OpenService(), Halt())
    service.decides { _ in
      halt.wait()
      return try .kept(201, json: ["late"])
    }
    try await with(service, change) { server, client, ask in
      async let stuck = ask("0123456789abcdef")
      await halt.arrived()
      service.behaves()
      let answer1 = try await client.request("GET", Routes.device)
      #expect(answer1.status == 200)
      let answer2 = try await client.request("GET", "/v1/trial/rows")
      #expect(answer2.text == "[0]")
      let behind = try await ask("behind-9abcdef01")
      #expect(behind.status == (isAlone ? 503 : 201))
      if isAlone { #expect(behind.header("retry-after") != nil) }
      let answer3 = try await stuck
      #expect(answer3.code == .unavailable)
      let answer4 = try await client.request("GET", "/v1/trial/rows")
      #expect(answer4.text == (isAlone ? "[0]" : "[1]"))
      halt.release()
      let again = try await insist { try await ask("0123456789abcdef") }
      #expect(again.status == 201 && again.text == #"["kept"]"# && again.header("idempotency-replayed") == nil)
      let answer5 = try await client.request("GET", "/v1/trial/rows")
      #expect(answer5.text == (isAlone ? "[1]" : "[2]"))
    }
  }

  static func statements(_ change: Change) async throws {
    let service = try OpenService()
    service.decides { store in while true { _ = try store.rows("SELECT name FROM trial_rows") } }
    service.reads { store in while true { _ = try store.rows("SELECT name FROM trial_rows") } }
    try await with(service, change) { server, client, ask in
      let answer6 = try await ask("0123456789abcdef")
      #expect(answer6.code == .unavailable)
      let answer7 = try await client.request("GET", "/v1/trial/rows")
      #expect(answer7.code == .unavailable)
      service.behaves()
      let again = try await insist { try await ask("0123456789abcdef") }
      #expect(again.status == 201)
      let answer8 = try await client.request("GET", "/v1/trial/rows")
      #expect(answer8.text == "[1]")
    }
  }

  static func statement(_ change: Change) async throws {
    let service = try OpenService()
    service.decides { store in
      _ = try store.rows(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 - i FROM n) SELECT COUNT(*) FROM n")
      return try .kept(201, json: ["late"])
    }
    try await with(service, change) { _, client, ask in
      let answer9 = try await ask("0123456789abcdef")
      #expect(answer9.code == .unavailable)
      service.behaves()
      let again = try await insist { try await ask("0123456789abcdef") }
      #expect(again.status == 201)
      let answer10 = try await client.request("GET", "/v1/trial/rows")
      #expect(answer10.text == "[1]")
    }
  }

  static func reading(_ change: Change) async throws {
    let (service, halt) = (try OpenService(), Halt())
    service.reads { store in
      halt.wait()
      return try ServiceAnswer(json: try OpenService.count(store))
    }
    try await with(service, change) { _, client, ask in
      async let stuck = client.request("GET", "/v1/trial/rows")
      await halt.arrived()
      service.behaves()
      let answer11 = try await ask("0123456789abcdef")
      #expect(answer11.status == 201)
      let answer12 = try await client.request("GET", "/v1/trial/rows")
      #expect(answer12.text == "[1]")
      let answer13 = try await stuck
      #expect(answer13.code == .unavailable)
      halt.release()
    }
  }

  static func stop(_ change: Change) async throws {
    let (service, halt) = (try OpenService(), Halt())
    service.decides { _ in
      halt.wait()
      return try .kept(201, json: ["late"])
    }
    let server = try await RunningServer {
      try change(&$0)
      limit(&$0, service)
    }
    let device = try await server.device()
    try await server.withClient(device) { client in
      let request = try server.signed(by: device, "POST", "/v1/trial", body: Array("{}".utf8))
      let asked = Task { try await client.send(request) }
      await halt.arrived()
      await #expect(throws: DeviceServiceError.notReturned(["POST /v1/trial of the service trial"])) {
        try await server.stop()
      }
      halt.release()
      _ = try? await asked.value
    }
  }

  static func gone(_ change: Change) async throws {
    let (service, halt) = (try OpenService(), Halt())
    service.decides { _ in
      halt.wait()
      return try .kept(201, json: ["kept"])
    }
    try await RunningServer.with({
      try change(&$0)
      $0.services = [service]
    }) { server in
      let device = try await server.device()
      let key = "0123456789abcdef"
      let request = try server.signed(by: device, "POST", "/v1/trial", body: Array("{}".utf8), key: key)
      try await server.withClient(device) { client in
        let asked = Task { try await client.send(request) }
        await halt.arrived()
        asked.cancel()
        _ = try? await asked.value
      }
      service.behaves()
      halt.release()
      try await server.withClient(device) { client in
        let again = try await client.send(
          server.signed(by: device, "POST", "/v1/trial", body: Array("{}".utf8), key: key))
        // The first request may still run: one of the two does the work.
        #expect(again.status == 201)
        let third = try await client.send(
          server.signed(by: device, "POST", "/v1/trial", body: Array("{}".utf8), key: key))
        #expect(third.status == 201 && third.header("idempotency-replayed") == "true")
        let answer14 = try await client.request("GET", "/v1/trial/rows")
        #expect(answer14.text == "[1]")
      }
    }
  }
}
