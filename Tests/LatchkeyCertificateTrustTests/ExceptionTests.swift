import Foundation
import Security
import Testing
import X509

/// Exceptions over real chains: what Apple's ExceptionTests.m asks for, and what must stay refused.
@Suite("Exceptions from trust")
struct ExceptionTests {
  private let root = TestCertificate.authority("root")
  private let now = TestCertificate.now

  private func trust(
    _ certificates: [TestCertificate], anchors: [TestCertificate]? = nil, _ policy: SecPolicy = server("a.example"),
    at date: Date = TestCertificate.now
  ) throws -> SecTrust {
    var trust: SecTrust?
    #expect(SecTrustCreateWithCertificates(certificates.map(\.object) as NSArray, policy, &trust) == errSecSuccess)
    let made = try #require(trust)
    SecTrustSetAnchorCertificates(made, (anchors ?? [root]).map(\.object) as NSArray)
    SecTrustSetVerifyDate(made, date as NSDate)
    return made
  }

  private func status(_ trust: SecTrust) -> OSStatus {
    var error: CFError?
    return SecTrustEvaluateWithError(trust, &error) ? errSecSuccess : OSStatus(error?.code ?? 0)
  }

  private func result(_ trust: SecTrust) -> SecTrustResultType {
    var result = SecTrustResultType.invalid
    #expect(SecTrustGetTrustResult(trust, &result) == errSecSuccess)
    return result
  }

  /// Accepts what is wrong with `trust` now.
  @discardableResult
  private func accept(_ trust: SecTrust) throws -> CFData {
    let exceptions = try #require(SecTrustCopyExceptions(trust))
    #expect(SecTrustSetExceptions(trust, exceptions))
    return exceptions
  }

  @Test("Exceptions for a trusted chain change only the result to proceed")
  func nothingWrong() throws {
    let trust = try trust([.server("a.example", by: root)])
    #expect(result(trust) == .unspecified)
    try accept(trust)
    #expect(status(trust) == errSecSuccess && result(trust) == .proceed)
  }

  @Test("A failure that was accepted is trusted, in another object with the same leaf, too")
  func accepted() throws {
    let leaf = TestCertificate.server("b.example", by: root)
    let first = try trust([leaf])
    #expect(status(first) == errSecHostNameMismatch && result(first) == .recoverableTrustFailure)
    let exceptions = try accept(first)
    #expect(status(first) == errSecSuccess && result(first) == .proceed)
    let second = try trust([leaf])
    #expect(SecTrustSetExceptions(second, exceptions))
    #expect(result(second) == .proceed)
    #expect(SecTrustCopyExceptions(second) == exceptions)
  }

  @Test("All that is wrong is accepted at once: host, dates, usage, issuer and extension")
  func allAtOnce() throws {
    let lower = TestCertificate.make("lower", from: now - 99, to: now - 9)
    let leaf = TestCertificate.make(
      "leaf", by: lower, from: now + 9, to: now + 99,
      [UnknownExtension(isCritical: true), try ExtendedKeyUsage([.clientAuth])])
    let trust = try trust([leaf, lower])
    #expect(status(trust) == errSecHostNameMismatch)
    try accept(trust)
    #expect(status(trust) == errSecSuccess)
  }

  @Test("A fault that comes later is refused although it stands behind an accepted one")
  func laterFault() throws {
    let leaf = TestCertificate.server("b.example", by: root)
    let trust = try trust([leaf])
    try accept(trust)
    SecTrustSetVerifyDate(trust, (now + 200 * TestCertificate.day) as NSDate)
    #expect(status(trust) == errSecCertificateExpired && result(trust) == .recoverableTrustFailure)
    SecTrustSetVerifyDate(trust, now as NSDate)
    #expect(result(trust) == .proceed)
    SecTrustSetAnchorCertificates(trust, [] as NSArray)
    #expect(status(trust) == errSecCreateChainFailed)
    SecTrustSetPolicies(trust, SecPolicyCreateBasicX509())
    SecTrustSetAnchorCertificates(trust, [root.object] as NSArray)
    #expect(result(trust) == .proceed)
  }

  @Test("The same fault of another certificate in the chain is refused")
  func anotherCertificate() throws {
    let key = TestCertificate.authority("lower", by: root).key
    func lower(_ end: Date) -> TestCertificate { .authority("lower", by: root, key: key, to: end) }
    let leaf = TestCertificate.make("leaf", by: lower(now + 99), to: now - 9)
    let first = try trust([leaf, lower(now + 99)], SecPolicyCreateBasicX509())
    let exceptions = try accept(first)
    #expect(result(first) == .proceed)
    let second = try trust([leaf, lower(now - 9)], SecPolicyCreateBasicX509())
    #expect(SecTrustSetExceptions(second, exceptions))
    #expect(status(second) == errSecCertificateExpired)
  }

  @Test("A self-signed server that was accepted is trusted; its certificate with another root is not")
  func selfSigned() throws {
    let own = TestCertificate.make("a.example", [SubjectAlternativeNames([.dnsName("a.example")])])
    let trust = try trust([own])
    #expect(status(trust) == errSecNotTrusted)
    let exceptions = try accept(trust)
    #expect(status(trust) == errSecSuccess)
    let impostor = TestCertificate.make("a.example", [SubjectAlternativeNames([.dnsName("a.example")])])
    let other = try self.trust([impostor, own])
    #expect(!SecTrustSetExceptions(other, exceptions))
    #expect(status(other) != errSecSuccess && result(other) == .recoverableTrustFailure)
  }

  @Test("A missing issuer that was accepted stays accepted, and a forged issuer is not")
  func missingIssuer() throws {
    let lower = TestCertificate.authority("lower", by: root)
    let leaf = TestCertificate.server("a.example", by: lower)
    let alone = try trust([leaf])
    #expect(status(alone) == errSecCreateChainFailed)
    let exceptions = try accept(alone)
    #expect(result(alone) == .proceed)
    // With the issuer there, the end of the path is another certificate, which nobody accepted.
    let longer = try trust([leaf, lower], anchors: [])
    #expect(SecTrustSetExceptions(longer, exceptions))
    #expect(status(longer) == errSecCreateChainFailed)
  }

  @Test("Name constraints and path lengths that were accepted are passed over; a second authority's are not")
  func constraints() throws {
    let narrow = NameConstraints(permittedSubtrees: [.dnsName("only.example")])
    let lower = TestCertificate.authority("lower", by: root, longest: 0, [Critical(narrow)])
    let lowest = TestCertificate.authority("lowest", by: lower)
    let leaf = TestCertificate.server("a.example", by: lowest)
    let first = try trust([leaf, lower, lowest])
    #expect(status(first) == errSecPathLengthConstraintExceeded)
    let exceptions = try accept(first)
    #expect(result(first) == .proceed)
    let second = try trust([leaf, lower, .authority("lowest", by: lower, key: lowest.key, [Critical(narrow)])])
    #expect(SecTrustSetExceptions(second, exceptions))
    #expect(status(second) == errSecInvalidName)
  }

  @Test("What cannot be read stays fatal, with exceptions set, too")
  func fatal() throws {
    let broken = UnknownExtension(isCritical: false, oid: .X509ExtensionID.subjectAlternativeName)
    let trust = try trust([.make("leaf", by: root, [broken])])
    #expect(status(trust) == errSecHostNameMismatch)
    try accept(trust)
    #expect(status(trust) == errSecInvalidCertificateRef && result(trust) == .fatalTrustFailure)
  }
}
