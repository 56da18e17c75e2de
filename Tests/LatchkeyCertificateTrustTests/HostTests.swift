import Foundation
import Security
import SwiftASN1
import Testing
import X509

@testable import LatchkeyCertificateTrust

@Suite("Hosts")
struct HostTests {
  private let root = TestCertificate.authority("root")

  @Test(
    "a name is the host's if it is the same, or a star stands for its first label",
    arguments: [
      ("example.org", "example.org", true), ("EXAMPLE.org", "example.ORG", true), ("example.org.", "example.org", true),
      ("www.example.org", "*.example.org", true), ("WWW.example.org", "*.Example.org", true),
      ("a.b.example.org", "*.example.org", false), ("example.org", "*.example.org", false),
      ("www.example.org", "example.org", false), ("example.org", "www.example.org", false),
      ("example.org", "*.org", false), ("org", "*", false), ("example.org", "*.*", false),
      ("www.example.org", "w*.example.org", false), ("www.example.org", "*w.example.org", false),
      ("www.example.org", "www.*.org", false), ("a.b.example.org", "*.*.example.org", false),
      ("www.example.org", "*.example.org.", false), ("example.org", "example.org.", false),
      ("example.org", "", false), ("example.org", ".example.org", false), ("example.org", "example.org\0.evil", false),
      ("xn--bcher-kva.example", "xn--bcher-kva.example", true), ("bücher.example", "xn--bcher-kva.example", false),
      ("a_b.example.org", "a_b.example.org", true), ("192.0.2.1", "192.0.2.1", false), ("192.0.2.1", "*.0.2.1", false),
      ("", "", false), (".", ".", false), ("a..b", "a..b", false), ("example.org\0", "example.org", false),
      ("localhost", "localhost", true),
    ])
  func names(host: String, name: String, isIts: Bool) {
    let isNamed = HostName(host)?.isNamed(by: .dnsName(name)) ?? false
    #expect(isNamed == isIts)
  }

  @Test(
    "an address is the host's if it is the same, however it is written",
    arguments: [
      ("192.0.2.1", [192, 0, 2, 1], true), ("192.0.2.1", [192, 0, 2, 2], false),
      ("::1", [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], true),
      ("[::1]", [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], true),
      ("0:0:0:0:0:0:0:1", [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], true),
      ("::ffff:192.0.2.1", [192, 0, 2, 1], false), ("192.0.2.1", [192, 0, 2], false),
      ("192.0.2", [192, 0, 2, 0], false),
      ("example.org", [192, 0, 2, 1], false), ("192.0.2.1.", [192, 0, 2, 1], false),
    ] as [(String, [UInt8], Bool)])
  func addresses(host: String, address: [UInt8], isIts: Bool) {
    let isNamed = HostName(host)?.isNamed(by: .ipAddress(ASN1OctetString(contentBytes: address[...]))) ?? false
    #expect(isNamed == isIts)
  }

  @Test("any of the alternative names will do, and none of the others, the common name least of all")
  func certificates() {
    func status(_ names: [GeneralName]?, _ host: String?) -> OSStatus {
      let leaf = TestCertificate.make("example.org", by: root, names.map { [SubjectAlternativeNames($0)] } ?? [])
      return Verdict(leaf, anchors: [root], policies: [server(host)]).status
    }
    let names: [GeneralName] = [
      .rfc822Name("mail.example.org"), .uniformResourceIdentifier("https://uri.example.org"), .dnsName("a.example.org"),
      .dnsName("*.b.example.org"), .ipAddress(ASN1OctetString(contentBytes: [192, 0, 2, 1])),
    ]
    for good in ["a.example.org", "x.b.example.org", "192.0.2.1", nil] { #expect(status(names, good) == errSecSuccess) }
    for bad in ["example.org", "mail.example.org", "uri.example.org", "192.0.2.2", "", "*", "b.example.org"] {
      #expect(status(names, bad) == errSecHostNameMismatch, "\(bad)")
    }
    #expect(status(nil, "example.org") == errSecHostNameMismatch)
    #expect(status(nil, nil) == errSecSuccess)
  }

  @Test("a client's name says nothing")
  func clients() {
    let leaf = TestCertificate.server("example.org", by: root)
    let policy = SecPolicyCreateSSL(false, "somebody.example")
    #expect(Verdict(leaf, anchors: [root], policies: [policy]).status == errSecSuccess)
  }

  @Test("alternative names that cannot be read are refused, asked for or not")
  func unreadable() {
    let broken = UnknownExtension(isCritical: false, oid: .X509ExtensionID.subjectAlternativeName)
    let leaf = TestCertificate.make("leaf", by: root, [broken])
    #expect(Verdict(leaf, anchors: [root]).status == errSecInvalidCertificateRef)
    #expect(Verdict(leaf, anchors: [root], policies: [server("leaf")]).status == errSecHostNameMismatch)
  }
}
