import Foundation
import Glibc
import LatchkeyServerTestSupport
import LatchkeyTestSupport
import Testing

/// The page *Run it*: its files and commands, run.
@Suite(.timeLimit(.minutes(5))) struct RunningPageTests {
  private struct Place: ~Copyable {
    let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-run-\(UUID().uuidString)")
    init() throws {
      try FileManager.default.createDirectory(
        at: folder.appending(path: "etc"), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
    deinit { try? FileManager.default.removeItem(at: folder) }

    /// A text with the folders of this test in place of the system's.
    func moved(_ text: String) -> String {
      text.replacing("/etc/latchkey", with: folder.path + "/etc")
        .replacing("/var/lib/latchkey-server", with: folder.path + "/state")
    }

    func write(_ name: String, _ text: String) throws -> String {
      let path = folder.appending(path: name).path
      try moved(text).write(toFile: path, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
      return path
    }
  }

  /// The block under the comment with this name.
  private func block(_ name: String) throws -> String {
    let text = try String(contentsOf: WirePage.file("RunningTheServer"), encoding: .utf8)
    let match = text.matches(of: /<!-- ([a-z .]+) -->\n```[a-z]*\n((?:.*\n)*?)```\n/).first { $0.1 == name }
    return String(try #require(match, "the page has no block \(name)").2)
  }

  @Test("The commands of the first start succeed with the page's file, and the server starts by it", .needs("openssl"))
  func firstStart() async throws {
    let place = try Place()
    _ = try place.write("etc/alice-password", "long enough\n")
    let file = try place.write(
      "etc/server.json",
      block("server.json").replacing("0.0.0.0:8443", with: "127.0.0.1:0").replacing(
        "127.0.0.1:9090", with: "127.0.0.1:0"))
    let programs = URL(fileURLWithPath: try ProgramPath.built("latchkey-server")).deletingLastPathComponent().path
    let run = try #require(
      try await ForeignProgram.run(
        "/bin/sh", ["-e", "-c", place.moved(try block("first start"))],
        environment: ["PATH": "\(programs):/usr/bin:/bin"]))
    #expect(run.status == 0, "\(run.output)")
    #expect(run.output.contains("The configuration is good") && run.output.contains("Added alice"), "\(run.output)")
    let server = try SpawnedServer(try ProgramPath.built("latchkey-server"), ["serve", "--json", "--config", file])
    #expect(await server.firstLine().contains(#""event":"listening""#))
    #expect(server.end() == 0)
  }

  @Test(
    "The commands of the backup and the restore bring back what the copy has, and nothing of after it",
    .needs("openssl"))
  func backup() async throws {
    let place = try Place()
    for name in ["alice-password", "backup-passphrase"] { _ = try place.write("etc/\(name)", "long enough\n") }
    let file = try place.write(
      "etc/server.json",
      block("server.json").replacing("0.0.0.0:8443", with: "127.0.0.1:0").replacing(
        "127.0.0.1:9090", with: "127.0.0.1:0"))
    let program = try ProgramPath.built("latchkey-server")
    let programs = URL(fileURLWithPath: program).deletingLastPathComponent().path
    let config = "--config /etc/latchkey/server.json"
    func shell(_ script: String) async throws -> ForeignProgram {
      try #require(
        try await ForeignProgram.run(
          "/bin/sh", ["-e", "-c", place.moved(script)], environment: ["PATH": "\(programs):/usr/bin:/bin"]))
    }
    let first = try await shell(try block("first start"))
    #expect(first.status == 0, "\(first.output)")
    let server = try SpawnedServer(program, ["serve", "--json", "--config", file])
    #expect(await server.firstLine().contains(#""event":"listening""#))
    let added = "latchkey-server user add bob --password @/etc/latchkey/alice-password \(config)\n"
    let copied = try await shell(try block("backup") + added)
    #expect(copied.status == 0 && copied.output.contains("Added bob"), "\(copied.output)")
    #expect(server.end() == 0)
    let run = try await shell(try block("restore") + "latchkey-server user list \(config)\n")
    #expect(run.status == 0, "\(run.output)")
    let restored = run.output.components(separatedBy: "Restored 0 devices")
    #expect(restored.count == 2, "\(run.output)")
    #expect(restored.last?.contains("alice") == true && restored.last?.contains("bob") == false, "\(run.output)")
    // Whoever disables a user after the copy must not have it undone by a restore.
    let refused = try await shell("latchkey-server user disable alice \(config)\n" + (try block("restore")))
    #expect(refused.status != 0 && refused.output.contains("--lose-revocations"), "\(refused.output)")
  }

  @Test(
    "HAProxy with the page's configuration reaches the server, which takes nothing without a header", .needs("curl"))
  func proxied() async throws {
    let haproxy = "/usr/sbin/haproxy"
    guard FileManager.default.isExecutableFile(atPath: haproxy) else { return skipHere("\(haproxy) is not there") }
    let place = try Place()
    let server = try await ServedProgram([
      "--state", place.folder.path + "/state", "--proxy-from", "127.0.0.1", "--operations-listen", "127.0.0.1:0",
    ])
    let operations = try #require(server.listening.operations?.port)
    let port = try freePort()
    var text = try block("haproxy.cfg")
    #expect(text.contains("server a 10.0.0.11:8443") && text.contains("server b 10.0.0.12:8443"))
    for (old, new) in [
      ("bind :8443", "bind 127.0.0.1:\(port)"), ("10.0.0.11:8443", "127.0.0.1:\(server.port)"),
      ("10.0.0.12:8443", "127.0.0.1:\(server.port)"), ("port 9090", "port \(operations)"),
    ] { text = text.replacing(old, with: new) }
    let file = try place.write("etc/haproxy.cfg", text)
    let process = TestProcess()
    process.executableURL = URL(fileURLWithPath: haproxy)
    process.arguments = ["-db", "-f", file]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.start()
    defer { process.kill() }
    let request = ["--silent", "--show-error", "--max-time", "20", "--cacert", server.listening.ca]
    let answer = try #require(
      try await ForeignProgram.run(
        "/usr/bin/curl",
        request + [
          "--retry", "20", "--retry-delay", "1", "--retry-all-errors", "https://localhost:\(port)/openapi.json",
        ]))
    #expect(answer.output.contains("\"openapi\""), "\(answer.output)")
    let direct = try #require(
      try await ForeignProgram.run("/usr/bin/curl", request + ["https://localhost:\(server.port)/openapi.json"]))
    #expect(direct.status != 0)
    #expect(server.end() == 0)
  }

  /// A port of loopback that nothing listens on.
  private func freePort() throws -> Int {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 ? getsockname(descriptor, $0, &length) : -1
      }
    }
    try #require(status == 0)
    return Int(UInt16(bigEndian: address.sin_port))
  }

  @Test("Every series that the page's alerts name is one of the server's") func alerts() async throws {
    let text = try block("alerts")
    try await RunningServer.with { server in
      try await server.withClient { client in
        _ = try await client.request("GET", "/nothing")
        let metrics = try await client.request("GET", "/metrics").text
        let names = Set(text.matches(of: /latchkey_[a-z_]+/).map { String($0.0) })
        #expect(names.count >= 2)
        for name in names { #expect(metrics.contains("\(name)"), "\(name)") }
      }
    }
  }
}
