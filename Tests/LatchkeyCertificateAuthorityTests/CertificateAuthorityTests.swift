import LatchkeyTestSupport
import Foundation
import LatchkeyCertificateAuthority
import SwiftASN1
import Testing
import X509

@Suite("An authority and its chain")
struct CertificateAuthorityTests {
  @Test("a self-made authority is one, may have none below it, and opens again from its certificate")
  func selfMade() throws {
    let key = FileAuthorityKey()
    let made = try CertificateAuthority(name: "Throw-away", key: key, now: now, serial: serial())
    let certificate = try Certificate(derEncoded: made.chain[0])
    #expect(made.chain.count == 1)
    #expect(try certificate.extensions.basicConstraints == .isCertificateAuthority(maxPathLength: 0))
    #expect(try certificate.extensions.keyUsage == KeyUsage(keyCertSign: true, cRLSign: true))
    #expect(certificate.publicKey.isValidSignature(certificate.signature, for: certificate))
    #expect(certificate.notValidBefore < now && certificate.notValidAfter > now.addingTimeInterval(9 * 365 * 86_400))
    #expect(try CertificateAuthority(chain: made.chain, key: key).chain == made.chain)
  }

  @Test(
    "An authority made by OpenSSL below a root issues certificates that OpenSSL accepts",
    .enabled(if: PeerProgram.openssl != nil))
  func intermediate() throws {
    let peer = try PeerProgram(PeerProgram.openssl)
    let (chain, key) = try Self.openSSLChain(peer)
    let authority = try CertificateAuthority(chain: chain, key: key)
    let root = try peer.writePEM("root.pem", [chain[1]])
    let between = try peer.writePEM("between.pem", [chain[0]])
    let from = Date().addingTimeInterval(-60)
    let leaf = try peer.writePEM("leaf.pem", [authority.client(from: from, to: from.addingTimeInterval(600))])
    let verified = try peer.run(
      "verify", "-x509_strict", "-purpose", "sslclient", "-CAfile", root, "-untrusted", between, leaf)
    #expect(verified.code == 0, "\(verified.text)")

    #expect(throws: AuthorityError.self, "the wrong order") {
      try CertificateAuthority(chain: chain.reversed(), key: key)
    }
    #expect(throws: AuthorityError.self, "another key") {
      try CertificateAuthority(chain: chain, key: FileAuthorityKey())
    }
    let stranger = try CertificateAuthorityTests.stranger()
    #expect(throws: AuthorityError.self, "another root") {
      try CertificateAuthority(chain: [chain[0], stranger], key: key)
    }
  }

  @Test("A certificate without authority cannot make an authority")
  func noAuthority() throws {
    let key = FileAuthorityKey()
    #expect(throws: AuthorityError.self) { try CertificateAuthority(chain: [], key: key) }
    #expect(throws: AuthorityError.self) { try CertificateAuthority(chain: [[0x30, 0x00]], key: key) }
    let made = try CertificateAuthority(name: "a", key: key, now: now, serial: serial())
    let leaf = try made.client(key: key)
    #expect(throws: AuthorityError.self) { try CertificateAuthority(chain: [leaf], key: key) }
    #expect(throws: AuthorityError.self, "two levels below a path length of 0") {
      try CertificateAuthority(chain: [made.chain[0], made.chain[0]], key: key)
    }
    #expect(throws: AuthorityError.self) { try CertificateAuthority(chain: [made.chain[0] + [0]], key: key) }
  }

  @Test("keys come from OpenSSL's files, and only those of P-256", .enabled(if: PeerProgram.openssl != nil))
  func keyFiles() throws {
    let peer = try PeerProgram(PeerProgram.openssl)
    for (curve, works) in [("prime256v1", true), ("secp384r1", false)] {
      #expect(try peer.run("ecparam", "-name", curve, "-genkey", "-noout", "-out", peer.path("sec1")).code == 0)
      #expect(try peer.run("pkcs8", "-topk8", "-nocrypt", "-in", peer.path("sec1"), "-out", peer.path("p8")).code == 0)
      for file in ["sec1", "p8"] {
        let key = try? FileAuthorityKey(fileContents: peer.read(file))
        #expect((key != nil) == works, "\(curve) \(file)")
      }
    }
    #expect(throws: AuthorityError.self) { try FileAuthorityKey(fileContents: []) }
    #expect(throws: AuthorityError.self) { try FileAuthorityKey(fileContents: Array("no key".utf8)) }
  }

  @Test("a key's own text opens again, and its description does not show it")
  func ownText() throws {
    let key = FileAuthorityKey()
    #expect(try FileAuthorityKey(fileContents: Array(key.pem.utf8)).publicKey == key.publicKey)
    #expect(try FileAuthorityKey(fileContents: key.pkcs8).publicKey == key.publicKey)
    #expect("\(key)" == "a key in memory")
  }

  private static func stranger() throws -> [UInt8] {
    try CertificateAuthority(name: "root", key: FileAuthorityKey(), now: Date(), serial: serial()).chain[0]
  }

  /// An authority below a root, both by OpenSSL.
  private static func openSSLChain(_ peer: PeerProgram) throws -> (chain: [[UInt8]], key: FileAuthorityKey) {
    for name in ["root", "below"] {
      _ = try peer.run("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", peer.path("\(name).key"))
    }
    _ = try peer.run(
      "req", "-x509", "-new", "-key", peer.path("root.key"), "-subj", "/CN=root", "-days", "30", "-outform", "DER",
      "-out", peer.path("root.der"), "-addext", "basicConstraints=critical,CA:TRUE", "-addext",
      "keyUsage=critical,keyCertSign,cRLSign")
    _ = try peer.run("x509", "-inform", "DER", "-in", peer.path("root.der"), "-out", peer.path("root.crt"))
    _ = try peer.run(
      "req", "-new", "-key", peer.path("below.key"), "-subj", "/CN=below", "-out", peer.path("below.csr"))
    let extensions = """
      basicConstraints=critical,CA:TRUE,pathlen:0
      keyUsage=critical,keyCertSign,cRLSign
      subjectKeyIdentifier=hash
      authorityKeyIdentifier=keyid
      """
    let file = try peer.write("ext", Array(extensions.utf8))
    _ = try peer.run(
      "x509", "-req", "-in", peer.path("below.csr"), "-CA", peer.path("root.crt"), "-CAkey", peer.path("root.key"),
      "-days", "20", "-extfile", file, "-set_serial", "77", "-outform", "DER", "-out", peer.path("below.der"))
    return (
      try [peer.read("below.der"), peer.read("root.der")], try FileAuthorityKey(fileContents: peer.read("below.key"))
    )
  }
}
