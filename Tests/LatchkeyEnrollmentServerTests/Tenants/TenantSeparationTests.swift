import Crypto
import Foundation
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeyServerTestSupport
import LatchkeyTestSupport
import NIOCore
import NIOSSL
import Testing

@testable import LatchkeyEnrollmentServer

/// Everything of one tenant, shown to the other.
@Suite("Tenants are separate", .timeLimit(.minutes(5))) struct TenantSeparationTests {
  @Test("Each name reaches its tenant, in any case, and shows its authority", arguments: [false, true])
  func names(http2: Bool) async throws {
    try await RunningTenants.with { server in
      for bench in server.all {
        for host in [bench.host, "\(bench.name).example.net", bench.host.uppercased()] {
          let answer = try await server.withClient(bench, host: host, http2: http2) {
            try await $0.request("GET", Routes.authority)
          }
          #expect(answer.status == 200 && answer.isHTTP2 == http2, "\(host)")
          #expect(answer.text.filter { !$0.isNewline }.contains(Data(bench.root).base64EncodedString()))
        }
      }
    }
  }

  @Test("A device of one is refused by the other's handshake, even with the same serial number")
  func certificates() async throws {
    try await RunningTenants.with { server in
      let serial = RunningServer.serial()
      let (red, blue) = (try await server.red.device(serial: serial), try await server.blue.device(serial: serial))
      for (bench, own, other) in [(server.red, red, blue), (server.blue, blue, red)] {
        #expect(try await server.withClient(bench, own) { try await $0.request("GET", Routes.device) }.status == 200)
        await #expect(throws: (any Error).self) {
          try await server.withClient(bench, other) { try await $0.request("GET", Routes.device) }
        }
        #expect(try await server.withClient(bench, own) { try await $0.request("GET", Routes.device) }.status == 200)
      }
    }
  }

  @Test("Passwords, sessions and enrollment tokens of one count nothing at the other") func secrets() async throws {
    try await RunningTenants.with { server in
      func login(_ bench: RunningTenants.Bench, _ password: String) async throws -> TestAnswer {
        try await server.withClient(bench) {
          try await $0.post(Routes.login, PasswordLogin(user: "demo", password: password))
        }
      }
      for (bench, other) in [(server.red, server.blue), (server.blue, server.red)] {
        #expect(try await login(bench, other.password).status == 401)
        let opened = try await login(bench, bench.password)
        try #require(opened.status == 200, "\(opened.text)")
        let token = try opened.decoded(LoginAnswer.self).token
        let enrollment = try await Operator(bench.store).createToken(user: "demo", lifetime: 3600).text
        for secret in [token, enrollment] {
          let key = P256.Signing.PrivateKey()
          let refused = try await server.withClient(other) { try await $0.register(token: secret, key: key) }
          #expect(refused.status == 401 && refused.code == .notAuthenticated, "\(refused.text)")
          let accepted = try await server.withClient(bench) { try await $0.register(token: secret, key: key) }
          #expect(accepted.status == 201, "\(accepted.text)")
        }
      }
    }
  }

  @Test("A revocation is in the list of its tenant alone, and ends no device of the other with this serial number")
  func revocations() async throws {
    try await RunningTenants.with { server in
      let serial = RunningServer.serial()
      let (red, blue) = (try await server.red.device(serial: serial), try await server.blue.device(serial: serial))
      try await Operator(server.red.store).revokeDevice(red.id.description, reason: .keyCompromise)
      let ended = try await server.withClient(server.red, red) { try await $0.request("GET", Routes.device) }
      #expect(ended.code == .revoked, "\(ended.text)")
      let lives = try await server.withClient(server.blue, blue) { try await $0.request("GET", Routes.device) }
      #expect(lives.status == 200)
      let lists = try await (
        server.withClient(server.red) { try await $0.request("GET", Routes.revocationList) },
        server.withClient(server.blue) { try await $0.request("GET", Routes.revocationList) }
      )
      #expect(Data(lists.0.body).range(of: Data(serial)) != nil)
      #expect(Data(lists.1.body).range(of: Data(serial)) == nil && lists.1.status == 200)
    }
  }

  @Test("A TLS session is resumed at its tenant alone", .needs("openssl"), arguments: ["-tls1_2", "-tls1_3"])
  func tickets(version: String) async throws {
    try await RunningTenants.with { server in
      let session = server.red.folder.appendingPathComponent("session.pem").path
      func get(_ bench: RunningTenants.Bench, _ more: [String]) async throws -> String {
        let run = try await ForeignProgram.run(
          "/usr/bin/openssl",
          ["s_client", "-connect", "127.0.0.1:\(server.port)", "-servername", bench.host, version] + more,
          input: "GET \(Routes.authority) HTTP/1.1\r\nHost: \(bench.host)\r\nConnection: close\r\n\r\n",
          holdsInput: true)
        return try #require(run).output
      }
      let first = try await get(server.red, ["-sess_out", session])
      #expect(first.contains("New, TLS") && first.contains("HTTP/1.1 200"))
      let crossed = try await get(server.blue, ["-sess_in", session])
      #expect(crossed.contains("New, TLS") && crossed.contains("HTTP/1.1 200"), "\(crossed)")
      let resumed = try await get(server.red, ["-sess_in", session])
      #expect(resumed.contains("Reused, TLS") && resumed.contains("HTTP/1.1 200"), "\(resumed)")
    }
  }

  // MARK: Hosts

  private func get(_ server: RunningTenants, _ name: String, _ more: [String]) async throws -> String {
    let run = try await ForeignProgram.run(
      "/usr/bin/curl",
      [
        "-sSk", "--max-time", "60", "-o", "/dev/null", "-w", "%{http_code}", "--resolve",
        "\(name):\(server.port):127.0.0.1",
      ]
        + more + ["https://\(name):\(server.port)\(Routes.authority)"])
    return try #require(run).output
  }

  @Test(
    "A request for another host than the connection's is misdirected", .needs("curl"),
    arguments: ["--http1.1", "--http2"])
  func hosts(version: String) async throws {
    try await RunningTenants.with { server in
      let name = server.red.host
      for own in [name, "red.example.net", "RED.example.net.", "\(name):1"] {
        #expect(try await get(server, name, [version, "-H", "Host: \(own)"]) == "200", "\(own)")
      }
      for other in ["blue.example.org", "BLUE.example.net:443", "localhost", "127.0.0.1", "[::1]", "a b", ""] {
        let status = try await get(server, name, [version, "-H", other.isEmpty ? "Host;" : "Host: \(other)"])
        #expect(status == "421" || (other.isEmpty || other == "a b") && status != "200", "\(other): \(status)")
      }
    }
  }

  @Test("So is one whose target or second host names another") func otherHosts() async throws {
    try await RunningTenants.with { server in
      let device = try await server.red.device()
      // With all that it may ever have, its status is answered without a task.
      try await server.red.store.write { store in
        guard var record = try store.device(device.id) else { return }
        record.approvalKey = record.identityKey
        record.approvalEvidence = "latchkey-software"
        try store.updateDevice(record)
      }
      func status(_ request: String) async throws -> String {
        let connection = try await server.connect(server.red, device, serverName: server.red.host)
        try await connection.send("GET \(Routes.device) HTTP/1.1\r\nhost: \(server.red.host)\r\n\r\n")
        try await connection.send(request)
        let answers = try await connection.untilClosed()
        return answers.matches(of: /HTTP\/1.[01] ([0-9]{3})/).map { String($0.1) }.joined(separator: " ")
      }
      let end = "connection: close\r\n\r\n"
      #expect(try await status("GET \(Routes.device) HTTP/1.1\r\nhost: red.example.net\r\n\(end)") == "200 200")
      #expect(try await status("GET \(Routes.device) HTTP/1.1\r\nhost: blue.example.net\r\n\(end)") == "200 421")
      #expect(
        try await status(
          "GET https://blue.example.org\(Routes.device) HTTP/1.1\r\nhost: red.example.org\r\n\(end)") == "200 421")
      #expect(try await status("GET \(Routes.authority) HTTP/1.0\r\n\r\n") == "200 200")
      // One connection after the other, and not all that follows is refused.
      #expect(
        try await status(
          "GET \(Routes.device) HTTP/1.1\r\nhost: blue.example.org\r\n\r\nGET \(Routes.device) HTTP/1.1\r\nhost: red.example.org\r\n\(end)"
        ) == "200 421 200")
    }
  }

  @Test("Without a server name the default is reached, under any name that is not another's")
  func defaultTenant() async throws {
    try await RunningTenants.with {
      $0.defaultTenant = "blue"
    } _: { server in
      for (host, status) in [
        ("127.0.0.1:8443", 200), ("localhost", 200), ("blue.example.org", 200), ("red.example.org", 421),
        ("RED.example.net.", 421),
      ] {
        let connection = try await server.connect(server.blue, serverName: nil)
        try await connection.send("GET \(Routes.authority) HTTP/1.1\r\nhost: \(host)\r\nconnection: close\r\n\r\n")
        #expect(try await connection.untilClosed().hasPrefix("HTTP/1.1 \(status)"), "\(host)")
      }
      // One who names a tenant, or none that is there, does not get the default.
      let unknown = try await RawConnection(port: server.port)
      try await unknown.channel.writeAndFlush(ByteBuffer(bytes: ClientHello.bytes("green.example.org"))).get()
      #expect(try await Array(unknown.untilClosed().utf8) == [21, 3, 3, 0, 2, 2, 112])
    }
  }
}
