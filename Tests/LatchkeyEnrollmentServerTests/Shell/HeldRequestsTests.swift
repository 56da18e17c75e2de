import LatchkeyEnrollmentProtocol
import LatchkeyServerTestSupport
import LatchkeyTestSupport
import NIOCore
import NIOHTTP1
import Synchronization
import Testing

@testable import LatchkeyEnrollmentServer

@Suite("Requests in the bytes behind another", .timeLimit(.minutes(10)))
struct HeldRequestsTests {
  private static let chunked =
    "POST /v1/nothing HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"

  private static func get(_ path: String = "/health/live", _ fields: String = "") -> String {
    "GET \(path) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n"
  }

  /// The status of each response, and whether it says that it is the last.
  private static func responses(_ text: String) -> [String] {
    text.split(separator: "HTTP/1.1 ").map { response in
      let isLast = response.lowercased().contains("\r\nconnection: close\r\n")
      return response.prefix(3) + (isLast ? " last" : "")
    }
  }

  @Test("A response from the event loop is not sent before that of an earlier request with a chunked body")
  func order() async throws {
    try await RunningServer.with({ $0.policy.revocationStaleness = .seconds(600) }) { server in
      let device = try await DirectAnswersTests.settledDevice(of: server)
      let services = server.server.services
      _ = try await services.directory.device(fingerprint: device.fingerprint, now: services.now)
      let connection = try await RawConnection(to: server, device: device)
      let direct = Self.get(Routes.device)
      try await connection.send(
        direct + Self.chunked + direct + direct + Self.chunked + direct + Self.get("/v1/none", "Connection: close\r\n"))
      #expect(
        Self.responses(try await connection.untilClosed()) == ["200", "404", "200", "200", "404", "200", "404 last"])
    }
  }

  @Test("Only the last response of a connection says that it is the last, and what follows is not served")
  func last() async throws {
    try await RunningServer.with { server in
      let connection = try await RawConnection(to: server)
      try await connection.send(
        Self.chunked + Self.chunked + Self.get("/health/live", "Connection: close\r\n") + Self.chunked)
      #expect(Self.responses(try await connection.untilClosed()) == ["404", "404", "200 last"])
    }
  }

  @Test(
    "Bytes that are no request get their refusal behind the responses to the requests before them",
    arguments: [
      "GARBAGE\r\n\r\n", "GET / HTTP/1.1\r\n\r\n",
      "POST /v1/nothing HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n",
    ])
  func faults(text: String) async throws {
    try await RunningServer.with { server in
      let connection = try await RawConnection(to: server)
      try await connection.send(Self.chunked + Self.get() + text)
      #expect(Self.responses(try await connection.untilClosed()) == ["404", "200", "400 last"])
    }
  }

  @Test("Few requests are parsed before the first is answered, wherever chunked bodies end in the bytes that arrive")
  func bounded() async throws {
    try await RunningServer.with({ $0.limits.anonymousRequestsPerSecond = 1_000_000 }) { server in
      // The gate forwards chunked bodies by 1024 bytes: each piece ends in the middle of another request's body.
      let head = "POST /v1/nothing HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
      let rest = "aaaa\r\n0\r\n\r\n"
      let requests = String(repeating: head + "1\r\na\r\n0\r\n\r\n", count: 9) + head
      let size = 1024 - (rest + requests + "000\r\n").utf8.count
      func chunk(_ size: Int, _ text: Int) -> String {
        let digits = String(size, radix: 16)
        return String(repeating: "0", count: 3 - digits.count) + digits + "\r\n" + String(repeating: "a", count: text)
      }
      let begin = chunk(size + 4, size)
      let filling = 1024 - (begin + "000\r\n\r\n").utf8.count
      let connection = try await RawConnection(to: server)
      let probe = try await Probe.added(to: server)
      try await connection.send(head)
      let first = chunk(filling, filling) + "\r\n" + begin
      let pieces = [first] + [String](repeating: rest + requests + begin, count: 255)
      #expect(pieces.allSatisfy { $0.utf8.count == 1024 })
      try await connection.send(pieces.joined())
      try await connection.send(rest + Self.get("/health/live", "Connection: close\r\n"))
      // The first, ten in each piece, and the last.
      let responses = try await Self.responses(connection.untilClosed())
      #expect(responses.count == 2552)
      let most = probe.most.load(ordering: .relaxed)
      #expect((2...11).contains(most))
    }
  }

  @Test(
    "A request for another protocol is answered in this one, and is its connection's last",
    arguments: ["GET", "POST", "CONNECT"])
  func upgrade(method: String) async throws {
    try await RunningServer.with { server in
      let connection = try await RawConnection(to: server)
      let other = ("/v1/none", "Connection: Upgrade\r\nUpgrade: h2c\r\n")
      let (target, upgrade) = method == "CONNECT" ? ("a:1", "") : other
      let body = method == "POST" ? "Content-Length: 2\r\n\r\n{}" : "\r\n"
      // The bytes behind it are no request, of whatever protocol; they were kept until a time limit.
      let filling = String(repeating: "a", count: 1 << 20)
      try await connection.trySend(
        "\(method) \(target) HTTP/1.1\r\nHost: a\r\n\(upgrade)\(body)" + Self.get() + filling)
      #expect(Self.responses(try await connection.untilClosed()) == ["404 last"])
    }
  }

  @Test("A client that sends its requests and hangs up its half gets all responses", arguments: [false, true])
  func halfClosed(chunked: Bool) async throws {
    try await RunningServer.with({ $0.operations = OperationsAddress(port: 0) }) { server in
      let port = try #require(try await server.server.operationsPort)
      let connection = try await RawConnection(port: port)
      let request = (chunked ? Self.chunked : Self.get()).replacing("Host: a", with: "Host: localhost")
      try await connection.send(String(repeating: request, count: 5))
      try await connection.channel.close(mode: .output).get()
      let statuses = Self.responses(try await connection.untilClosed()).map { $0.prefix(3) }
      #expect(statuses == [Substring](repeating: chunked ? "404" : "200", count: 5))
    }
  }

  /// Follows the parser of the only connection, and sees how many requests are unanswered as each head passes.
  private final class Probe: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart

    private let gate: RequestGate
    private let most: Count

    final class Count: Sendable {
      let most = Atomic(0)
    }

    private init(_ gate: RequestGate, _ most: Count) { (self.gate, self.most) = (gate, most) }

    static func added(to server: RunningServer) async throws -> Count {
      let most = Count()
      try await waitUntil {
        guard let channel = server.server.table.connections.first?.channel else { return false }
        return try await channel.eventLoop.submit {
          let pipeline = channel.pipeline.syncOperations
          guard let gate = try? pipeline.handler(type: RequestGate.self),
            let heads = try? pipeline.handler(type: RequestHeads.self)
          else { return false }
          try pipeline.addHandler(Probe(gate, most), position: .after(heads))
          return true
        }.get()
      }
      return most
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let unanswered = gate.unanswered
      if unanswered > most.most.load(ordering: .relaxed) { most.most.store(unanswered, ordering: .relaxed) }
      context.fireChannelRead(data)
    }
  }
}
