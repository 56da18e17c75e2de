import LatchkeyEnrollmentProtocol
import LatchkeyServerTestSupport
import NIOHTTP2
import Testing

@testable import LatchkeyEnrollmentServer

/// Messages of HTTP/2 that are malformed (RFC 9113 8.1.1), on a connection that others may share.
@Suite("Malformed streams of HTTP/2", .timeLimit(.minutes(5)))
struct MalformedStreamsTests {
  private static let head = [
    (":method", "GET"), (":scheme", "https"), (":authority", "localhost"), (":path", Routes.live),
  ]
  private static let upload = [
    (":method", "POST"), (":scheme", "https"), (":authority", "localhost"), (":path", Routes.login),
    ("content-type", "application/json"),
  ]
  /// PROTOCOL_ERROR (RFC 9113 7).
  private static let protocolError = FrameConnection.Event.reset(1)

  struct Malformed: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let fields: [[String]]
    var bytes: Int?
    var trailers: [[String]]?
  }

  private static func without(_ name: String) -> [[String]] { head.filter { $0.0 != name }.map { [$0.0, $0.1] } }
  private static func with(_ name: String, _ value: String) -> [[String]] { without("") + [[name, value]] }
  private static func upload(_ name: String, _ value: String) -> [[String]] {
    upload.map { [$0.0, $0.1] } + [[name, value]]
  }

  private static let all: [Malformed] = [
    Malformed(testDescription: "an uppercase name", fields: with("X-A", "b")),
    Malformed(testDescription: "a name with a space", fields: with("x a", "b")),
    Malformed(testDescription: "a value with a line break", fields: with("x-a", "b\r\nc: d")),
    Malformed(testDescription: "a value with a zero", fields: with("x-a", "b\0")),
    Malformed(testDescription: "connection", fields: with("connection", "close")),
    Malformed(testDescription: "transfer-encoding", fields: with("transfer-encoding", "chunked")),
    Malformed(testDescription: "te for more than trailers", fields: with("te", "gzip")),
    Malformed(testDescription: "a pseudo-header behind a field", fields: [["x-a", "b"]] + without("")),
    Malformed(testDescription: "an unknown pseudo-header", fields: [[":x", "b"]] + without("")),
    Malformed(testDescription: "a pseudo-header of responses", fields: [[":status", "200"]] + without("")),
    Malformed(testDescription: "a second path", fields: [[":path", "/"]] + without("")),
    Malformed(testDescription: "no path", fields: without(":path")),
    Malformed(testDescription: "an empty path", fields: [[":path", ""]] + without(":path")),
    Malformed(testDescription: "no method", fields: without(":method")),
    Malformed(testDescription: "a length that is no number", fields: upload("content-length", "x"), bytes: 1),
    Malformed(testDescription: "a negative length", fields: upload("content-length", "-1"), bytes: 1),
    Malformed(testDescription: "more bytes than the length", fields: upload("content-length", "3"), bytes: 4),
    Malformed(testDescription: "fewer bytes than the length", fields: upload("content-length", "5"), bytes: 4),
    Malformed(
      testDescription: "a pseudo-header in trailers", fields: upload("x-a", "b"), bytes: 4,
      trailers: [[":path", "/"]]),
  ]

  private func fields(_ all: [[String]]) -> [(String, String)] { all.map { ($0[0], $0[1]) } }

  @Test("It ends alone: what is under way on the connection is answered, and so is what comes next", arguments: all)
  func alone(malformed: Malformed) async throws {
    try await RunningServer.with { server in
      var connection = try await FrameConnection(to: server)
      let underWay = connection.begin(Self.upload, endsStream: false)
      connection.send(bytes: 1, on: underWay, endsStream: false)
      let id = connection.begin(fields(malformed.fields), endsStream: malformed.bytes == nil)
      if let bytes = malformed.bytes {
        connection.send(bytes: bytes, on: id, endsStream: malformed.trailers == nil)
      }
      if let trailers = malformed.trailers {
        connection.send(fields(trailers), on: id, endsStream: true)
      }
      #expect(await connection.events(of: id).last == Self.protocolError)
      let next = connection.begin(Self.head, endsStream: true)
      #expect(await connection.events(of: next) == [.status(200), .end])
      connection.send(bytes: 1, on: underWay, endsStream: true)
      #expect(await connection.events(of: underWay) == [.status(400), .end])
      await connection.close()
    }
  }

  @Test("Too many of them end the connection") func tooMany() async throws {
    try await RunningServer.with { server in
      var connection = try await FrameConnection(to: server)
      var count = 0
      while count < 1000 {
        let id = connection.begin(Self.head + [("X-A", "b")], endsStream: true)
        guard await connection.events(of: id) == [Self.protocolError] else { break }
        count += 1
      }
      #expect((100..<1000).contains(count))
      #expect(
        try await server.withClient { try await $0.request("GET", Routes.authority) }.status == 200,
        "others are served")
    }
  }
}
