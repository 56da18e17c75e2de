import LatchkeyServerTestSupport
import Foundation
import LatchkeyEnrollmentServer
import Logging
import Synchronization
import Testing

@Suite("Log lines in JSON")
struct JSONLogHandlerTests {
  private final class Lines: Sendable {
    let all = Mutex<[String]>([])
  }

  @Test("Each is one object on one line, whatever is in it")
  func lines() throws {
    let lines = Lines()
    var logger = Logger(
      label: "test",
      factory: { label in JSONLogHandler(label: label) { line in lines.all.withLock { $0.append(line) } } })
    logger[metadataKey: "node"] = "a"
    logger.notice("two\nlines \"quoted\" \u{1B}[31m", metadata: ["peer": "192.0.2.1", "node": "b"])
    logger.debug("not written")
    let written = lines.all.withLock { $0 }
    #expect(written.count == 1)
    let line = try #require(written.first)
    #expect(line.hasSuffix("}\n") && line.dropLast().allSatisfy { !$0.isNewline })
    #expect(!line.contains("\u{1B}"))
    let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String])
    #expect(object["message"] == "two\nlines \"quoted\" \u{1B}[31m")
    #expect(object["level"] == "notice" && object["peer"] == "192.0.2.1" && object["node"] == "b")
    #expect(object["time"]?.hasSuffix("Z") == true)
  }

  @Test("Requests are logged by route, without the client's query or fields")
  func requests() async throws {
    let lines = Lines()
    try await RunningServer.with({
      $0.logger = Logger(
        label: "test",
        factory: { label in JSONLogHandler(label: label) { line in lines.all.withLock { $0.append(line) } } })
    }) { server in
      try await server.withClient { client in
        _ = try await client.request(
          "GET", "/health/live?pin=topsecret", headers: [("authorization", "Bearer topsecret")])
        _ = try await client.request("POST", "/v1/login?pin=topsecret", body: Array("topsecret".utf8))
        _ = try await client.request("GET", "/topsecret")
      }
    }
    let written = lines.all.withLock { $0.joined() }
    #expect(written.contains(#""route":"/health/live""#))
    #expect(written.contains(#""status":"404""#))
    #expect(!written.contains("topsecret"))
  }
}
