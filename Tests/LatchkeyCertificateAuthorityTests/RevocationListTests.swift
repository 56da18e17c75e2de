import LatchkeyTestSupport
import Foundation
import LatchkeyCertificateAuthority
import Testing

@Suite("Revocation lists")
struct RevocationListTests {
  private let lines = [
    RevokedCertificate(serial: serial(2), date: now, reason: 1),
    RevokedCertificate(serial: [0xFF] + serial(9).dropFirst(), date: now.addingTimeInterval(-0.5), reason: nil),
    RevokedCertificate(serial: serial(4), date: Date(timeIntervalSince1970: 951_782_399), reason: 0),
    RevokedCertificate(serial: serial(5), date: Date(timeIntervalSince1970: 4_107_542_400), reason: 4),
  ]

  private func list(
    _ authority: CertificateAuthority, _ lines: [RevokedCertificate], number: Int64 = 7
  ) throws -> [UInt8] {
    try authority.revocationList(
      of: lines, number: number, thisUpdate: now, nextUpdate: now.addingTimeInterval(3600))
  }

  @Test("OpenSSL verifies a list and reads in it what was put in", .enabled(if: PeerProgram.openssl != nil))
  func text() throws {
    let (peer, authority) = (try PeerProgram(PeerProgram.openssl), try authority())
    let file = try peer.write("crl", list(authority, lines))
    let root = try peer.writePEM("root.pem", authority.chain)
    let read = try peer.run("crl", "-inform", "DER", "-in", file, "-noout", "-text", "-CAfile", root)
    #expect(read.code == 0 && read.text.contains("verify OK"), "\(read.text)")
    for expected in [
      "Version 2 (0x1)", "Signature Algorithm: ecdsa-with-SHA256", "Issuer: CN = Latchkey test authority",
      "Last Update: Nov 22 02:00:00 2026 GMT", "Next Update: Nov 22 03:00:00 2026 GMT",
      "X509v3 CRL Number: \n                7",
      "X509v3 Authority Key Identifier", "Serial Number: 5AC3C3C3C3C3C3C3C3C3C3C3C3C3C302",
      "Serial Number: FFC3C3C3C3C3C3C3C3C3C3C3C3C3C309", "Key Compromise", "Superseded",
      "Revocation Date: Nov 22 01:59:59 2026 GMT", "Revocation Date: Feb 28 23:59:59 2000 GMT",
      // 2100 is no leap year.
      "Revocation Date: Mar  1 00:00:00 2100 GMT",
    ] {
      #expect(read.text.contains(expected), "\(expected) in \(read.text)")
    }
    #expect(read.text.components(separatedBy: "X509v3 CRL Reason Code").count == 3, "unspecified is not said")
    let foreign = try peer.writePEM("foreign.pem", anotherAuthority().chain)
    let verification = try peer.run("crl", "-inform", "DER", "-in", file, "-noout", "-CAfile", foreign)
    #expect(!verification.text.contains("verify OK"))
  }

  @Test(
    "OpenSSL refuses a revoked certificate by the list, and accepts another", .enabled(if: PeerProgram.openssl != nil))
  func check() throws {
    let (peer, authority) = (try PeerProgram(PeerProgram.openssl), try authority())
    let root = try peer.writePEM("root.pem", authority.chain)
    let file = try peer.write("crl", list(authority, lines))
    #expect(try peer.run("crl", "-inform", "DER", "-in", file, "-out", peer.path("crl.pem")).code == 0)
    func verify(_ certificate: [UInt8]) throws -> (code: Int32, text: String) {
      let leaf = try peer.writePEM("leaf.pem", [certificate])
      return try peer.run(
        "verify", "-attime", "1795313400", "-x509_strict", "-crl_check", "-CRLfile", peer.path("crl.pem"), "-CAfile",
        root, leaf)
    }
    let revoked = try verify(authority.client(serial: serial(2)))
    #expect(revoked.code != 0 && revoked.text.contains("certificate revoked"), "\(revoked.text)")
    let good = try verify(authority.client(serial: serial(8)))
    #expect(good.code == 0, "\(good.text)")
  }

  @Test("a list of nothing has no list", .enabled(if: PeerProgram.openssl != nil))
  func empty() throws {
    let (peer, authority) = (try PeerProgram(PeerProgram.openssl), try authority())
    let file = try peer.write("crl", list(authority, [], number: 0))
    let root = try peer.writePEM("root.pem", authority.chain)
    let read = try peer.run("crl", "-inform", "DER", "-in", file, "-noout", "-text", "-CAfile", root)
    #expect(read.text.contains("No Revoked Certificates") && read.text.contains("verify OK"), "\(read.text)")
  }

  @Test("numbers beyond 32 bits and many lines are written", .enabled(if: PeerProgram.openssl != nil))
  func large() throws {
    let (peer, authority) = (try PeerProgram(PeerProgram.openssl), try authority())
    let many = (0..<5000).map {
      RevokedCertificate(
        serial: [0x40] + serial().dropFirst(3) + [UInt8($0 >> 8), UInt8($0 & 0xFF)], date: now, reason: 5)
    }
    let file = try peer.write("crl", list(authority, many, number: .max))
    let root = try peer.writePEM("root.pem", authority.chain)
    let read = try peer.run("crl", "-inform", "DER", "-in", file, "-noout", "-crlnumber", "-CAfile", root)
    #expect(read.text.contains("crlNumber=0x7FFFFFFFFFFFFFFF") && read.text.contains("verify OK"), "\(read.text)")
  }

  @Test("lines and numbers that no list may have are refused")
  func refusals() throws {
    let authority = try authority()
    for reason in [-1, 7, 8, 11, 256] {
      let line = RevokedCertificate(serial: serial(), date: now, reason: reason)
      #expect(throws: AuthorityError.self, "reason \(reason)") { try list(authority, [line]) }
    }
    for serial in [[], [UInt8](repeating: 1, count: 21)] {
      let line = RevokedCertificate(serial: serial, date: now, reason: nil)
      #expect(throws: AuthorityError.self) { try list(authority, [line]) }
    }
    #expect(throws: AuthorityError.self) { try list(authority, [], number: -1) }
    #expect(throws: AuthorityError.self) {
      try authority.revocationList(of: [], number: 1, thisUpdate: now, nextUpdate: now)
    }
    let never = RevokedCertificate(serial: serial(), date: Date(timeIntervalSince1970: .infinity), reason: nil)
    #expect(throws: AuthorityError.self) { try list(authority, [never]) }
  }
}
