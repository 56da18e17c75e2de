import LatchkeyServerTestSupport
import LatchkeyEnrollmentProtocol
import NIOCore
import Testing

@testable import LatchkeyEnrollmentServer

@Suite("One request of a connection at a time", .timeLimit(.minutes(10)))
struct RequestGateTests {
  /// The heads that are found where the bytes come in pieces of so many.
  private func heads(_ text: String, pieces: Int) -> [Int] {
    var end = HeadEnd()
    var (bytes, lengths, length) = (ByteBuffer(string: text), [Int](), 0)
    while bytes.readableBytes > 0 {
      guard var piece = bytes.readSlice(length: min(pieces, bytes.readableBytes)) else { break }
      while piece.readableBytes > 0 {
        let count = end.bytes(of: piece.readableBytesView)
        length += count
        piece.moveReaderIndex(forwardBy: count)
        if piece.readableBytes > 0 || bytes.readableBytes == 0 || count == 0 {
          lengths.append(length)
          length = 0
        }
      }
    }
    return lengths
  }

  @Test("A head ends at the first empty line behind one that is not, however the bytes come")
  func heads() {
    let (one, two) = ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", "\r\n\r\nGET / HTTP/1.1\nHost: b\n\n")
    #expect(heads(one + two + one, pieces: 1000) == [one.utf8.count, two.utf8.count, one.utf8.count])
    var end = HeadEnd()
    var total = 0
    for byte in (one + two).utf8 {
      total += end.bytes(of: ByteBuffer(bytes: [byte]).readableBytesView)
    }
    #expect(total == one.utf8.count + two.utf8.count)
    #expect(heads(String(repeating: "\r\n", count: 1000), pieces: 1000).reduce(0, +) == 2000)
  }

  @Test(
    "Pipelined requests with bodies of every kind are answered in order, however they come", arguments: [1, 7, 100_000])
  func pipelined(pieces: Int) async throws {
    // A byte at a time, beside other tests, a request may take longer than one may.
    try await RunningServer.with { server in
      let connection = try await RawConnection(to: server)
      var (text, expected) = ("", [String]())
      for _ in 0..<4 {
        text += "GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n"
        text += "POST /health/live HTTP/1.1\r\nHost: a\r\nContent-Length: 12\r\n\r\nGET / HTTP/1"
        text += "\r\nPOST /v1/nothing HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
        text += "POST /v1/nothing HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"
        expected += ["200", "405", "404", "404"]
      }
      text += "GET /health/live HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
      // Bytes behind a last request are no request.
      text += "GET /v1/nothing HTTP/1.1\r\nHost: a\r\n\r\n"
      expected.append("200")
      var bytes = Substring(text)
      while !bytes.isEmpty {
        try await connection.trySend(String(bytes.prefix(pieces)))
        bytes = bytes.dropFirst(pieces)
      }
      let answers = try await connection.untilClosed().matches(of: /HTTP\/1\.1 ([0-9]{3})/).map { String($0.1) }
      #expect(answers == expected)
    }
  }

  @Test("If a client reads no answers, few of its thousands of requests are served, and the connection is closed")
  func deaf() async throws {
    let metrics = PrometheusMetrics()
    try await RunningServer.with({
      $0.metrics = metrics
      $0.limits.answerTimeout = 2
      $0.limits.anonymousRequestsPerSecond = 1_000_000
    }) { server in
      let deaf = try await RawConnection(to: server)
      // Sent when the handshake is over.
      try await deaf.send("GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n")
      try await deaf.stopReading()
      try? await deaf.channel.writeAndFlush(
        ByteBuffer(string: String(repeating: "GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n", count: 3000))
      ).get()
      // Parsed heads use memory for one peer: no second one is parsed while an answer waits.
      var most = 0
      while deaf.isOpen {
        for connection in server.server.table.connections { most = max(most, connection.requestsUnderWay) }
        await Task.yield()
      }
      #expect(most == 1)
      _ = try await deaf.untilClosed()
      let line = metrics.text.split(separator: "\n").first {
        $0.hasPrefix("latchkey_requests_total{") && $0.contains("/openapi.json")
      }
      let served = line?.split(separator: " ").last.flatMap { Int($0) }
      #expect((1..<300).contains(try #require(served)))
      try await server.withClient { try await $0.expectLive() }
    }
  }
}
