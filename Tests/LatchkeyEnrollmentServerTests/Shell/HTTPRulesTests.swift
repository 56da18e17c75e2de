import LatchkeyServerTestSupport
import Foundation
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeyTestSupport
import Logging
import NIOCore
import Synchronization
import Testing

@testable import LatchkeyEnrollmentServer

/// The rules of HTTP beyond a server's routes, and peers that go away.
@Suite("Rules of HTTP", .timeLimit(.minutes(10)))
struct HTTPRulesTests {
  @Test(
    "A head that is no request is refused, and ends its connection",
    arguments: [
      "GET /health/live HTTP/1.1\r\n\r\n", "GET /health/live HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
      "GET /health/live HTTP/1.1\r\nhost: a\r\nHOST: a\r\n\r\n",
      "GET /health/live HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n",
      "POST /v1/login HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "GET /health/live HTTP/1.1\r\nHost: a b\r\n\r\n", "GET /health/live HTTP/1.1\r\nHost: u@a\r\n\r\n",
      "GET /health/live HTTP/1.0\r\nHost: a/b\r\n\r\n", "GET https://u@a/health/live HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET https:///health/live HTTP/1.1\r\nHost: a\r\n\r\n", "GET https://?a HTTP/1.1\r\nHost: a\r\n\r\n",
    ])
  func refused(head: String) async throws {
    try await RunningServer.with { server in
      let connection = try await RawConnection(to: server)
      try await connection.send(head + "GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n")
      let answer = try await connection.untilClosed()
      #expect(answer.hasPrefix("HTTP/1.1 400"))
      #expect(answer.lowercased().contains("connection: close"))
      #expect(!answer.contains(" 200 "))
      try expectProblem(answer, .malformedRequest)
    }
  }

  @Test("A refusal by the parser behind a head, or for its size, is a problem like any other refusal")
  func parserRefusals() async throws {
    try await RunningServer.with { server in
      for sent in [
        "nonsense\r\n\r\n",
        "GET /health/live HTTP/1.1\r\nHost: a\r\nx: " + String(repeating: "y", count: 20_000) + "\r\n\r\n",
        "POST /v1/login HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nno size\r\n",
      ] {
        let connection = try await RawConnection(to: server)
        try await connection.send(sent)
        try expectProblem(try await connection.untilClosed(), .malformedRequest)
      }
    }
  }

  /// The one answer that came is this problem, in a body as long as its head says.
  private func expectProblem(_ answer: String, _ code: Problem.Code) throws {
    let parts = answer.components(separatedBy: "\r\n\r\n")
    try #require(parts.count == 2, "\(answer)")
    let (head, body) = (parts[0].lowercased(), parts[1])
    #expect(head.contains("\r\ncontent-type: application/problem+json"), "\(answer)")
    #expect(head.contains("\r\ncontent-length: \(body.utf8.count)") && head.contains("\r\ndate: "), "\(answer)")
    let problem = try JSONDecoder().decode(Problem.self, from: Data(body.utf8))
    #expect(problem.code == code && problem.detail != nil && head.hasPrefix("http/1.1 \(problem.status) "))
  }

  @Test(
    "A connection that is not to be kept is closed behind its answer, which says so",
    arguments: [
      "HTTP/1.0\r\n", "HTTP/1.0\r\nConnection: keep-alive\r\n", "HTTP/1.1\r\nHost: a\r\nConnection: Close\r\n",
      "HTTP/1.1\r\nHost: a\r\nConnection: x, close\r\n",
    ])
  func last(rest: String) async throws {
    try await RunningServer.with { server in
      let connection = try await RawConnection(to: server)
      try await connection.send("GET /health/live \(rest)\r\n")
      let answer = try await connection.untilClosed()
      #expect(answer.contains(" 200 "))
      #expect(answer.lowercased().contains("connection: close"))
    }
  }

  @Test("A client that expects 100-continue gets an interim answer before the body, if the body is wanted")
  func expectation() async throws {
    try await RunningServer.with { server in
      func send(_ version: String, _ length: Int) async throws -> String {
        let connection = try await RawConnection(to: server)
        try await connection.send(
          """
          POST /v1/login HTTP/\(version)\r\nHost: a\r\nContent-Type: application/json\r\nExpect: 100-Continue\r\n\
          Connection: close\r\nContent-Length: \(length)\r\n\r\n
          """)
        try await connection.trySend(String(repeating: "x", count: min(length, 100)))
        return try await connection.untilClosed()
      }
      let reported = try await send("1.1", 5)
      #expect(reported.hasPrefix("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 400"))
      #expect(try await send("1.0", 5).contains(" 100 ") == false)
      let huge = try await send("1.1", 1_000_000)
      #expect(huge.hasPrefix("HTTP/1.1 413"))
    }
  }

  @Test("HEAD is answered as GET is, without content", arguments: [false, true])
  func head(http2: Bool) async throws {
    try await RunningServer.with { server in
      try await server.withClient(http2: http2) { client in
        for path in [Routes.live, Routes.openAPI, "/v1/nothing", Routes.accounts] {
          let (get, head) = (try await client.request("GET", path), try await client.request("HEAD", path))
          #expect(get.status == head.status, "\(path)")
          #expect(head.body.isEmpty && !get.body.isEmpty)
          #expect(head.header("content-type") == get.header("content-type"))
          #expect(head.header("content-length") == get.header("content-length"))
        }
        #expect(try await client.request("HEAD", Routes.login).status == 405)
      }
      let connection = try await RawConnection(to: server)
      try await connection.send(
        "HEAD /openapi.json HTTP/1.1\r\nHost: a\r\n\r\nHEAD /v1/ca HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
      let answers = try await connection.untilClosed()
      #expect(answers.matches(of: /HTTP\/1\.1 200/).count == 2)
      #expect(!answers.contains("BEGIN CERTIFICATE"))
    }
  }

  private enum Departure: CaseIterable {
    /// With TLS's goodbye.
    case close
    /// Without one, as a process that is killed.
    case cut
    /// A stream of HTTP/2 that never ends.
    case timeout
  }

  @Test(
    "Peers who go away in a body are no fault of the server, neither in its log nor in what it counts",
    arguments: Departure.allCases)
  private func abandoned(_ departure: Departure) async throws {
    let (log, metrics) = (LoggedLines(), PrometheusMetrics())
    try await RunningServer.with({
      $0.logger = Logger(label: "test", factory: { _ in log.handler })
      $0.metrics = metrics
      if departure == .timeout { $0.limits.requestTimeout = 1 }
    }) { server in
      if departure == .timeout {
        _ = try? await server.withClient(http2: true) { try await $0.endlessPost(Routes.login) }
      } else {
        let connection = try await RawConnection(to: server)
        try await connection.begin(length: 100, body: "{")
        if departure == .cut { try await connection.cut() } else { try await connection.close() }
      }
      try await waitUntil { metrics.text.contains("latchkey_requests_abandoned_total 1") }
      #expect(!metrics.text.contains("status=\"500\""))
      #expect(log.all.allSatisfy { $0.level < .warning }, "\(log.all)")
    }
  }

  @Test("Peers of HTTP/2 who go away while the store works are no fault of the server either")
  func goneWhileWaiting() async throws {
    let (log, metrics, store, asked) = (LoggedLines(), PrometheusMetrics(), try ObservedStore(), Gate())
    try await RunningServer.with({
      $0.logger = Logger(label: "test", factory: { _ in log.handler })
      $0.metrics = metrics
      $0.store = store
    }) { server in
      var connection = try await FrameConnection(to: server)
      let (never, continuation) = AsyncStream.makeStream(of: Never.self)
      defer { continuation.finish() }
      let table = server.server.table
      store.set {
        $0.beforeRead = {
          // The server reads for itself, too, now and then.
          if table.connections.contains(where: \.hasRequests) { await asked.open() }
          // Until the task is canceled.
          for await _ in never {}
          try Task.checkCancellation()
        }
      }
      let stream = connection.begin(
        [
          (":method", "POST"), (":scheme", "https"), (":authority", "localhost"), (":path", Routes.login),
          ("content-type", "application/json"),
        ], endsStream: false)
      connection.send(
        ByteBuffer(string: #"{"user":"nobody","password":"x"}"#), on: stream, endsStream: true)
      await asked.pass()
      try await connection.cut()
      // An error that the server reads cancels the task before the connection is gone. One that it meets while it writes does not: then the
      // store answers, and nobody is there for the answer.
      try await waitUntil { table.count == 0 }
      continuation.finish()
      try await waitUntil { metrics.text.contains(/requests_abandoned_total 1|status="/) }
      #expect(!metrics.text.contains("status=\"5"))
      #expect(log.all.allSatisfy { $0.level < .warning }, "\(log.all)")
    }
  }

  @Test(
    "A request of HTTP/2 whose Host is not its authority is refused, and one that repeats it is not",
    arguments: [
      (["localhost"], 200), (["LOCALHOST"], 200), (["other.example"], 400), (["localhost", "localhost"], 400),
    ])
  func hostBesideAuthority(_ hosts: [String], _ status: Int) async throws {
    try await RunningServer.with { server in
      var connection = try await FrameConnection(to: server)
      let head = [(":method", "GET"), (":scheme", "https"), (":authority", "localhost"), (":path", Routes.live)]
      let stream = connection.begin(head + hosts.map { ("host", $0) }, endsStream: true)
      #expect(await connection.events(of: stream).first == .status(status))
      await connection.close()
    }
  }

  @Test("A store that refuses writes is logged once with its reason, and the server is not ready")
  func fullDisk() async throws {
    let (log, store) = (LoggedLines(), RefusingStore(try ObservedStore()))
    try await RunningServer.with({
      $0.logger = Logger(label: "test", factory: { _ in log.handler })
      $0.store = store
    }) { server in
      try await server.withClient { client in
        #expect(try await client.request("GET", Routes.ready).status == 200)
        store.refusal = .unavailable("the disk is full: make room")
        server.clock.advance(by: 1)
        for _ in 0..<5 {
          let answer = try await client.post(Routes.login, PasswordLogin(user: "nobody", password: "x"))
          #expect(answer.status == 503)
          #expect(!answer.text.contains("disk"))
        }
        let ready = try await client.request("GET", Routes.ready)
        #expect(ready.status == 503)
        #expect(log.all.count { $0.text.contains("the disk is full: make room") } == 1)
        // A line for each refusal would fill the disk.
        #expect(log.all.count { $0.level >= .notice } == 1)
        store.refusal = nil
        server.clock.advance(by: 1)
        #expect(try await client.request("GET", Routes.ready).status == 200)
      }
    }
  }

  @Test("Requests that a damaged store fails are logged every ten seconds, with their number and the name of one")
  func damagedStore() async throws {
    let (log, store) = (LoggedLines(), RefusingStore(try ObservedStore()))
    try await RunningServer.with({
      $0.logger = Logger(label: "test", factory: { _ in log.handler })
      $0.store = store
      $0.limits.passwordFailures = 100
    }) { server in
      store.refusal = .damaged("page 7 is spoiled")
      try await server.withClient { client in
        func fail(times: Int) async throws -> String? {
          var first: String?
          for _ in 0..<times {
            let answer = try await client.post(Routes.login, PasswordLogin(user: "nobody", password: "x"))
            #expect(answer.status == 500 && !answer.text.contains("page 7"))
            first = try first ?? answer.decoded(Problem.self).instance
          }
          return first
        }
        let reported = { log.all.filter { $0.level >= .notice }.map(\.text) }
        let first = try #require(try await fail(times: 5))
        #expect(reported().count == 1)
        #expect(reported().allSatisfy { $0.contains("page 7 is spoiled") && $0.contains(first) }, "\(reported())")
        server.clock.advance(by: 10)
        let next = try #require(try await fail(times: 5))
        #expect(reported().count == 2)
        #expect(reported().last.map { $0.contains("\"before\": 4") && $0.contains(next) } == true, "\(reported())")
      }
    }
  }

  @Test("Distinct reasons beyond a limit are logged as one")
  func manyReasons() {
    let (log, clock) = (LoggedLines(), MovableClock())
    let trouble = Trouble(logger: Logger(label: "test", factory: { _ in log.handler }), clock: { clock.now })
    for number in 0..<1000 { trouble.note(EnrollmentStoreError.damaged("row \(number)")) }
    let reported = log.all.count
    #expect(reported < 100)
    clock.advance(by: 10)
    for reason in ["row 1", "page 1", "page 2"] { trouble.note(EnrollmentStoreError.damaged(reason)) }
    #expect(log.all.count == reported + 3)
  }
}
