import Foundation
import Security
import SwiftASN1
import Testing
import X509

@Suite("Rules of a path")
struct RuleTests {
  private let root = TestCertificate.authority("root")
  private let now = TestCertificate.now

  @Test("a certificate that has ended, or has not begun, is not trusted, wherever it is in the path")
  func dates() {
    for place in 0..<3 {
      for (from, to, status) in [
        (now - 10, now - 1, errSecCertificateExpired), (now + 1, now + 10, errSecCertificateNotValidYet),
        (now, now, errSecSuccess),
      ] {
        func dates(_ index: Int) -> (Date, Date) { index == place ? (from, to) : (now - 99, now + 99) }
        let root = TestCertificate.authority("root", from: dates(0).0, to: dates(0).1)
        let lower = TestCertificate.authority("lower", by: root, from: dates(1).0, to: dates(1).1)
        let leaf = TestCertificate.make("leaf", by: lower, from: dates(2).0, to: dates(2).1)
        #expect(Verdict(leaf, [lower], anchors: [root]).status == status, "\(place) \(from) \(to)")
      }
    }
  }

  @Test("the date is the caller's: the same certificate then, and not now")
  func verifyDate() {
    let leaf = TestCertificate.make("leaf", by: root, from: now - 20, to: now - 10)
    #expect(Verdict(leaf, anchors: [root], at: now - 15).status == errSecSuccess)
    #expect(Verdict(leaf, anchors: [root], at: now).status == errSecCertificateExpired)
    #expect(Verdict(leaf, anchors: [root], at: .distantPast).status == errSecCertificateNotValidYet)
    #expect(Verdict(leaf, anchors: [root], at: .distantFuture).status == errSecCertificateExpired)
  }

  @Test("A certificate that is no authority cannot issue certificates")
  func noAuthority() {
    for extensions: [any CertificateExtensionConvertible] in [[], [Critical(BasicConstraints.notCertificateAuthority)]]
    {
      let lower = TestCertificate.make("lower", by: root, extensions)
      let leaf = TestCertificate.make("leaf", by: lower)
      #expect(Verdict(leaf, [lower], anchors: [root]).status == errSecNoBasicConstraintsCA)
      let anchor = TestCertificate.make("anchor", extensions)
      #expect(Verdict(TestCertificate.make("leaf", by: anchor), anchors: [anchor]).status == errSecNoBasicConstraintsCA)
    }
  }

  @Test("A version 1 certificate is an authority only as an anchor")
  func versionOne() {
    let anchor = TestCertificate.make("anchor", version: .v1)
    #expect(Verdict(TestCertificate.make("leaf", by: anchor), anchors: [anchor]).status == errSecSuccess)
    let lower = TestCertificate.make("lower", by: root, version: .v1)
    let leaf = TestCertificate.make("leaf", by: lower)
    #expect(Verdict(leaf, [lower], anchors: [root]).status == errSecNoBasicConstraintsCA)
  }

  @Test("an authority has no more authorities below it than it allows; the leaf and itself renewed do not count")
  func pathLength() {
    let none = TestCertificate.authority("none", longest: 0)
    #expect(Verdict(TestCertificate.make("leaf", by: none), anchors: [none]).status == errSecSuccess)
    let below = TestCertificate.authority("below", by: none)
    let leaf = TestCertificate.make("leaf", by: below)
    #expect(Verdict(leaf, [below], anchors: [none]).status == errSecPathLengthConstraintExceeded)
    let one = TestCertificate.authority("one", by: root, longest: 1)
    let two = TestCertificate.authority("two", by: one)
    let three = TestCertificate.authority("three", by: two)
    #expect(Verdict(TestCertificate.make("leaf", by: two), [one, two], anchors: [root]).status == errSecSuccess)
    let deep = Verdict(TestCertificate.make("leaf", by: three), [one, two, three], anchors: [root])
    #expect(deep.status == errSecPathLengthConstraintExceeded)
    let renewed = TestCertificate.authority("none", by: none)
    #expect(Verdict(TestCertificate.make("leaf", by: renewed), [renewed], anchors: [none]).status == errSecSuccess)
  }

  @Test("An authority whose key usage excludes certificate signing cannot issue certificates")
  func keyUsage() {
    let signer = TestCertificate.authority("signer", by: root, [Critical(KeyUsage(keyCertSign: true))])
    #expect(Verdict(TestCertificate.make("leaf", by: signer), [signer], anchors: [root]).status == errSecSuccess)
    let other = TestCertificate.authority("other", by: root, [KeyUsage(digitalSignature: true, cRLSign: true)])
    let verdict = Verdict(TestCertificate.make("leaf", by: other), [other], anchors: [root])
    #expect(verdict.status == errSecInvalidKeyUsageForPolicy)
    let leaf = TestCertificate.make("leaf", by: root, [Critical(KeyUsage(digitalSignature: true))])
    #expect(Verdict(leaf, anchors: [root]).status == errSecSuccess)
  }

  @Test("An unknown critical extension is refused at each place of the path; one that is not critical is ignored")
  func criticalExtensions() {
    for isCritical in [true, false] {
      let odd = [UnknownExtension(isCritical: isCritical)]
      let status = isCritical ? errSecUnknownCriticalExtensionFlag : errSecSuccess
      #expect(Verdict(TestCertificate.make("leaf", by: root, odd), anchors: [root]).status == status)
      let lower = TestCertificate.authority("lower", by: root, odd)
      #expect(Verdict(TestCertificate.make("leaf", by: lower), [lower], anchors: [root]).status == status)
      let anchor = TestCertificate.authority("anchor", odd)
      #expect(Verdict(TestCertificate.make("leaf", by: anchor), anchors: [anchor]).status == status)
    }
    // Policy constraints and inhibitAnyPolicy are not implemented.
    for oid in [[2, 5, 29, 36], [2, 5, 29, 54], [2, 5, 29, 33]] as [ASN1ObjectIdentifier] {
      let lower = TestCertificate.authority("lower", by: root, [UnknownExtension(isCritical: true, oid: oid)])
      let verdict = Verdict(TestCertificate.make("leaf", by: lower), [lower], anchors: [root])
      #expect(verdict.status == errSecUnknownCriticalExtensionFlag)
    }
  }

  @Test("An extended key usage limits a certificate and its authorities to the named purposes")
  func extendedKeyUsage() throws {
    let usages: [(ExtendedKeyUsage?, server: Bool, client: Bool)] = [
      (nil, true, true), (try ExtendedKeyUsage([.serverAuth]), true, false),
      (try ExtendedKeyUsage([.clientAuth]), false, true), (try ExtendedKeyUsage([.any]), true, true),
      (try ExtendedKeyUsage([.serverAuth, .clientAuth]), true, true),
      (try ExtendedKeyUsage([.codeSigning]), false, false),
    ]
    for (usage, isServer, isClient) in usages {
      let extensions: [any CertificateExtensionConvertible] = usage.map { [$0] } ?? []
      let lower = TestCertificate.authority("lower", by: root, extensions)
      for (leaf, others) in [
        (TestCertificate.make("leaf", by: root, extensions), []), (TestCertificate.make("leaf", by: lower), [lower]),
      ] {
        let asServer = Verdict(leaf, others, anchors: [root], policies: [server()]).status
        let asClient = Verdict(leaf, others, anchors: [root], policies: [client]).status
        #expect(asServer == (isServer ? errSecSuccess : errSecInvalidExtendedKeyUsage), "\(extensions)")
        #expect(asClient == (isClient ? errSecSuccess : errSecInvalidExtendedKeyUsage), "\(extensions)")
        #expect(Verdict(leaf, others, anchors: [root]).status == errSecSuccess)
        let both = Verdict(leaf, others, anchors: [root], policies: [server(), client]).status
        #expect((both == errSecSuccess) == (isServer && isClient))
      }
      let anchor = TestCertificate.authority("anchor", extensions)
      let below = TestCertificate.make("leaf", by: anchor)
      #expect(Verdict(below, anchors: [anchor], policies: [server()]).status == errSecSuccess)
    }
  }

  @Test("Of several errors, the first in Apple's order is reported")
  func order() throws {
    let lower = TestCertificate.make("lower", by: root, to: now - 1)
    let leaf = TestCertificate.make("leaf", by: lower, [try ExtendedKeyUsage([.clientAuth])])
    func status(_ policy: SecPolicy, anchors: [TestCertificate], at date: Date) -> OSStatus {
      Verdict(leaf, [lower], anchors: anchors, policies: [policy], at: date).status
    }
    #expect(status(server("example.org"), anchors: [root], at: now) == errSecHostNameMismatch)
    #expect(status(server(), anchors: [], at: now) == errSecCertificateExpired)
    #expect(status(server(), anchors: [], at: now - 10) == errSecInvalidExtendedKeyUsage)
    #expect(status(client, anchors: [root], at: now - 10) == errSecNoBasicConstraintsCA)
  }
}
