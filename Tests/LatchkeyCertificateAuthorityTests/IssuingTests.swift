import LatchkeyTestSupport
import Crypto
import Foundation
import LatchkeyCertificateAuthority
import SwiftASN1
import Testing
import X509

@Suite("Certificates that the authority issues")
struct IssuingTests {
  @Test(
    "OpenSSL accepts a client's certificate for clients only",
    .enabled(if: PeerProgram.openssl != nil))
  func client() throws {
    let (peer, authority) = (try PeerProgram(PeerProgram.openssl), try authority())
    let root = try peer.writePEM("root.pem", authority.chain)
    let leaf = try peer.writePEM("leaf.pem", [authority.client()])
    func verify(_ purpose: String, root: String = root) throws -> (code: Int32, text: String) {
      try peer.run(
        "verify", "-attime", "1795313400", "-x509_strict", "-check_ss_sig", "-purpose", purpose, "-CAfile", root, leaf)
    }
    let verified = try verify("sslclient")
    #expect(verified.code == 0, "\(verified.text)")
    #expect(try verify("sslserver").code != 0)
    let foreign = try peer.writePEM("foreign.pem", anotherAuthority().chain)
    #expect(try verify("sslclient", root: foreign).code != 0)
  }

  @Test("a client's certificate says what it should, as OpenSSL reads it", .enabled(if: PeerProgram.openssl != nil))
  func clientText() throws {
    let peer = try PeerProgram(PeerProgram.openssl)
    var authority = try authority()
    authority.revocationListURL = "http://crl.example.org/v1/crl"
    authority.statusURL = "http://crl.example.org/v1/ocsp"
    authority.issuerURL = "http://crl.example.org/v1/ca"
    let leaf = try peer.writePEM("leaf.pem", [authority.client(user: "Jörg & Söhne")])
    let text = try peer.run("x509", "-in", leaf, "-noout", "-text", "-nameopt", "RFC2253,utf8,-esc_msb").text
    for expected in [
      "Version: 3 (0x2)", "5a:c3:c3:c3:c3:c3:c3:c3:c3:c3:c3:c3:c3:c3:c3:02", "Signature Algorithm: ecdsa-with-SHA256",
      "Issuer: CN=Latchkey test authority", "Subject: CN=0123456789abcdef0123456789abcdef,O=Jörg & Söhne",
      "NIST CURVE: P-256", "X509v3 Basic Constraints: critical\n                CA:FALSE",
      "X509v3 Key Usage: critical\n                Digital Signature\n", "TLS Web Client Authentication\n",
      "URI:urn:latchkey:device:0123456789abcdef0123456789abcdef", "X509v3 Subject Key Identifier",
      "X509v3 Authority Key Identifier", "URI:http://crl.example.org/v1/crl",
      "OCSP - URI:http://crl.example.org/v1/ocsp", "CA Issuers - URI:http://crl.example.org/v1/ca",
      "Not After : Nov 22 03:00:00 2026 GMT",
    ] { #expect(text.contains(expected), "\(expected) in \(text)") }
    #expect(!text.contains("Server Authentication"))
  }

  @Test(
    "a user's name that has no room in a certificate is left out", arguments: [(64, true), (65, false), (0, false)])
  func longName(length: Int, isThere: Bool) throws {
    // Characters are counted as scalars: each of these is two.
    let name = String(repeating: "e\u{301}", count: length / 2) + (length % 2 == 0 ? "" : "x")
    let certificate = try Certificate(derEncoded: authority().client("device", user: name))
    #expect("\(certificate.subject)" == (isThere ? "CN=device,O=\(name)" : "CN=device"))
  }

  @Test("without a URL no list, no responder and no issuer is named")
  func noDistributionPoint() throws {
    let certificate = try Certificate(derEncoded: authority().client())
    #expect(certificate.extensions[oid: [2, 5, 29, 31]] == nil)
    #expect(certificate.extensions[oid: [1, 3, 6, 1, 5, 5, 7, 1, 1]] == nil)
  }

  @Test("a server's certificate names no responder, which would not know it")
  func serverWithoutStatus() throws {
    var authority = try authority()
    authority.statusURL = "http://crl.example.org/v1/ocsp"
    let certificate = try Certificate(derEncoded: authority.server(["localhost"]))
    #expect(certificate.extensions[oid: [1, 3, 6, 1, 5, 5, 7, 1, 1]] == nil)
  }

  @Test(
    "OpenSSL accepts a server's certificate for its names and addresses, and for no others",
    .enabled(if: PeerProgram.openssl != nil))
  func server() throws {
    let (peer, authority) = (try PeerProgram(PeerProgram.openssl), try authority())
    let root = try peer.writePEM("root.pem", authority.chain)
    let leaf = try peer.writePEM(
      "leaf.pem", [authority.server(["LOCALHOST", "*.bank.example", "127.0.0.1", "2001:db8::7"])])
    func verify(_ option: String, _ name: String, purpose: String = "sslserver") throws -> Int32 {
      try peer.run(
        "verify", "-attime", "1795313400", "-x509_strict", "-purpose", purpose, option, name, "-CAfile", root, leaf
      ).code
    }
    #expect(try verify("-verify_hostname", "localhost") == 0)
    #expect(try verify("-verify_hostname", "api.bank.example") == 0)
    #expect(try verify("-verify_ip", "127.0.0.1") == 0)
    #expect(try verify("-verify_ip", "2001:db8:0:0::7") == 0)
    #expect(try verify("-verify_hostname", "bank.example") != 0)
    #expect(try verify("-verify_hostname", "127.0.0.1") != 0)
    #expect(try verify("-verify_ip", "127.0.0.2") != 0)
    #expect(try verify("-verify_hostname", "localhost", purpose: "sslclient") != 0)
  }

  @Test("a certificate ends when it ends", .enabled(if: PeerProgram.openssl != nil))
  func expiry() throws {
    let (peer, authority) = (try PeerProgram(PeerProgram.openssl), try authority())
    let root = try peer.writePEM("root.pem", authority.chain)
    let leaf = try peer.writePEM("leaf.pem", [authority.client()])
    let late = try peer.run("verify", "-attime", "1795316401", "-CAfile", root, leaf)
    #expect(late.code != 0 && late.text.contains("expired"))
    let early = try peer.run("verify", "-attime", "1795312799", "-CAfile", root, leaf)
    #expect(early.code != 0 && early.text.contains("not yet valid"))
  }

  @Test("ends beyond 2049 are written as RFC 5280 wants them", .enabled(if: PeerProgram.openssl != nil))
  func distantEnd() throws {
    let peer = try PeerProgram(PeerProgram.openssl)
    let distant = Date(timeIntervalSince1970: 2_524_608_000)  // 2050-01-01
    let authority = try CertificateAuthority(
      name: "distant", key: FileAuthorityKey(), now: distant.addingTimeInterval(-86_400), serial: serial())
    let leaf = try peer.write("leaf", authority.client(from: distant.addingTimeInterval(-1), to: distant))
    let text = try peer.run("asn1parse", "-inform", "DER", "-in", leaf).text
    #expect(text.contains("UTCTIME           :491231235959Z"))
    #expect(text.contains("GENERALIZEDTIME   :20500101000000Z"))
  }

  @Test(
    "serial numbers that are short, long, negative or zero-led are refused",
    arguments: [
      [], [1], [UInt8](repeating: 1, count: 15), [UInt8](repeating: 1, count: 21),
      [0x80] + [UInt8](repeating: 1, count: 15), [0] + [UInt8](repeating: 1, count: 15),
    ])
  func serialNumbers(bytes: [UInt8]) throws {
    let authority = try authority()
    #expect(throws: AuthorityError.self) { try authority.client(serial: bytes) }
    #expect(throws: AuthorityError.self) {
      try CertificateAuthority(name: "a", key: FileAuthorityKey(), now: now, serial: bytes)
    }
  }

  @Test("Serial numbers of 20 bytes are preserved")
  func longestSerial() throws {
    let serial = [0x7F] + [UInt8](repeating: 0xFF, count: 19)
    #expect(try Certificate(derEncoded: authority().client(serial: serial)).serialNumber.bytes == serial[...])
  }

  @Test("nothing is issued backwards, or beyond the authority's own end")
  func dates() throws {
    let authority = try authority()
    #expect(throws: AuthorityError.self) { try authority.client(from: now, to: now) }
    #expect(throws: AuthorityError.self) { try authority.client(to: authority.notAfter.addingTimeInterval(1)) }
    #expect(try !authority.client(to: authority.notAfter).isEmpty)
  }

  @Test("keys that are no points of P-256 get no certificate")
  func keys() throws {
    let authority = try authority()
    for key in [[], [UInt8](repeating: 4, count: 65), Array(FileAuthorityKey().publicKey.dropLast())] {
      #expect(throws: AuthorityError.self) {
        try authority.issueClient(
          device: "d", user: "u", publicKey: key, serial: serial(), notBefore: now,
          notAfter: now.addingTimeInterval(1))
      }
    }
  }

  @Test(
    "names that no server has are refused",
    arguments: [
      "", "a b", "-a", "a..b", "ä.example", "a.*.b", "https://a", "a/", ".a", String(repeating: "a", count: 64),
    ])
  func serverNames(name: String) throws {
    let authority = try authority()
    #expect(throws: AuthorityError.self) { try authority.server([name]) }
  }

  @Test("a server has a name")
  func noServerName() throws {
    let authority = try authority()
    #expect(throws: AuthorityError.self) { try authority.server([]) }
  }

  @Test("a key that is away says so, and one that lies is found out")
  func keyFailures() throws {
    let key = FileAuthorityKey()
    let chain = try CertificateAuthority(name: "a", key: key, now: now, serial: serial()).chain
    let dead = try CertificateAuthority(chain: chain, key: DeadKey(publicKey: key.publicKey))
    #expect { try dead.client() } throws: {
      guard case .keyUnavailable = $0 as? AuthorityError else { return false }
      return true
    }
    #expect(throws: AuthorityError.self) {
      try CertificateAuthority(name: "a", key: LyingKey(), now: now, serial: serial())
    }
  }
}
