import LatchkeyServerTestSupport
import LatchkeyTestSupport
import Crypto
import Foundation
import LatchkeyCertificateAuthority
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentServer
import LatchkeyEnrollmentStore
import LatchkeySealedMessages
import Testing

/// A certificate is verified when a session begins; what it is worth is asked for every request, also where nothing is verified any
/// more: on a connection that lives, and on a session that is resumed (`ForeignClientTests`, too).
@Suite("Certificates that stop counting", .timeLimit(.minutes(10)))
struct RevokedSessionTests {
  @Test(
    "a device that has ended itself is turned away on a session that openssl resumes",
    .needs("openssl"), arguments: ["-tls1_2", "-tls1_3"])
  func endedItself(version: String) async throws {
    try await RunningServer.with { server in
      let device = try await server.device()
      let client = try OpenSSLClient(server, device, version: version)
      let first = try await client.first(Routes.device)
      #expect(first.status == 200 && !first.isResumed, "\(first.text)")
      let resumed = try await client.resumed(Routes.device)
      #expect(resumed.status == 200 && resumed.isResumed, "\(resumed.text)")
      let end = try await server.withClient(device) { try await $0.request("POST", Routes.revocation) }
      #expect(end.status == 204)
      let revoked = try await client.resumed(Routes.device)
      #expect(revoked.status == 403 && revoked.isResumed && revoked.text.contains("\"revoked\""), "\(revoked.text)")
    }
  }

  @Test(
    "a renewed certificate does not lengthen the old one's resumed session", .needs("openssl"),
    arguments: ["-tls1_2", "-tls1_3"])
  func ended(version: String) async throws {
    try await RunningServer.with { server in
      let device = try await server.device(lifetime: 3600)
      let client = try OpenSSLClient(server, device, version: version)
      let first = try await client.first(Routes.device)
      #expect(first.status == 200)
      // The device goes on; the certificate that the session began with does not.
      let serial = RunningServer.serial()
      let end = server.clock.now.addingTimeInterval(24 * 3600)
      let renewed = TestDevice(
        id: device.id, user: device.user, key: device.key,
        certificate: try server.authority.issueClient(
          device: device.id.description, user: device.user.text,
          publicKey: Array(device.key.publicKey.x963Representation),
          serial: serial, notBefore: server.clock.now.addingTimeInterval(-60), notAfter: end))
      try await server.store.write { store in
        try store.addCertificate(
          CertificateRecord(
            fingerprint: renewed.fingerprint, serial: serial, device: device.id,
            notAfter: Int64(end.timeIntervalSince1970)))
      }
      server.clock.advance(by: 3601)
      let late = try await client.resumed(Routes.device)
      #expect(late.status == 401 && late.isResumed, "\(late.text)")
      let fresh = try await server.withClient(renewed) { try await $0.request("GET", Routes.device) }
      #expect(fresh.status == 200)
    }
  }

  @Test("a connection that lives does not outlive its certificate", arguments: [false, true])
  func live(http2: Bool) async throws {
    try await RunningServer.with { server in
      let device = try await server.device()
      try await server.withClient(device, http2: http2) { live in
        let before = try await live.request("GET", Routes.device)
        #expect(before.status == 200)
        server.clock.advance(by: 24 * 3600 + 1)
        let ended = try await live.request("GET", Routes.device)
        #expect(ended.status == 401 && ended.code == .notAuthenticated)
      }
    }
  }

  @Test(
    "that a device counts no more is said under the server's signature where that is asked for",
    arguments: [false, true])
  func signedEnd(http2: Bool) async throws {
    try await RunningServer.with { server in
      let device = try await server.device()
      try await server.withClient(device, http2: http2) { client in
        let end = try await client.request("POST", Routes.revocation)
        #expect(end.status == 204)
        for (method, path) in [("POST", Routes.revocation), ("GET", Routes.accounts), ("GET", Routes.device)] {
          let question = try server.question(method, path)
          let answer = try await client.ask(question)
          #expect(answer.status == 403 && answer.code == .revoked)
          let created = try server.verified(answer, to: question).created
          #expect(created == server.now)
          let other = try server.question(method, path)
          #expect(throws: SealedMessageError.notAuthentic) { try server.verified(answer, to: other) }
        }
        let plain = try await client.request("GET", Routes.device)
        #expect(plain.status == 403 && plain.header("signature") == nil)
      }
      try await server.withClient { stranger in
        let answer = try await stranger.ask(server.question("GET", Routes.device))
        #expect(answer.status == 401 && answer.header("signature") == nil)
      }
    }
  }

  @Test("a device that ends while its request's body comes has sent nothing that counts")
  func endedInBody() async throws {
    let store = try ObservedStore()
    try await RunningServer.with({ $0.store = store }) { server in
      let (device, asked) = (try await server.device(), Gate())
      let connection = try await RawConnection(to: server, device: device)
      store.set { $0.beforeRead = { await asked.open() } }
      // A route that believes what was found of the device, and asks the store nothing.
      try await connection.begin(
        "GET", Routes.device, fields: [("host", "a"), ("connection", "close")], length: 2, body: "{")
      // The device is looked for when the head is there.
      await asked.pass()
      let end = try await server.withClient(device) { try await $0.request("POST", Routes.revocation) }
      #expect(end.status == 204)
      try await connection.send("}")
      let answer = try await connection.untilClosed()
      #expect(answer.hasPrefix("HTTP/1.1 403") && answer.contains("\"revoked\""), "\(answer)")
    }
  }

  @Test("a device that ends itself at another server of the same store is turned away here")
  func otherServer() async throws {
    try await RunningServer.with({ $0.policy.revocationStaleness = .zero }) { server in
      let device = try await server.device()
      let path = server.folder.appendingPathComponent("server.db").path
      try await server.withClient(device) { client in
        let before = try await client.request("GET", Routes.device)
        #expect(before.status == 200)
        try await RunningServer.with(clock: server.clock) {
          $0.authority = server.authority
          $0.store = try SQLiteStore(path: path, node: "other")
          $0.node = "other"
        } _: { other in
          let end = try await other.withClient(device) { try await $0.request("POST", Routes.revocation) }
          #expect(end.status == 204)
        }
        let after = try await client.request("GET", Routes.device)
        #expect(after.status == 403 && after.code == .revoked)
      }
    }
  }
}
