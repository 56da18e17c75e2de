import LatchkeyServerTestSupport
import LatchkeyTestSupport
import Crypto
import Foundation
import LatchkeyCertificateAuthority
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentServer
import LatchkeyEnrollmentStore
import Testing

/// Clients of others, and what they get by certificates that do not count.
@Suite("Clients of others", .timeLimit(.minutes(10)))
struct ForeignClientTests {
  @Test("curl with an enrolled certificate sees the accounts, over both versions of HTTP", .needs("curl"))
  func curl() async throws {
    try await RunningServer.with { server in
      let device = try await server.device()
      let files = try server.files(of: device)
      for version in ["--http1.1", "--http2"] {
        let run = try await ForeignProgram.run(
          "/usr/bin/curl",
          [
            "-sS", version, "--cacert", files.ca, "--cert", files.certificate, "--key", files.key,
            server.url + Routes.accounts,
          ])
        #expect(run?.status == 0)
        #expect(run?.output.hasPrefix(#"{"accounts":"#) == true, "\(run?.output ?? "")")
      }
      let bare = try await ForeignProgram.run(
        "/usr/bin/curl", ["-sS", "--cacert", files.ca, server.url + Routes.accounts])
      #expect(bare?.output.contains("certificate_required") == true)
    }
  }

  /// The answer that `openssl s_client` gets for a request. It hangs up when its input ends, so the input stays open until the server
  /// has closed.
  private func openssl(
    _ server: RunningServer, _ arguments: [String], path: String = Routes.accounts
  ) async throws -> String? {
    try await ForeignProgram.runOrSkip(
      "/usr/bin/openssl",
      ["s_client", "-connect", "127.0.0.1:\(server.port)", "-servername", "localhost"] + arguments,
      input: "GET \(path) HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n", holdsInput: true
    )?.output
  }

  @Test(
    "openssl s_client works, with TLS 1.2 and 1.3 and nothing older, and is told whose certificates are wanted",
    .needs("openssl"))
  func versions() async throws {
    try await RunningServer.with { server in
      let device = try await server.device()
      let files = try server.files(of: device)
      let identity = ["-CAfile", files.ca, "-cert", files.certificate, "-key", files.key]
      for version in ["-tls1_2", "-tls1_3"] {
        let output = try #require(try await openssl(server, identity + [version]))
        #expect(output.contains("Verify return code: 0 (ok)"))
        #expect(output.contains("CN = Test authority"))
        #expect(output.contains("HTTP/1.1 200 OK"), "\(version)")
      }
      // Nor what HTTP/2 forbids: encryption without authentication in one, keys without forward secrecy.
      for cipher in ["ECDHE-ECDSA-AES128-SHA", "ECDHE-ECDSA-AES128-SHA256", "AES128-GCM-SHA256"] {
        let weak = try await openssl(server, ["-tls1_2", "-cipher", "\(cipher):@SECLEVEL=0"])
        #expect(weak?.contains("HTTP/1.1") == false, "\(cipher)")
      }
      let old = try await openssl(server, ["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"])
      #expect(old?.contains("HTTP/1.1") == false)
    }
  }

  @Test(
    "A resumed session of a device that was revoked, or whose certificate has ended, gets nothing", .needs("openssl"),
    arguments: [
      "-tls1_2", "-tls1_3",
    ])
  func resumption(_ version: String) async throws {
    try await RunningServer.with({ $0.policy.revocationStaleness = .zero }) { server in
      let device = try await server.device(lifetime: 3600)
      let files = try server.files(of: device)
      let session = server.folder.appendingPathComponent("session.pem").path
      let first = try #require(
        try await openssl(
          server, ["-cert", files.certificate, "-key", files.key, version, "-sess_out", session]))
      #expect(first.contains("HTTP/1.1 200 OK"))
      // Without certificate or key: the session alone.
      let resumed = try #require(try await openssl(server, [version, "-sess_in", session]))
      #expect(resumed.contains("Reused"))
      #expect(resumed.contains("HTTP/1.1 200 OK"))
      let time = Int64(server.clock.now.timeIntervalSince1970)
      #expect(try await server.store.write { try $0.revokeDevice(device.id, at: time, reason: 1) })
      let revoked = try #require(try await openssl(server, [version, "-sess_in", session]))
      #expect(revoked.contains("Reused"))
      #expect(revoked.contains("HTTP/1.1 403"))
      #expect(revoked.contains("\"revoked\""))

      let other = try await server.device(lifetime: 3600)
      let others = try server.files(of: other)
      _ = try await openssl(
        server, ["-cert", others.certificate, "-key", others.key, version, "-sess_out", session])
      server.clock.advance(by: 3601)
      let ended = try #require(try await openssl(server, [version, "-sess_in", session]))
      #expect(ended.contains("Reused"))
      #expect(ended.contains("HTTP/1.1 401"))
      #expect(
        try #require(try await openssl(server, [version, "-sess_in", session], path: Routes.live)).contains("200"))
    }
  }

  @Test("A certificate of another authority fails the handshake, whatever its name says")
  func foreignAuthority() async throws {
    try await RunningServer.with { server in
      let now = Date()
      let foreign = try CertificateAuthority(
        name: "Test authority", key: FileAuthorityKey(), now: now, serial: RunningServer.serial())
      let device = try await server.device(issuedBy: foreign)
      _ = try await server.withClient(device) { client in
        await #expect(throws: (any Error).self) { try await client.expectLive() }
      }
    }
  }

  @Test("A certificate that was issued and never registered belongs to no device")
  func unknown() async throws {
    try await RunningServer.with { server in
      let (device, other) = (try await server.device(), try await server.device())
      let certificate = try server.authority.issueClient(
        device: other.id.description, user: "demo", publicKey: Array(device.key.publicKey.x963Representation),
        serial: RunningServer.serial(), notBefore: Date().addingTimeInterval(-60),
        notAfter: Date().addingTimeInterval(3600))
      let forged = TestDevice(id: device.id, user: "demo", key: device.key, certificate: certificate)
      try await server.withClient(forged) { client in
        let answer = try await client.request("GET", Routes.accounts)
        #expect(answer.code == .notAuthenticated)
        #expect(try await client.request("GET", Routes.live).status == 200)
      }
    }
  }

  @Test("Another certificate is shown to new connections, and those that are open go on")
  func reload() async throws {
    try await RunningServer.with { server in
      let device = try await server.device()
      let files = try server.files(of: device)
      let before = try await openssl(server, ["-showcerts"])
      let open = try await RawConnection(to: server)
      let next = try RunningServer.certificate(of: server.authority, now: Date())
      try server.server.reload(certificateChain: next.chain, privateKey: next.key)
      try await open.send("GET /health/live HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
      #expect((try await open.untilClosed()).contains("200 OK"))
      let after = try await openssl(server, ["-showcerts", "-CAfile", files.ca])
      func leaf(_ text: String?) -> Substring? {
        text?.split(separator: "-----BEGIN CERTIFICATE-----").dropFirst().first
      }
      if before != nil { #expect(leaf(before) != leaf(after)) }
      let other = try RunningServer.certificate(of: server.authority, now: Date())
      #expect(throws: (any Error).self) {
        try server.server.reload(certificateChain: next.chain, privateKey: other.key)
      }
      #expect(throws: (any Error).self) { try server.server.reload(certificateChain: [[1, 2]], privateKey: next.key) }
      try await server.withClient { try await $0.expectLive() }
    }
  }

  @Test("At shutdown, a request under way is answered, and new connections are refused")
  func shutdown() async throws {
    let store = try ObservedStore()
    let server = try await RunningServer { $0.store = store }
    let device = try await server.device()
    let (arrived, release) = (Gate(), Gate())
    try await server.withClient(device) { client in
      #expect(try await client.request("GET", Routes.accounts).status == 200)
      store.set {
        $0.beforeRead = {
          await arrived.open()
          await release.pass()
        }
      }
      async let slow = client.request("GET", Routes.accounts)
      await arrived.pass()
      async let stopped: Void = server.stop()
      while let late = try? await RawConnection(to: server, tls: false) { try await late.close() }
      await release.open()
      #expect(try await slow.status == 200)
      try await stopped
    }
  }
}
