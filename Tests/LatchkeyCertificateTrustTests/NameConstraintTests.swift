import Foundation
import Security
import SwiftASN1
import Testing
import X509

@testable import LatchkeyCertificateTrust

@Suite("Name constraints")
struct NameConstraintTests {
  private let root = TestCertificate.authority("root")

  @Test(
    "a host is below a name with which it ends, label by label",
    arguments: [
      ("example.org", "example.org", true), ("www.example.org", "example.org", true),
      ("a.b.Example.org", "EXAMPLE.org", true),
      ("badexample.org", "example.org", false), ("example.org", "www.example.org", false),
      ("org", "example.org", false),
      ("example.org", "", true), ("www.example.org", ".example.org", true), ("*.example.org", "example.org", true),
      ("*.example.org", "a.example.org", nil), ("*.example.org", "b.a.example.org", false), ("a b", "example.org", nil),
      ("example.org", "a b", nil),
    ] as [(String, String, Bool?)])
  func hosts(host: String, base: String, isBelow: Bool?) {
    #expect(Subtree.contains(host: host, base: base) == isBelow)
  }

  @Test(
    "a mailbox is below itself, its host, and a domain with a dot before it",
    arguments: [
      ("ada@example.org", "ada@example.org", true), ("ada@EXAMPLE.org", "ada@example.org", true),
      ("Ada@example.org", "ada@example.org", false), ("ada@example.org", "example.org", true),
      ("ada@mail.example.org", "example.org", false), ("ada@mail.example.org", ".example.org", true),
      ("ada@example.org", ".example.org", false), ("ada", "example.org", nil), ("@example.org", "example.org", nil),
      ("ada@example.org", "", nil),
    ] as [(String, String, Bool?)])
  func mailboxes(address: String, base: String, isBelow: Bool?) {
    #expect(Subtree.contains(address: address, base: base) == isBelow)
  }

  @Test(
    "a URI is where its host is",
    arguments: [
      ("https://example.org/a", "example.org", true), ("https://www.example.org", "example.org", false),
      ("https://www.example.org", ".example.org", true), ("https://example.org", ".example.org", false),
      ("https://user@example.org:1/", "example.org", true), ("https://192.0.2.1/", "example.org", nil),
      ("urn:a:b", "example.org", nil), ("", "example.org", nil),
    ] as [(String, String, Bool?)])
  func uris(uri: String, base: String, isBelow: Bool?) {
    #expect(Subtree.contains(uri: uri, base: base) == isBelow)
  }

  @Test("an address is in a network of its own kind")
  func networks() {
    #expect(Subtree.contains(address: [192, 0, 2, 9], base: [192, 0, 2, 0, 255, 255, 255, 0]) == true)
    #expect(Subtree.contains(address: [192, 0, 3, 9], base: [192, 0, 2, 0, 255, 255, 255, 0]) == false)
    #expect(Subtree.contains(address: [192, 0, 3, 9], base: [0, 0, 0, 0, 0, 0, 0, 0]) == true)
    #expect(Subtree.contains(address: [UInt8](repeating: 0, count: 16), base: [0, 0, 0, 0, 0, 0, 0, 0]) == false)
    #expect(Subtree.contains(address: [192, 0, 3], base: [0, 0, 0, 0, 0, 0, 0, 0]) == nil)
    #expect(Subtree.contains(address: [192, 0, 3, 9], base: [1]) == nil)
  }

  @Test("a name is below one with which it begins, whatever the case and the blanks")
  func directories() throws {
    func name(_ organization: String, _ common: String?) throws -> DistinguishedName {
      try DistinguishedName {
        OrganizationName(organization)
        if let common { CommonName(common) }
      }
    }
    #expect(try Subtree.contains(name: name("Works", "ada"), base: name("Works", nil)) == true)
    #expect(try Subtree.contains(name: name("THE  works", "ada"), base: name("the Works", nil)) == true)
    #expect(try Subtree.contains(name: name("Other", "ada"), base: name("Works", nil)) == false)
    #expect(try Subtree.contains(name: name("Works", nil), base: name("Works", "ada")) == false)
    #expect(try Subtree.contains(name: name("Works", nil), base: DistinguishedName()) == true)
  }

  private func status(
    permitted: [GeneralName] = [], excluded: [GeneralName] = [], _ names: [GeneralName], organization: String? = nil
  ) -> OSStatus {
    let constraints = NameConstraints(permittedSubtrees: permitted, excludedSubtrees: excluded)
    let authority = TestCertificate.authority("authority", by: root, [Critical(constraints)])
    let leaf = TestCertificate.make("leaf", by: authority, organization: organization, [SubjectAlternativeNames(names)])
    return Verdict(leaf, [authority], anchors: [root]).status
  }

  @Test("an authority vouches for the names that it is permitted, and for no excluded ones")
  func certificates() throws {
    let good: GeneralName = .dnsName("a.example.org")
    #expect(status(permitted: [.dnsName("example.org")], [good]) == errSecSuccess)
    #expect(status(permitted: [.dnsName("example.com")], [good]) == errSecInvalidName)
    #expect(status(permitted: [.dnsName("example.com"), .dnsName("example.org")], [good]) == errSecSuccess)
    #expect(status(permitted: [.dnsName("example.org")], [good, .dnsName("evil.example")]) == errSecInvalidName)
    #expect(
      status(permitted: [.dnsName("example.org")], excluded: [.dnsName("a.example.org")], [good]) == errSecInvalidName)
    #expect(status(excluded: [.dnsName("b.example.org")], [good]) == errSecSuccess)
    #expect(status(excluded: [.dnsName("b.example.org")], [.dnsName("*.example.org")]) == errSecInvalidName)
    #expect(status(permitted: [.dnsName("b.example.org")], [.dnsName("*.example.org")]) == errSecInvalidName)
    // A kind that is not constrained is free.
    #expect(status(permitted: [.rfc822Name("example.org")], [good]) == errSecSuccess)
    #expect(status(permitted: [.rfc822Name("example.org")], [.rfc822Name("ada@example.com")]) == errSecInvalidName)
    #expect(status(excluded: [.dnsName("")], [good]) == errSecInvalidName)
    let network: GeneralName = .ipAddress(ASN1OctetString(contentBytes: [192, 0, 2, 0, 255, 255, 255, 0]))
    let address: GeneralName = .ipAddress(ASN1OctetString(contentBytes: [192, 0, 2, 1]))
    #expect(status(permitted: [network], [address]) == errSecSuccess)
    #expect(status(excluded: [network], [address]) == errSecInvalidName)
    let works: GeneralName = .directoryName(try DistinguishedName { OrganizationName("Works") })
    #expect(status(permitted: [works], [good], organization: "Works") == errSecSuccess)
    #expect(status(permitted: [works], [good], organization: "Other") == errSecInvalidName)
    #expect(status(excluded: [works], [good], organization: "works") == errSecInvalidName)
    // Name types that cannot be compared are refused if they are constrained.
    let registered: GeneralName = .registeredID([1, 2, 3])
    #expect(status(permitted: [registered], [registered]) == errSecInvalidName)
    #expect(status(excluded: [registered], [registered]) == errSecInvalidName)
    #expect(status(permitted: [registered], [good]) == errSecSuccess)
  }

  @Test("constraints hold for all that is below, those of an anchor, too")
  func inherited() {
    let constraints = NameConstraints(permittedSubtrees: [.dnsName("example.org")])
    let anchor = TestCertificate.authority("anchor", [Critical(constraints)])
    let lower = TestCertificate.authority("lower", by: anchor)
    for (host, status) in [("a.example.org", errSecSuccess), ("a.example.com", errSecInvalidName)] {
      let leaf = TestCertificate.server(host, by: lower)
      #expect(Verdict(leaf, [lower], anchors: [anchor]).status == status)
    }
  }

  @Test("Unreadable name constraints refuse every certificate")
  func unreadable() {
    let broken = UnknownExtension(isCritical: true, oid: .X509ExtensionID.nameConstraints)
    let authority = TestCertificate.authority("authority", by: root, [broken])
    let leaf = TestCertificate.make("leaf", by: authority)
    #expect(Verdict(leaf, [authority], anchors: [root]).status == errSecInvalidName)
  }
}
