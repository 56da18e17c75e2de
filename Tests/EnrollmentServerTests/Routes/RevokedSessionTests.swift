import CertificateAuthority
import Crypto
import EnrollmentProtocol
import EnrollmentServer
import EnrollmentStore
import Foundation
import Testing

/// A certificate is verified when a session begins; what it is worth is asked for every request, also where nothing is verified any
/// more: on a connection that lives, and on a session that is resumed.
@Suite("Certificates that stop counting")
struct RevokedSessionTests {
  @Test(
    "a resumed session of a revoked device is turned away, though TLS takes it", .enabled(if: OpenSSLClient.isThere),
    arguments: ["-tls1_2", "-tls1_3"])
  func revokedResumed(version: String) async throws {
    try await RunningServer.with { server in
      let device = try await server.device()
      let client = try OpenSSLClient(server, device, version: version)
      let first = try await client.first(Routes.device)
      #expect(first.status == 200 && !first.isResumed, "\(first.text)")
      let resumed = try await client.resumed(Routes.device)
      #expect(resumed.status == 200 && resumed.isResumed, "\(resumed.text)")
      try await server.withClient(device) {
        let answer = try await $0.request("POST", Routes.revocation)
        #expect(answer.status == 204)
      }
      let revoked = try await client.resumed(Routes.device)
      #expect(revoked.status == 403 && revoked.isResumed && revoked.text.contains("\"revoked\""), "\(revoked.text)")
    }
  }

  @Test(
    "a resumed session of a certificate that has ended is turned away", .enabled(if: OpenSSLClient.isThere),
    arguments: ["-tls1_2", "-tls1_3"])
  func endedResumed(version: String) async throws {
    try await RunningServer.with { server in
      let client = try OpenSSLClient(server, try await server.device(), version: version)
      #expect(try await client.first(Routes.device).status == 200)
      server.clock.advance(by: 24 * 3600 + 1)
      let ended = try await client.resumed(Routes.device)
      #expect(ended.status == 401 && ended.isResumed, "\(ended.text)")
    }
  }

  @Test("a connection that lives does not outlive its device, nor its certificate", arguments: [false, true])
  func live(http2: Bool) async throws {
    try await RunningServer.with { server in
      let (device, other) = (try await server.device(), try await server.device())
      try await server.withClient(device, http2: http2) { live in
        #expect(try await live.request("GET", Routes.device).status == 200)
        try await server.withClient(device) {
          let answer = try await $0.request("POST", Routes.revocation)
          #expect(answer.status == 204)
        }
        let revoked = try await live.request("GET", Routes.device)
        #expect(revoked.status == 403 && revoked.code == .revoked)
      }
      try await server.withClient(other, http2: http2) { live in
        #expect(try await live.request("GET", Routes.device).status == 200)
        server.clock.advance(by: 24 * 3600 + 1)
        let ended = try await live.request("GET", Routes.device)
        #expect(ended.status == 401 && ended.code == .notAuthenticated)
      }
    }
  }

  @Test("what another server revokes counts here once it is looked at")
  func otherServer() async throws {
    try await RunningServer.with({ $0.policy.revocationStaleness = .zero }) { server in
      let device = try await server.device()
      try await server.withClient(device) { client in
        let before = try await client.request("GET", Routes.device)
        #expect(before.status == 200)
        let (id, now) = (device.id, Int64(server.clock.now.timeIntervalSince1970))
        #expect(try await server.store.write { try $0.revokeDevice(id, at: now, reason: 1) })
        #expect(try await client.request("GET", Routes.device).code == .revoked)
      }
    }
  }

  @Test("a foreign authority's certificate ends the handshake; one of ours that nobody kept is not known")
  func foreign() async throws {
    try await RunningServer.with { server in
      let stranger = try CertificateAuthority(
        name: "Test authority", key: FileAuthorityKey(), now: server.clock.now, serial: RunningServer.serial())
      let foreign = try await server.device(issuedBy: stranger)
      await #expect(throws: (any Error).self) {
        try await server.withClient(foreign) { try await $0.request("GET", Routes.device) }
      }
      let known = try await server.device()
      let unkept = try server.authority.issueClient(
        device: known.id.description, user: "demo", publicKey: Array(known.key.publicKey.x963Representation),
        serial: RunningServer.serial(), notBefore: server.clock.now.addingTimeInterval(-60),
        notAfter: server.clock.now.addingTimeInterval(3600))
      let double = TestDevice(id: known.id, user: "demo", key: known.key, certificate: unkept)
      try await server.withClient(double) {
        let answer = try await $0.request("GET", Routes.device)
        #expect(answer.code == .notAuthenticated)
      }
    }
  }
}
