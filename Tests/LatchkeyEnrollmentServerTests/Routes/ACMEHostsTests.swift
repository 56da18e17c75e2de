import Foundation
import LatchkeyCertificateAuthority
import LatchkeyEnrollmentProtocol
import LatchkeyEnrollmentStore
import LatchkeyServerTestSupport
import Testing

@testable import LatchkeyEnrollmentServer

@Suite("Hosts of ACME")
struct ACMEHostsTests {
  private static func hosts(_ names: String...) throws -> ACMEHosts {
    let authority = try CertificateAuthority(
      name: "Test authority", key: FileAuthorityKey(), now: Date(), serial: RunningServer.serial())
    return ACMEHosts(
      certificate: try authority.issueServer(
        names: names, publicKey: FileAuthorityKey().publicKey, serial: RunningServer.serial(),
        notBefore: Date(timeIntervalSinceNow: -60), notAfter: Date(timeIntervalSinceNow: 3600)))
  }

  @Test("The names of the TLS certificate are accepted, with any port, and no other text")
  func names() throws {
    let hosts = try Self.hosts("enroll.example", "*.fleet.example", "192.0.2.7", "2001:db8::7")
    for good in [
      "enroll.example", "ENROLL.example:8443", "enroll.example.", "a.fleet.example", "A.Fleet.Example:1",
      "192.0.2.7:443",
      "[2001:db8::7]", "[2001:DB8:0::7]:8443",
    ] { #expect(hosts.contains(good), "\(good)") }
    for wrong in [
      "", ":", "example", "evil.example", "enroll.example.evil.example", "enroll.example:8443.evil.example",
      "enroll.example@evil.example", "x@enroll.example", "enroll.example:80:80", "enroll.example..", ".enroll.example",
      "fleet.example", ".fleet.example", "a.b.fleet.example", "*.fleet.example", "192.0.2.8", "[192.0.2.7",
      "192.0.2.7.",
      "[2001:db8::8]", "[2001:db8::7%eth0]", "[2001:db8::7].evil.example", "[2001:db8::7]:x", "enroll\u{2024}example",
      String(repeating: "a", count: 250) + ".fleet.example",
    ] { #expect(!hosts.contains(wrong), "\(wrong)") }
    #expect(!ACMEHosts(certificate: nil).contains("localhost") && !ACMEHosts(certificate: [1]).contains("localhost"))
    #expect(try Self.hosts("*.example").contains("a.example") == false)
  }

  @Test("Another Host gets no URL, no account and no order, though the signature is for its URL")
  func otherHosts() async throws {
    try await ACMETestClient.with { acme in
      let port = acme.base.split(separator: ":").last ?? ""
      for host in ["relay.example", "relay.example:\(port)", "localhost.relay.example:\(port)"] {
        for path in [Routes.acmeDirectory, Routes.acmeDirectory(label: "default"), Routes.acmeNonce] {
          let answer = try await acme.client.request("GET", path, headers: [("host", host)])
          #expect(answer.status == 421 && answer.acme == "malformed", "\(host) \(path): \(answer.text)")
          #expect(!answer.text.contains("relay"))
        }
        for url in ["https://\(host)", acme.base] {
          let header: [String: Any] = [
            "alg": "ES256", "nonce": try await acme.nonce(), "url": url + Routes.acmeAccounts, "jwk": acme.jwk,
          ]
          let answer = try await acme.client.request(
            "POST", Routes.acmeAccounts, headers: [("content-type", "application/jose+json"), ("host", host)],
            body: acme.body(header, [String: Any]()))
          #expect(answer.status == 421 && answer.header("location") == nil, "\(host) \(url): \(answer.text)")
          let order: [String: Any] = [
            "alg": "ES256", "nonce": try await acme.nonce(), "url": url + Routes.acmeOrders,
            "kid": url + Routes.acmeAccount(try acme.key.accountID),
          ]
          let identifier = ["type": "permanent-identifier", "value": try await acme.token()]
          let ordered = try await acme.client.request(
            "POST", Routes.acmeOrders, headers: [("content-type", "application/jose+json"), ("host", host)],
            body: acme.body(order, ["identifiers": [identifier]]))
          #expect(ordered.status == 421 && ordered.header("location") == nil, "\(host) \(url): \(ordered.text)")
        }
      }
      #expect(try await acme.server.store.read { try $0.rows("SELECT id FROM acme_orders") }.isEmpty)
      // The other way round: the Host is the server's, and the signature for the relay's URL.
      let relayed = try await acme.post(Routes.acmeAccounts, [String: Any](), byKey: true) {
        $0["url"] = "https://relay.example" + Routes.acmeAccounts
      }
      #expect(relayed.status == 403 && relayed.acme == "unauthorized")
      let address = try await acme.client.request("GET", Routes.acmeDirectory, headers: [("host", "127.0.0.1:1")])
      #expect(address.json["newNonce"] as? String == "https://127.0.0.1:1" + Routes.acmeNonce)
    }
  }

  @Test("Another certificate brings its names, and ends those of the one before")
  func reload() async throws {
    try await ACMETestClient.with { acme in
      func status(_ host: String) async throws -> Int {
        try await acme.client.request("GET", Routes.acmeDirectory, headers: [("host", host)]).status
      }
      #expect(try await status("new.example") == 421)
      let key = FileAuthorityKey()
      let leaf = try acme.server.authority.issueServer(
        names: ["new.example"], publicKey: key.publicKey, serial: RunningServer.serial(),
        notBefore: acme.server.clock.now.addingTimeInterval(-60),
        notAfter: acme.server.clock.now.addingTimeInterval(3600))
      try acme.server.server.reload(certificateChain: [leaf], privateKey: key.pkcs8)
      // The open connection has the former certificate.
      #expect(try await status("new.example") == 200)
      #expect(try await status("localhost") == 421)
    }
  }

  @Test("A signature covers the target as it was sent: an empty query, its absence, and the absolute form")
  func targets() async throws {
    try await ACMETestClient.with { acme in
      func status(_ target: String, signed path: String) async throws -> String {
        let header: [String: Any] = [
          "alg": "ES256", "nonce": try await acme.nonce(), "url": acme.base + path, "jwk": acme.jwk,
        ]
        let body = String(decoding: try acme.body(header, [String: Any]()), as: UTF8.self)
        let connection = try await RawConnection(to: acme.server)
        try await connection.send(
          """
          POST \(target) HTTP/1.1\r\nHost: \(acme.base.dropFirst(8))\r\nContent-Type: application/jose+json\r\n\
          Connection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)
          """)
        return String(try await connection.untilClosed().dropFirst(9).prefix(3))
      }
      let path = Routes.acmeAccounts
      let plain = try await status(path, signed: path)
      #expect(plain == "201")
      #expect(try await status(path + "?", signed: path + "?") == "201")
      #expect(try await status(path + "?", signed: path) == "403")
      #expect(try await status(path, signed: path + "?") == "403")
      #expect(try await status(path + "?a=b&", signed: path + "?a=b") == "403")
      #expect(try await status(acme.base + path, signed: path) == "201")
      #expect(try await status("https://relay.example" + path, signed: path) == "421")
      #expect(try await status("//relay.example" + path, signed: path) == "404")
    }
  }
}
