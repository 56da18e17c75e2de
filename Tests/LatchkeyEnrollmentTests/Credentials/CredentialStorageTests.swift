import Foundation
import LatchkeySwiftTesting
import LatchkeyTLSTestSupport
import Security
import Testing

@testable import LatchkeyEnrollment

/// The storage of `Examples/002-sealed-transfer`: its entries, how long they stay, and who may read them.
@Suite(.temporaryKeychain(typing: "1234")) struct CredentialStorageTests {
  private let space = ProtectionSpace(host: "bank.example", port: 443, authenticationMethod: .clientCertificate)
  private let storage = CredentialStorage()

  @Test("A permanent identity is there in the next process") func aPermanentIdentityIsThereInTheNextProcess() throws {
    let credential = Credential(identity: try identity(), persistence: .permanent)
    try storage.setDefaultCredential(credential, for: space)
    #expect(try CredentialStorage().defaultCredential(for: space) == credential)
    #expect(try CredentialStorage().credentials(for: space) == [credential])
  }

  @Test("Issuers come back in their order") func issuersComeBackInTheirOrder() throws {
    let authority = try TestAuthority()
    let identity = try identity(authority)
    let issuers = try [SecCertificate(authority.issuer.certificate), SecCertificate(authority.root.certificate)]
    let credential = Credential(identity: identity, certificates: issuers, persistence: .permanent)
    try storage.setDefaultCredential(credential, for: space)
    #expect(try CredentialStorage().defaultCredential(for: space)?.certificates == issuers)
    #expect(try IssuerCertificates.of(identity.certificate) == [issuers[0]])
  }

  @Test("An identity goes to no other host") func anIdentityGoesToNoOtherHost() throws {
    try goesOnlyToItsOwn(space(host: "evil.example"))
  }
  @Test("An identity goes to no subdomain") func anIdentityGoesToNoSubdomain() throws {
    try goesOnlyToItsOwn(space(host: "www.bank.example"))
  }
  @Test("An identity goes to no other port") func anIdentityGoesToNoOtherPort() throws {
    try goesOnlyToItsOwn(space(port: 8443))
  }
  @Test("An identity goes to no other realm") func anIdentityGoesToNoOtherRealm() throws {
    try goesOnlyToItsOwn(space(realm: "private"))
  }
  @Test("An identity goes to no other protocol") func anIdentityGoesToNoOtherProtocol() throws {
    try goesOnlyToItsOwn(space(protocol: .http))
  }

  @Test("An identity goes to no other method") func anIdentityGoesToNoOtherMethod() throws {
    for method in ProtectionSpace.AuthenticationMethod.allCases where method != .clientCertificate {
      try goesOnlyToItsOwn(ProtectionSpace(host: "bank.example", port: 443, authenticationMethod: method))
    }
  }

  @Test("The host's letters may be of any case") func theHostsLettersMayBeOfAnyCase() throws {
    let credential = Credential(identity: try identity(), persistence: .permanent)
    try storage.setDefaultCredential(credential, for: space(host: "Bank.EXAMPLE"))
    #expect(try storage.defaultCredential(for: space) == credential)
  }

  @Test("A credential for the session is in no keychain") func whatIsForTheSessionIsInNoKeychain() throws {
    let credential = Credential(identity: try identity(), persistence: .session)
    try storage.setDefaultCredential(credential, for: space)
    #expect(try storage.defaultCredential(for: space) == credential)
    #expect(try CredentialStorage().credentials(for: space).isEmpty)
    let query: [CFString: Any] = [kSecClass: kSecClassInternetPassword]
    #expect(SecItemCopyMatching(query as CFDictionary, nil) == errSecItemNotFound)
  }

  @Test("A credential without persistence is not stored") func whatIsNotToBeKeptIsNot() throws {
    try storage.setDefaultCredential(Credential(identity: try identity(), persistence: .none), for: space)
    #expect(try storage.defaultCredential(for: space) == nil)
    #expect(try storage.credentials(for: space).isEmpty)
  }

  @Test("The default is the one that was set last") func theDefaultIsTheOneThatWasSetLast() throws {
    let first = Credential(identity: try identity(), persistence: .permanent)
    let second = Credential(identity: try identity(), persistence: .permanent)
    try storage.set(first, for: space)
    try storage.set(second, for: space)
    #expect(try storage.defaultCredential(for: space) == first)
    try storage.setDefaultCredential(second, for: space)
    #expect(try CredentialStorage().defaultCredential(for: space) == second)
    #expect(try storage.credentials(for: space).count == 2)
    try storage.setDefaultCredential(first, for: space)
    #expect(try CredentialStorage().defaultCredential(for: space) == first)
  }

  @Test("A new certificate of the same key replaces the old one") func aNewCertificateOfTheSameKeyTakesTheOldOnesPlace()
    throws
  {
    let authority = try TestAuthority()
    let key = try DeviceKey.identity.make(label: "identity")
    for name in ["first", "second"] {
      let certificate = try authority.client(name, for: key)
      let identity = try #require(SecIdentity(certificate: certificate, key: key))
      try storage.setDefaultCredential(Credential(identity: identity, persistence: .permanent), for: space)
      #expect(try storage.defaultCredential(for: space)?.identity?.certificate == certificate)
    }
  }

  @Test("A removed credential is gone from its protection space alone") func whatIsRemovedIsGoneFromItsSpaceAlone()
    throws
  {
    let credential = Credential(identity: try identity(), persistence: .permanent)
    let other = space(port: 8443)
    try storage.setDefaultCredential(credential, for: space)
    try storage.setDefaultCredential(credential, for: other)
    try storage.remove(credential, for: space)
    #expect(try storage.credentials(for: space).isEmpty)
    #expect(try storage.defaultCredential(for: other) == credential)
    try storage.remove(credential, for: space)
  }

  @Test("An identity whose key is gone is not found") func anIdentityWhoseKeyIsGoneIsNone() throws {
    try storage.setDefaultCredential(Credential(identity: try identity(), persistence: .permanent), for: space)
    try DeviceKey.delete(label: "identity")
    #expect(try storage.defaultCredential(for: space) == nil)
  }

  @Test("A password is an internet password of its place") func aPasswordIsAnInternetPasswordOfItsPlace() throws {
    let space = ProtectionSpace(host: "bank.example", port: 443, realm: "accounts", authenticationMethod: .httpBasic)
    let credential = Credential(user: "anna", password: "open sesame", persistence: .permanent)
    try storage.setDefaultCredential(credential, for: space)
    #expect(try CredentialStorage().defaultCredential(for: space) == credential)
    let query: [CFString: Any] = [
      kSecClass: kSecClassInternetPassword, kSecAttrServer: "bank.example", kSecAttrPort: 443, kSecAttrAccount: "anna",
      kSecAttrProtocol: kSecAttrProtocolHTTPS, kSecAttrAuthenticationType: kSecAttrAuthenticationTypeHTTPBasic,
      kSecAttrSecurityDomain: "accounts", kSecReturnData: true,
    ]
    var found: CFTypeRef?
    #expect(SecItemCopyMatching(query as CFDictionary, &found) == errSecSuccess)
    #expect(found as? Data == Data("open sesame".utf8))
  }

  @Test("A password is never printed") func aPasswordIsNeverPrinted() throws {
    let credential = Credential(user: "anna", password: "open sesame", persistence: .session)
    var dumped = ""
    dump(credential, to: &dumped)
    for text in ["\(credential)", String(reflecting: credential), dumped] {
      #expect(text.contains("anna"))
      #expect(!text.contains("sesame"))
    }
  }

  @Test("Credential and space must be of one kind") func credentialAndSpaceMustBeOfOneKind() throws {
    let password = Credential(user: "anna", password: "open sesame", persistence: .session)
    #expect(throws: EnrollmentError.self) { try storage.setDefaultCredential(password, for: space) }
    let identity = Credential(identity: try identity(), persistence: .permanent)
    let basic = ProtectionSpace(host: "bank.example", port: 443, authenticationMethod: .httpBasic)
    #expect(throws: EnrollmentError.self) { try storage.setDefaultCredential(identity, for: basic) }
  }

  // MARK: Helpers of the tests

  private func goesOnlyToItsOwn(_ other: ProtectionSpace, sourceLocation: SourceLocation = #_sourceLocation) throws {
    for persistence in [Credential.Persistence.session, .permanent] {
      let credential = Credential(identity: try identity(), persistence: persistence)
      try storage.setDefaultCredential(credential, for: space)
      #expect(try storage.defaultCredential(for: space) == credential, sourceLocation: sourceLocation)
      #expect(try storage.defaultCredential(for: other) == nil, sourceLocation: sourceLocation)
      #expect(try storage.credentials(for: other).isEmpty, sourceLocation: sourceLocation)
    }
  }

  private func space(
    host: String = "bank.example", port: Int = 443, protocol: ProtectionSpace.NetworkProtocol = .https,
    realm: String = ""
  ) -> ProtectionSpace {
    ProtectionSpace(
      host: host, port: port, protocol: `protocol`, realm: realm, authenticationMethod: .clientCertificate)
  }

  private func identity(_ authority: TestAuthority? = nil) throws -> SecIdentity {
    let key = try DeviceKey.identity.make(label: "identity")
    let certificate = try (authority ?? TestAuthority()).client("device", for: key)
    return try #require(SecIdentity(certificate: certificate, key: key))
  }
}
