import LatchkeyServerTestSupport
import LatchkeyTestSupport
import Foundation
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentServer
import Testing

/// Health and metrics on a port of their own, as who runs the server asks for them.
@Suite("--operations-listen", .serialized)
struct OperationsListenTests {
  private struct Place: ~Copyable {
    let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-operations-\(UUID().uuidString)")
    deinit { try? FileManager.default.removeItem(at: folder) }
  }

  /// A status and what came with it, by curl; nil where there is none.
  private func get(_ url: String, _ more: [String] = []) async throws -> (status: String, text: String)? {
    let run = try await ForeignProgram.run(
      "/usr/bin/curl", ["-sS", "--max-time", "60", "-w", "\n%{http_code}"] + more + [url])
    return run.map { run in
      let lines = run.output.split(separator: "\n", omittingEmptySubsequences: false)
      return (String(lines.last ?? ""), lines.dropLast().joined(separator: "\n"))
    }
  }

  @Test("They are there in the clear, and on the public port no more; nothing else is there", .needs("curl"))
  func apart() async throws {
    let place = Place()
    let server = try await ServedProgram(["--state", place.folder.path, "--operations-listen", "127.0.0.1:0"])
    let operations = try #require(server.listening.operations)
    #expect(operations.scheme == "http" && operations.port != server.port)
    let own = "http://127.0.0.1:\(operations.port ?? 0)"
    let live = try #require(try await get(own + Routes.live))
    #expect(live.status == "200")
    #expect(try await get(own + Routes.ready)?.status == "200")
    let metrics = try #require(try await get(own + Routes.metrics))
    #expect(metrics.status == "200")
    #expect(metrics.text.contains("latchkey_requests_total"))
    for path in [Routes.login, Routes.accounts, Routes.authority, Routes.openAPI, "/", "//metrics"] {
      #expect(try await get(own + path)?.status == "404", "\(path)")
    }
    #expect(try await get(own + Routes.login, ["-d", "{}"])?.status == "404")
    let trust = ["--cacert", server.listening.ca]
    let open = "https://localhost:\(server.port)"
    for path in [Routes.live, Routes.ready, Routes.metrics] {
      #expect(try await get(open + path, trust)?.status == "404", "\(path)")
    }
    let document = try #require(try await get(open + Routes.openAPI, trust))
    #expect(document.status == "200")
    #expect(!document.text.contains(Routes.metrics) && document.text.contains(Routes.login))
    #expect(server.end() == 0)
    #expect(try await get(own + Routes.live)?.status == "000")
  }

  @Test("Without the option they are on the public port", .needs("curl"))
  func together() async throws {
    let place = Place()
    let server = try await ServedProgram(["--state", place.folder.path])
    #expect(server.listening.operations == nil)
    let trust = ["--cacert", server.listening.ca]
    let metrics = try #require(try await get("https://localhost:\(server.port)" + Routes.metrics, trust))
    #expect(metrics.status == "200")
    #expect(server.end() == 0)
  }

  @Test("Requests on the public port do not count toward this port's limits", .needs("curl"))
  func limits() async throws {
    let change: (inout ServerConfiguration) throws -> Void = {
      $0.operations = OperationsAddress(port: 0)
      $0.limits.anonymousRequestsPerSecond = 1
    }
    try await RunningServer.with(change) { server in
      let own = "http://127.0.0.1:\(try #require(try await server.server.operationsPort))"
      let ca = try server.files().ca
      var isLimited = false
      for _ in 0..<40 where !isLimited {
        let answer = try #require(
          try await get("https://localhost:\(server.port)" + Routes.authority, ["--cacert", ca]))
        isLimited = answer.status == "429"
      }
      #expect(isLimited)
      #expect(try await get(own + Routes.live)?.status == "200")
    }
  }

  @Test("A port in use is refused by the option's name, and the server ends")
  func taken() async throws {
    let place = Place()
    let server = try await ServedProgram(["--state", place.folder.path, "--operations-listen", "0"])
    let port = try #require(server.listening.operations?.port)
    let second = try await ServedProgram.run([
      "serve", "--json", "--listen", "127.0.0.1:0", "--state", place.folder.path, "--node", "second",
      "--operations-listen", "127.0.0.1:\(port)",
    ])
    #expect(second.status == 69)
    #expect(second.output.contains("choose another with --admin-listen"), "\(second.output)")
    #expect(server.end() == 0)
    let wrong = try await ServedProgram.run(["serve", "--state", place.folder.path, "--operations-listen", "nowhere"])
    #expect(wrong.status == 64)
  }
}
