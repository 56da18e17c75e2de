import Crypto
import Foundation
import Testing

/// `openssl s_client` as a device's client that keeps its TLS session in a file, and a folder for its files that goes with it.
final class OpenSSLClient: Sendable {
  static var isThere: Bool { FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl") }

  struct Answer: Sendable {
    let text: String
    /// Whether the session was resumed; no certificate was verified then.
    var isResumed: Bool { text.contains("Reused, TLS") }
    /// The status of the HTTP answer; nil if none came.
    var status: Int? {
      text.firstMatch(of: /HTTP\/1\.1 ([0-9]{3})/).flatMap { Int($0.1) }
    }
  }

  private let server: RunningServer
  private let folder: URL
  private let options: [String]

  init(_ server: RunningServer, _ device: TestDevice, version: String) throws {
    self.server = server
    let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-client-\(UUID().uuidString)")
    self.folder = folder
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    func write(_ name: String, _ label: String, _ der: [UInt8]) throws -> String {
      let base64 = Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
      let file = folder.appending(path: name)
      try Data("-----BEGIN \(label)-----\n\(base64)\n-----END \(label)-----\n".utf8).write(to: file)
      return file.path
    }
    certificate = [
      "-cert", try write("device.pem", "CERTIFICATE", device.certificate), "-key",
      try write("device.key", "PRIVATE KEY", Array(device.key.derRepresentation)),
    ]
    options = [
      "s_client", "-connect", "127.0.0.1:\(server.port)", "-servername", "localhost", version, "-CAfile",
      try write("root.pem", "CERTIFICATE", server.root), "-verify_return_error", "-ign_eof",
    ]
  }

  private let certificate: [String]

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// GETs a path with the device's certificate, and keeps the session.
  func first(_ path: String) async throws -> Answer {
    try await get(path, certificate + ["-sess_out", folder.appending(path: "session").path])
  }

  /// GETs a path by the kept session alone: neither certificate nor key are given.
  func resumed(_ path: String) async throws -> Answer {
    try await get(path, ["-sess_in", folder.appending(path: "session").path])
  }

  private func get(_ path: String, _ more: [String]) async throws -> Answer {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/openssl")
    process.arguments = options + more
    let name = UUID().uuidString
    let (input, output) = (folder.appending(path: "\(name).in"), folder.appending(path: "\(name).out"))
    try Data("GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8).write(to: input)
    #expect(FileManager.default.createFile(atPath: output.path, contents: nil))
    process.standardInput = try FileHandle(forReadingFrom: input)
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = FileHandle.nullDevice
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      process.terminationHandler = { _ in continuation.resume() }
      do { try process.run() } catch { continuation.resume(throwing: error) }
    }
    return Answer(text: String(decoding: try Data(contentsOf: output), as: UTF8.self))
  }
}
