import Foundation
import Glibc
import LatchkeyEnrollmentProtocol
import LatchkeyServerTestSupport
import LatchkeyTestSupport
import Testing

/// `latchkey-server serve --tenant`.
@Suite("Tenants of the program latchkey-server", .timeLimit(.minutes(5))) struct TenantProgramTests {
  private struct Place: ~Copyable {
    let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-tenants-\(UUID().uuidString)")
    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Writes settings, in which STATE is this place's folder of the tenant.
    func settings(_ name: String, _ text: String? = nil) throws -> String {
      let path = folder.appending(path: "\(name).json").path
      let standard = #"{"state": "STATE", "tls-name": "\#(name).example.org", "admin-listen": "127.0.0.1:0"}"#
      try (text ?? standard).replacing("STATE", with: folder.path + "/" + name).write(
        toFile: path, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
      return "\(name)=\(path)"
    }
  }

  private func get(_ name: String, _ port: Int, _ more: [String]) async throws -> String {
    let run = try await ForeignProgram.run(
      "/usr/bin/curl",
      [
        "-s", "--max-time", "60", "-o", "/dev/null", "-w", "%{http_code}", "--resolve", "\(name):\(port):127.0.0.1",
        "https://\(name):\(port)\(Routes.authority)",
      ] + more)
    return try #require(run).output
  }

  private struct Line: Decodable {
    let event: String
    let name: String?
    let url: URL
    let operations: URL?
    let ca: String?
  }

  @Test(
    "Each tenant has its name, its authority, its store and its admin port; SIGHUP reads all certificates",
    .needs("curl"))
  func served() async throws {
    let place = try Place()
    let process = TestProcess()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: try ServedProgram.path())
    process.arguments = [
      "serve", "--json", "--listen", "127.0.0.1:0", "--tenant", try place.settings("red"), "--tenant",
      try place.settings("blue"), "--log-level", "critical",
    ]
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.start()
    defer { process.kill() }
    var lines: [Line] = []
    var text = ""
    func read(until part: String, count: Int = 1) async throws {
      while text.components(separatedBy: part).count <= count {
        let data = try await onThread { output.fileHandleForReading.availableData }
        if data.isEmpty { break }
        text += String(decoding: data, as: UTF8.self)
      }
    }
    try await read(until: #""event":"listening""#)
    lines = try text.split(separator: "\n").prefix(3).map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
    #expect(lines.map(\.event) == ["tenant", "tenant", "listening"])
    let port = try #require(lines[2].url.port)
    for (line, other) in [(lines[0], lines[1]), (lines[1], lines[0])] {
      let name = try #require(line.name)
      let ca = try #require(line.ca)
      #expect(FileManager.default.fileExists(atPath: place.folder.path + "/\(name)/server.db"))
      let host = "\(name).example.org"
      #expect(try await get(host, port, ["--cacert", ca]) == "200")
      #expect(try await get(host, port, ["--cacert", try #require(other.ca)]) == "000")
      #expect(
        try await get(host, port, ["--cacert", ca, "-H", "Host: \(try #require(other.name)).example.org"]) == "421")
      let ready = try await ForeignProgram.run(
        "/usr/bin/curl", ["-sS", "--max-time", "60", "\(try #require(line.operations))\(Routes.ready)"])
      #expect(try #require(ready).output.contains("ready"))
    }
    #expect(try await get("localhost", port, ["-k"]) == "000")
    process.signal(SIGHUP)
    try await read(until: #""event":"reloaded""#, count: 2)
    #expect(text.contains(#""tenant":"red""#) && text.contains(#""tenant":"blue""#))
    #expect(try await get("red.example.org", port, ["--cacert", try #require(lines[0].ca)]) == "200")
    process.terminate()
    try await onThread { process.waitUntilExit() }
    #expect(process.terminationStatus == 0)
  }

  struct Wrong: CustomTestStringConvertible, Sendable {
    var red: String?
    var blue: String?
    var more: [String] = []
    let status: Int32
    let part: String
    var testDescription: String { part }
  }

  @Test(
    "What is wrong with tenants is named, by the start and by --check",
    arguments: [
      Wrong(blue: #"{"state": "STATE"}"#, status: 64, part: "the tenant blue has no server name"),
      Wrong(
        blue: #"{"tls-name": "b.org"}"#, status: 64, part: "tenant blue: there is no folder of its own: give state"),
      Wrong(
        blue: #"{"state": "STATE", "tls-name": "RED.example.org"}"#, status: 64,
        part: "two tenants have the server name \"red.example.org\""),
      Wrong(
        blue: #"{"state": "STATE/../red", "tls-name": "b.org"}"#, status: 64,
        part: "the tenants red and blue have one state folder"),
      Wrong(
        blue: #"{"state": "STATE", "tls-name": "b.org", "store": "sqlite:STATE/../red/server.db"}"#, status: 64,
        part: "the tenants red and blue have one store"),
      Wrong(
        blue: #"{"state": "STATE", "tls-name": "b.org", "listen": "127.0.0.1:1"}"#, status: 64,
        part: "is for all tenants: give it beside --tenant"),
      Wrong(
        blue: #"{"state": "STATE", "tls-name": "127.0.0.1"}"#, status: 64, part: "which is no host name"),
      Wrong(blue: #"{"sate": "STATE"}"#, status: 65, part: "tenant blue: "),
      Wrong(blue: "[", status: 65, part: "tenant blue: "),
      Wrong(
        blue: #"{"state": "STATE", "tls-name": "b.org", "session-lifetime": "1s"}"#, status: 64,
        part: "session-lifetime in "),
      Wrong(more: ["--tenant", "green=/nowhere.json"], status: 74, part: "/nowhere.json cannot be read"),
      Wrong(more: ["--tenant", "green"], status: 64, part: "--tenant is a name and a file"),
      Wrong(more: ["--default-tenant", "green"], status: 64, part: "there is no tenant \"green\""),
      Wrong(more: ["--state", "/nowhere"], status: 64, part: "--state is not for all tenants"),
      Wrong(more: ["--certificate-lifetime", "1h"], status: 64, part: "--certificate-lifetime is not for all tenants"),
    ], [false, true])
  func refused(wrong: Wrong, isCheck: Bool) async throws {
    let place = try Place()
    let run = try await ServedProgram.run(
      [
        "serve", "--listen", "127.0.0.1:0", "--tenant", try place.settings("red", wrong.red), "--tenant",
        try place.settings("blue", wrong.blue),
      ] + wrong.more + (isCheck ? ["--check"] : []))
    #expect(run.status == wrong.status, "\(run.output)")
    #expect(run.output.contains(wrong.part), "\(run.output)")
    #expect(!FileManager.default.fileExists(atPath: place.folder.path + "/red"))
  }

  @Test("--check prints the settings of each tenant, and starts nothing") func check() async throws {
    let place = try Place()
    let run = try await ServedProgram.run(
      ["serve", "--check", "--tenant", try place.settings("red"), "--tenant", try place.settings("blue")])
    #expect(run.status == 0, "\(run.output)")
    #expect(
      run.output.contains("red: tls-name  red.example.org  (") && run.output.contains("blue: tls-name"), "\(run.output)"
    )
    #expect(!FileManager.default.fileExists(atPath: place.folder.path + "/red"))
  }

  @Test("A store of another tenant is refused, until it is given over") func renamed() async throws {
    let place = try Place()
    let red = try place.settings("red")
    let first = try SpawnedServer(
      try ServedProgram.path(), ["serve", "--json", "--listen", "127.0.0.1:0", "--tenant", red])
    _ = await first.firstLine()
    // The first line is that of the tenant, before the port's.
    #expect(first.end() == 0)
    let path = String(red.dropFirst("red=".count))
    let refused = try await ServedProgram.run(["serve", "--listen", "127.0.0.1:0", "--tenant", "green=\(path)"])
    #expect(
      refused.status == 69 && refused.output.contains("latchkey-server migrate --tenant green"), "\(refused.output)")
    let given = try await ServedProgram.run(["migrate", "--tenant", "green", "--config", path])
    #expect(given.status == 0, "\(given.output)")
    let again = try SpawnedServer(
      try ServedProgram.path(), ["serve", "--json", "--listen", "127.0.0.1:0", "--tenant", "green=\(path)"])
    #expect(await again.firstLine().contains(#""name":"green""#))
    #expect(again.end() == 0)
  }
}
