import Foundation
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeyLedger
import LatchkeyServerTestSupport
import Testing

@testable import LatchkeyEnrollmentServer

/// Services that servers refuse, and what becomes of a decision that fails.
@Suite("The extension point of services") struct DeviceServiceTests {
  /// One route, whose decision is the test's.
  private struct Trial: DeviceService {
    let schema: ServiceSchema
    var paths = ["/v1/trial"]
    var method = "POST"
    var parameters: [ServiceOperation.Parameter] = []
    var reads = false
    var decide: ServiceRoute.Decision = { _ in .refused(Problem(.notPermitted)) }

    init(_ name: String = "trial", steps: Int = 1) throws {
      let all: [ServiceSchema.Step] = [
        { ["CREATE TABLE trial_rows (name TEXT NOT NULL PRIMARY KEY)\($0.clustered)"] },
        { _ in ["CREATE INDEX trial_rows_again ON trial_rows (name)"] },
      ]
      schema = try ServiceSchema(name: name, steps: Array(all.prefix(steps)))
    }

    var routes: [ServiceRoute] {
      paths.map { path in
        let operation = ServiceOperation(
          method, path, name: "try", summary: "Tries.", parameters: parameters,
          answers: [.init(200, "The query.", schema: "Query")])
        return reads
          ? .authenticated(operation) { request, _ in try ServiceAnswer(json: request.query) }
          : .signed(operation) { [decide] _ in decide }
      }
    }
  }

  private static func refusal(of services: [any DeviceService]) throws -> DeviceServiceError? {
    do {
      _ = try CeremonyBench { $0.services = services }
      var configuration = try CeremonyBench().services.configuration
      configuration.services = services
      try ServiceChecks.check(configuration)
      return nil
    } catch let error as DeviceServiceError {
      return error
    }
  }

  @Test(
    "Names that the core has, and such that no table's name may begin with, are refused",
    arguments: [
      "device", "audit", "sqlite", "schema", "service", "", "Trial", "1st", "a_b", "a-b", "ä", "abcdefghijklmnopq",
      "x;",
    ])
  func names(_ name: String) {
    #expect {
      _ = try ServiceSchema(name: name, steps: [])
    } throws: { error in
      if case EnrollmentStoreError.misuse = error { true } else { false }
    }
  }

  @Test("Two services of one name, two routes of one path, and paths that are none are refused before anything listens")
  func clashes() throws {
    #expect(try Self.refusal(of: [Trial(), LedgerService()]) == nil)
    #expect(try Self.refusal(of: [Trial(), Trial()]) == .sameName("trial"))
    #expect(try Self.refusal(of: [Trial(), Trial("other")]) == .sameRoute("POST /v1/trial"))
    var trial = try Trial()
    trial.paths = ["/v1/a", "/v1/a"]
    #expect(try Self.refusal(of: [trial]) == .sameRoute("POST /v1/a"))
    trial.paths = [Routes.login]
    #expect(try Self.refusal(of: [trial]) == .sameRoute("POST \(Routes.login)"))
    let bad = [
      "", "/", "//", "v1/trial", "/v1/:id", "/v1/**", "/v1/{id}", "/v1/{id}/{id}", "/v1/a?b", "/v1/ä", "/v1/%61",
      "/v1/../v1/a",
      "/v1/a/", "/v1//a", "//v1/a", "/v1/a\u{0}", "/v1/a b", "/.well-known/est/simpleenroll",
    ]
    for path in bad {
      trial.paths = [path]
      #expect(try Self.refusal(of: [trial]) == .badPath(path))
    }
    trial.paths = ["/" + String(repeating: "a", count: 1 << 20)]
    #expect(try Self.refusal(of: [trial]) == nil, "long, and a path: no client asks for it")
  }

  @Test(
    "A method that no route has is refused before anything listens",
    arguments: ["", "get", "HEAD", "OPTIONS", "PATCH", "CONNECT", "POST ", "P\u{0}ST"])
  func methods(_ method: String) throws {
    var trial = try Trial()
    trial.method = method
    #expect(try Self.refusal(of: [trial]) == .badMethod("\(method) /v1/trial"))
  }

  @Test("A signed route has no parameters of a query, and a route that reads has names that are some, each once")
  func parameters() throws {
    var trial = try Trial()
    trial.parameters = [.init("after", "A number.")]
    #expect(try Self.refusal(of: [trial]) == .badParameters("POST /v1/trial"))
    (trial.reads, trial.method) = (true, "GET")
    #expect(try Self.refusal(of: [trial]) == nil)
    for names in [[""], ["a b"], ["ä"], ["a&b"], ["a="], ["a", "a"], [String(repeating: "a", count: 65)]] {
      trial.parameters = names.map { .init($0, "") }
      #expect(try Self.refusal(of: [trial]) == .badParameters("GET /v1/trial"), "\(names)")
    }
  }

  @Test("A query is read decoded; what is unknown, comes twice, is long, or is missing and required, is refused")
  func query() async throws {
    var trial = try Trial()
    (trial.reads, trial.method) = (true, "GET")
    trial.parameters = [.init("after", "A number."), .init("of", "A name.", isRequired: true)]
    let service = trial
    try await RunningServer.with({ $0.services = [service] }) { server in
      let device = try await server.device()
      try await server.withClient(device) { client in
        func ask(_ query: String) async throws -> TestAnswer { try await client.request("GET", "/v1/trial" + query) }
        let (read, long) = (
          try await ask("?of=a%20b&after=7"), try await ask("?of=\(String(repeating: "a", count: 1024))")
        )
        #expect(read.text == #"{"after":"7","of":"a b"}"# && long.status == 200)
        for wrong in ["", "?after=7", "?of=a&of=b", "?of=a&more=b", "?of=\(String(repeating: "a", count: 1025))"] {
          let refused = try await ask(wrong)
          #expect(refused.code == .malformedRequest, "\(wrong.prefix(32))")
        }
        let document = try await client.request("GET", Routes.openAPI).text
        #expect(document.contains(#""in":"query""#) && document.contains(#""name":"after""#))
      }
    }
  }

  @Test(
    "An answer has a status that goes with a body",
    arguments: [-1, 0, 99, 100, 101, 199, 204, 205, 304, 600, 1000, .max])
  func statuses(_ status: Int) {
    #expect(throws: DeviceServiceError.badStatus(status)) { try ServiceAnswer(status: status, json: ["a"]) }
    #expect(throws: DeviceServiceError.badStatus(status)) { try ServiceDecision.kept(status, json: ["a"]) }
  }

  private struct Broken: Error {}

  @Test("What a decision has written is undone with its answer: an error is the server's, a problem is the client's")
  func undone() async throws {
    for failure in [Broken(), Problem(.notPermitted, detail: "not today")] as [any Error] {
      var trial = try Trial()
      trial.decide = { store in
        try store.change("INSERT INTO trial_rows (name) VALUES ($1)", [.text("one")])
        throw failure
      }
      let service = trial
      try await RunningServer.with({ $0.services = [service] }) { server in
        let device = try await server.device()
        try await server.withClient(device) { client in
          for _ in 0..<2 {
            let answer = try await client.send(
              server.signed(by: device, "POST", "/v1/trial", body: Array("{}".utf8), key: "0123456789abcdef"))
            #expect(answer.code == (failure is Problem ? .notPermitted : .internalError))
            #expect(answer.header("idempotency-replayed") == nil)
          }
        }
        let isEmpty = try await server.store.read { try $0.rows("SELECT name FROM trial_rows").isEmpty }
        #expect(isEmpty)
      }
    }
  }

  @Test("A refusal that is kept is repeated, though the decision would be another one now")
  func kept() async throws {
    var trial = try Trial()
    trial.decide = { store in
      guard try store.rows("SELECT name FROM trial_rows").isEmpty else { return try .kept(201, json: ["ok"]) }
      try store.change("INSERT INTO trial_rows (name) VALUES ($1)", [.text("one")])
      return try .kept(refusing: Problem(.notPermitted, detail: "the first one is refused"))
    }
    let service = trial
    try await RunningServer.with({ $0.services = [service] }) { server in
      let device = try await server.device()
      try await server.withClient(device) { client in
        func ask(_ key: String) async throws -> TestAnswer {
          try await client.send(server.signed(by: device, "POST", "/v1/trial", body: Array("{}".utf8), key: key))
        }
        let first = try await ask("0123456789abcdef")
        #expect(first.code == .notPermitted)
        #expect(try await ask("fedcba9876543210").status == 201)
        let again = try await ask("0123456789abcdef")
        #expect(again.status == 403 && again.body == first.body && again.header("idempotency-replayed") == "true")
      }
    }
  }

  @Test(
    "A service that is no longer served leaves its tables; those of a later version are refused, and nothing listens")
  func versions() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-service-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "server.db").path
    func serve(_ services: [any DeviceService]) async throws {
      try await RunningServer.with {
        $0.store = try SQLiteStore(path: path, node: "test")
        $0.services = services
      } _: { server in
        let version = try await server.store.read { try $0.serviceVersion("trial") }
        #expect(version == 2)
      }
    }
    let (old, new) = (try Trial(), try Trial(steps: 2))
    try await serve([new])
    try await serve([])
    try await serve([new])
    await #expect {
      try await serve([old])
    } throws: { error in
      if case EnrollmentStoreError.misuse(let text) = error { text.contains("trial are at version 2") } else { false }
    }
  }
}
