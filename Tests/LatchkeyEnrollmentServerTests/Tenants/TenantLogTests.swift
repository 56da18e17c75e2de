import Foundation
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeyServerTestSupport
import LatchkeyTestSupport
import Logging
import NIOCore
import Testing

@testable import LatchkeyEnrollmentServer

/// What the log of a server of several tenants says of whom.
@Suite("The log of several tenants", .timeLimit(.minutes(5))) struct TenantLogTests {
  @Test("Each line about a tenant has its name as a label, and none has what is another's")
  func labels() async throws {
    let log = LoggedLines()
    let logger = Logger(label: "test") { _ in log.handler }
    try await RunningTenants.with {
      $0.logger = logger
      for index in $0.tenants.indices {
        var tenant = $0.tenants[index]
        tenant.configuration.logger = logger
        tenant.configuration.operations = OperationsAddress(port: 0)
        $0.tenants[index] = Tenant(
          name: tenant.name, serverNames: tenant.serverNames, configuration: tenant.configuration)
      }
    } _: { server in
      let devices = (try await server.red.device(), try await server.blue.device())
      for (bench, device) in [(server.red, devices.0), (server.blue, devices.1)] {
        let wrong = PasswordLogin(user: "user-of-\(bench.name)", password: "no password of \(bench.name)")
        #expect(try await server.withClient(bench) { try await $0.post(Routes.login, wrong) }.status == 401)
        #expect(try await server.withClient(bench, device) { try await $0.request("GET", Routes.device) }.status == 200)
        bench.store.refusal = .unavailable("the disk of \(bench.name) is full")
        let login = PasswordLogin(user: "demo", password: bench.password)
        #expect(try await server.withClient(bench) { try await $0.post(Routes.login, login) }.status == 503)
        bench.store.refusal = nil
        let port = try #require(try await server.server.operationsPort(of: bench.name))
        let probe = try await RawConnection(port: port)
        try await probe.send("GET /nowhere/\(bench.name) HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
        _ = try await probe.untilClosed()
      }
      // Of no tenant, so of nobody in the log but its sender.
      let unknown = try await RawConnection(port: server.port)
      try await unknown.channel.writeAndFlush(ByteBuffer(bytes: ClientHello.bytes("green.example.org"))).get()
      _ = try await unknown.untilClosed()
    }
    for (name, other) in [("red", "blue"), ("blue", "red")] {
      let own = log.all.filter { $0.labels["tenant"] == "\(name)" }
      #expect(own.contains { $0.text.contains("the disk of \(name) is full") }, "\(own)")
      for line in own { #expect(!line.text.contains(other), "\(line)") }
    }
    let shared = log.all.filter { $0.labels["tenant"] == nil }
    #expect(shared.contains { $0.text.contains("green.example.org") })
    for line in shared { #expect(!line.text.contains("red") && !line.text.contains("blue"), "\(line)") }
  }

  @Test(
    "So has each line of the program, in JSON and in text, at the level of debugging, from the first to the last",
    .needs("curl"), arguments: ["json", "text"])
  func program(format: String) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-tenants-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var words = ["serve", "--json", "--listen", "127.0.0.1:0", "--log-level", "debug", "--log-format", format]
    for name in ["red", "blue"] {
      let path = folder.appending(path: "\(name).json").path
      try #"{"state": "\#(folder.path)/\#(name)", "tls-name": "\#(name).example.org", "admin-listen": "127.0.0.1:0"}"#
        .write(toFile: path, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
      words += ["--tenant", "\(name)=\(path)"]
    }
    let errors = folder.appending(path: "errors").path
    #expect(FileManager.default.createFile(atPath: errors, contents: nil))
    let process = try SpawnedServer(
      try ServedProgram.path(), words, errors: try #require(FileHandle(forWritingAtPath: errors)))
    defer { process.kill() }
    let text = await process.text(until: #""event":"listening""#)
    let last = try #require(text.split(separator: "\n").last)
    let url = try #require(try JSONDecoder().decode([String: JSONValue].self, from: Data(last.utf8))["url"]?.text)
    let port = try #require(URL(string: url)?.port)
    for name in ["red", "blue"] {
      let run = try await ForeignProgram.run(
        "/usr/bin/curl",
        [
          "-sk", "--max-time", "60", "--resolve", "\(name).example.org:\(port):127.0.0.1", "-H",
          "content-type: application/json", "-d", #"{"user":"of-\#(name)","password":"no password"}"#,
          "https://\(name).example.org:\(port)\(Routes.login)",
        ])
      #expect(try #require(run).output.contains("not_authenticated"))
    }
    process.end()
    let logged = try String(contentsOfFile: errors, encoding: .utf8).split(separator: "\n")
    for name in ["red", "blue"] {
      let other = name == "red" ? "blue" : "red"
      let label = format == "json" ? #""tenant":"\#(name)""# : "tenant=\(name)"
      let own = logged.filter { $0.contains(label) }
      #expect(own.contains { $0.contains(Routes.login) }, "\(logged)")
      for line in own { #expect(!line.contains(other), "\(line)") }
    }
    // A line about both, or about a request without its tenant, would be nobody's.
    for line in logged where !line.contains("tenant") { #expect(!line.contains(Routes.login), "\(line)") }
  }

  private struct JSONValue: Decodable {
    let text: String?
    init(from decoder: any Decoder) throws { text = try? decoder.singleValueContainer().decode(String.self) }
  }
}
