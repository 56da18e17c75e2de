import Foundation
import LatchkeySwiftTesting
import LatchkeyTLSTestSupport
import Security
import Testing
import X509

@testable import LatchkeyEnrollment

@Suite(.temporaryKeychain(typing: "1234")) struct IssuerCertificatesTests {
  @Test("The chain ends below the root") func theChainEndsBelowTheRoot() throws {
    let authority = try TestAuthority()
    let key = try DeviceKey.identity.make(label: "identity")
    let leaf = try authority.client("device", for: key)
    let issuer = try SecCertificate(authority.issuer.certificate)
    try store(issuer, SecCertificate(authority.root.certificate))
    #expect(try IssuerCertificates.of(leaf) == [issuer])
  }

  @Test("An issuer of the same name with another key is ignored") func anIssuerOfTheSameNameWithAnotherKeyIsPassedOver()
    throws
  {
    let authority = try TestAuthority()
    let key = try DeviceKey.identity.make(label: "identity")
    let leaf = try authority.client("device", for: key)
    let impostor = try TestAuthority.authority(named: "Latchkey test issuer", by: authority.root)
    try store(SecCertificate(impostor.certificate))
    #expect(try IssuerCertificates.of(leaf) == [])
    let issuer = try SecCertificate(authority.issuer.certificate)
    try store(issuer)
    #expect(try IssuerCertificates.of(leaf) == [issuer])
  }

  @Test("Without issuers in the keychain the chain has none") func withoutIssuersInTheKeychainThereAreNone() throws {
    let key = try DeviceKey.identity.make(label: "identity")
    #expect(try IssuerCertificates.of(TestAuthority().client("device", for: key)) == [])
  }

  private func store(_ certificates: SecCertificate...) throws {
    for certificate in certificates {
      #expect(SecItemAdd([kSecValueRef: certificate] as CFDictionary, nil) == errSecSuccess)
    }
  }
}
