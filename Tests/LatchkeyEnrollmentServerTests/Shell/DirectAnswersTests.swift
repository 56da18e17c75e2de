import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeyServerTestSupport
import NIOCore
import NIOHTTP1
import Testing

@testable import LatchkeyEnrollmentServer

@Suite("Answers on the event loop", .timeLimit(.minutes(10)))
struct DirectAnswersTests {
  /// A device whose status can no longer change.
  static func settledDevice(of server: RunningServer) async throws -> TestDevice {
    let device = try await server.device()
    try await server.store.write { store in
      guard var record = try store.device(device.id) else { return }
      record.approvalKey = record.identityKey
      record.approvalEvidence = "latchkey-software"
      try store.updateDevice(record)
    }
    return device
  }

  private static func get(_ fields: String = "", path: String = Routes.device) -> String {
    "GET \(path) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n"
  }

  private static func responses(_ text: String) -> [Substring] {
    text.split(separator: "HTTP/1.1 ", omittingEmptySubsequences: true)
  }

  private static func served(_ metrics: PrometheusMetrics) -> Int {
    let line = metrics.text.split(separator: "\n").first {
      $0.hasPrefix("latchkey_requests_total{") && $0.contains("\(Routes.device)\"")
    }
    return line?.split(separator: " ").last.flatMap { Int($0) } ?? 0
  }

  @Test("A request answered on the event loop gets what it gets the ordinary way")
  func sameAnswer() async throws {
    try await RunningServer.with { server in
      let connection = try await RawConnection(to: server, device: Self.settledDevice(of: server))
      // An empty query takes the ordinary way. The first request reads the device from the store.
      try await connection.send(
        Self.get() + Self.get() + Self.get(path: Routes.device + "?")
          + Self.get() + Self.get("Connection: close\r\n"))
      let answers = Self.responses(try await connection.untilClosed())
      #expect(answers.count == 5)
      let parts = answers.map { answer in
        let lines = answer.replacing("\r\n", with: "\n").split(separator: "\n")
        return Set(lines.map { $0.lowercased() }.filter { !$0.hasPrefix("date:") && $0 != "connection: close" })
      }
      #expect(Set(parts).count == 1)
      #expect(answers.allSatisfy { $0.hasPrefix("200 ") && $0.contains("\"hasApprovalKey\":true") })
    }
  }

  @Test("Only plain requests of a valid device for a direct route are answered on the event loop")
  func whichOnes() async throws {
    // Otherwise, on a busy machine, the device would have to be read again between two requests.
    try await RunningServer.with({ $0.policy.revocationStaleness = .seconds(600) }) { server in
      let services = server.server.services
      let groups = AllRoutes.groups(services)
      let direct = DirectAnswers(services, observers: RequestAnswering(services, groups).observers, groups)
      let device = try await Self.settledDevice(of: server)
      let channel = try await RawConnection(to: server).channel
      func connection(_ fingerprint: Fingerprint?) -> ClientConnection {
        let connection = ClientConnection(channel: channel, now: .now())
        connection.opened(fingerprint: fingerprint, isMultiplexed: false, now: .now())
        return connection
      }
      func isDirect(
        _ fields: [(String, String)] = [], _ method: HTTPMethod = .GET, uri: String = Routes.device,
        version: HTTPVersion = .http1_1, as fingerprint: Fingerprint? = device.fingerprint
      ) -> Bool {
        let headers = HTTPHeaders([("host", "a")] + fields)
        let head = HTTPRequestHead(version: version, method: method, uri: uri, headers: headers)
        return direct.response(to: head, over: connection(fingerprint)) != nil
      }
      let now = services.now
      #expect(!isDirect())
      _ = try await services.directory.device(fingerprint: device.fingerprint, now: now)
      #expect(isDirect())
      #expect(isDirect([("accept", "*/*"), ("connection", "keep-alive")]))
      for method in [HTTPMethod.HEAD, .POST, .PUT, .OPTIONS] { #expect(!isDirect([], method)) }
      #expect(!isDirect(version: .http1_0))
      for uri in ["\(Routes.device)?", "\(Routes.device)/", "/", Routes.accounts] { #expect(!isDirect(uri: uri)) }
      for field in [
        ("Signature", "a=:AA==:"), ("signature-input", "a=()"), ("Accept-Signature", "a=()"), ("content-length", "0"),
        ("transfer-encoding", "chunked"), ("expect", "100-continue"), ("connection", "close"),
      ] {
        #expect(!isDirect([field]), "\(field)")
      }
      #expect(!isDirect(as: nil))
      #expect(!isDirect(as: Fingerprint([UInt8](repeating: 1, count: 32))))
      services.directory.forget([device.fingerprint])
      #expect(!isDirect())
    }
  }

  @Test("A device that is revoked gets no more answers on its open connection")
  func revoked() async throws {
    try await RunningServer.with { server in
      let device = try await Self.settledDevice(of: server)
      try await server.withClient(device, http2: false) { client in
        for _ in 0..<3 { #expect(try await client.request("GET", Routes.device).status == 200) }
        let services = server.server.services
        try await RevocationCeremony(services: services).revoke(
          services.directory.device(fingerprint: device.fingerprint, now: services.now))
        #expect(try await client.request("GET", Routes.device).status == 403)
      }
    }
  }

  @Test("The rate limit counts requests that are answered on the event loop")
  func limited() async throws {
    try await RunningServer.with({ $0.limits.requestsPerSecond = 2 }) { server in
      let connection = try await RawConnection(to: server, device: Self.settledDevice(of: server))
      try await connection.send(
        String(repeating: Self.get(), count: 5) + Self.get("Connection: close\r\n"))
      let statuses = Self.responses(try await connection.untilClosed()).map { $0.prefix(3) }
      #expect(statuses == ["200", "200", "200", "200", "429", "429"])
    }
  }

  @Test("A client that reads no direct answers is served few, and its connection is closed")
  func deaf() async throws {
    let metrics = PrometheusMetrics()
    try await RunningServer.with({
      $0.metrics = metrics
      $0.limits.answerTimeout = 2
      $0.limits.requestsPerSecond = 1_000_000
    }) { server in
      let deaf = try await RawConnection(to: server, device: Self.settledDevice(of: server))
      try await deaf.send(Self.get())
      try await deaf.stopReading()
      try? await deaf.channel.writeAndFlush(ByteBuffer(string: String(repeating: Self.get(), count: 200_000))).get()
      _ = try await deaf.untilClosed()
      #expect((1..<100_000).contains(Self.served(metrics)))
      #expect(server.server.table.connections.allSatisfy { !$0.hasRequests })
    }
  }
}
