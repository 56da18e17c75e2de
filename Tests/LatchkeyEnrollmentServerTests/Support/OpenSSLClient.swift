import LatchkeyServerTestSupport
import LatchkeyTestSupport
import Foundation
import Testing

/// `openssl s_client` as a device's client that keeps its TLS session in a file beside the server's.
struct OpenSSLClient: Sendable {
  private static let program = "/usr/bin/openssl"

  struct Answer: Sendable {
    let text: String
    /// Whether the session was resumed; no certificate was verified then.
    var isResumed: Bool { text.contains("Reused, TLS") }
    /// The status of the HTTP answer; nil if none came.
    var status: Int? { text.firstMatch(of: /HTTP\/1\.1 ([0-9]{3})/).flatMap { Int($0.1) } }
  }

  private let options: [String]
  private let identity: [String]
  private let session: String

  init(_ server: RunningServer, _ device: TestDevice, version: String) throws {
    let files = try server.files(of: device)
    session = server.folder.appendingPathComponent("session-\(UUID().uuidString).pem").path
    identity = ["-cert", files.certificate, "-key", files.key]
    options = [
      "s_client", "-connect", "127.0.0.1:\(server.port)", "-servername", "localhost", version, "-CAfile", files.ca,
      "-verify_return_error",
    ]
  }

  /// GETs a path with the device's certificate, and keeps the session.
  func first(_ path: String) async throws -> Answer { try await get(path, identity + ["-sess_out", session]) }

  /// GETs a path by the saved session alone: neither certificate nor key are given.
  func resumed(_ path: String) async throws -> Answer { try await get(path, ["-sess_in", session]) }

  /// The program hangs up when its input ends: it is held until the server, asked to, has closed.
  private func get(_ path: String, _ more: [String]) async throws -> Answer {
    let run = try await ForeignProgram.run(
      Self.program, options + more, input: "GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
      holdsInput: true)
    return Answer(text: try #require(run).output)
  }
}
