import Foundation
import LatchkeySwiftTesting
import Security
import Testing

/// The attributes of a certificate that was added by reference, for all that OpenSSL made.
@Suite(.temporaryKeychain) struct CertificateItemTests {
  private func certificate(_ fixture: CertificateFixture) throws -> SecCertificate {
    try #require(SecCertificateCreateWithData(nil, fixture.der as CFData))
  }

  private func hexadecimal(_ value: Any?) -> String? {
    (value as? Data)?.map { String(format: "%02x", $0) }.joined()
  }

  /// The content of a sequence in base64: both of its header's bytes dropped, none here is longer than 127.
  private func content(_ sequence: String) -> Data { CertificateFixture.bytes(sequence).dropFirst(2) }

  @Test("Adding by reference fills the attributes", arguments: CertificateFixture.all)
  func addingByReferenceFillsTheAttributes(fixture: CertificateFixture) throws {
    let item: Item = [kSecValueRef: try certificate(fixture)]
    #expect(add(item).status == errSecSuccess)
    let found = try #require(attributes([kSecClass: kSecClassCertificate]))
    #expect(found[kSecAttrCertificateType as String] as? Int == fixture.version)
    #expect(found[kSecAttrCertificateEncoding as String] as? Int == 3)
    #expect(hexadecimal(found[kSecAttrSerialNumber as String]) == fixture.serialNumber)
    #expect(hexadecimal(found[kSecAttrSubjectKeyID as String]) == fixture.subjectKeyID)
    #expect(hexadecimal(found[kSecAttrPublicKeyHash as String]) == fixture.publicKeyHash)
    #expect(found[kSecAttrIssuer as String] as? Data == content(fixture.issuer))
    #expect(found[kSecAttrSubject as String] as? Data ?? Data() == content(fixture.subject))
    #expect(found[kSecAttrLabel as String] as? String == fixture.summary)
    #expect(found[kSecAttrAccessible as String] as? String == kSecAttrAccessibleAlways as String)
  }

  @Test("Each attribute finds its certificate among all") func eachOfThemFindsItsCertificateAmongAll() throws {
    for fixture in CertificateFixture.all {
      #expect(add([kSecValueRef: try certificate(fixture)]).status == errSecSuccess, "\(fixture.name)")
    }
    let all: Item = [kSecClass: kSecClassCertificate]
    #expect(count(all) == CertificateFixture.all.count)
    for fixture in CertificateFixture.all {
      let certificate = try certificate(fixture)
      #expect(find([kSecValueRef: certificate], returning: [kSecReturnData: true]).data == fixture.der)
      let number = try #require(SecCertificateCopySerialNumberData(certificate, nil))
      var keys: [(CFString, Any)] = [(kSecAttrSerialNumber, number), (kSecAttrLabel, fixture.summary)]
      if fixture.name != "empty" { keys.append((kSecAttrSubject, content(fixture.subject))) }
      for (key, value) in keys {
        let answer = find(all, returning: [key: value, kSecReturnRef: true])
        #expect(answer.object as? SecCertificate == certificate, "\(fixture.name) by \(key)")
      }
    }
  }

  @Test("A certificate type finds the certificates of its version") func aTypeFindsThoseOfItsVersion() throws {
    for fixture in [CertificateFixture.v1, .rsa, .host] { _ = add([kSecValueRef: try certificate(fixture)]) }
    #expect(count([kSecClass: kSecClassCertificate, kSecAttrCertificateType: 1]) == 1)
    #expect(count([kSecClass: kSecClassCertificate, kSecAttrCertificateType: 3]) == 2)
    #expect(count([kSecClass: kSecClassCertificate, kSecAttrCertificateType: 2]) == 0)
    #expect(count([kSecClass: kSecClassCertificate, kSecAttrCertificateEncoding: 3]) == 3)
  }

  @Test("A label that the caller gives has precedence") func aLabelOfTheCallersOwnWins() throws {
    #expect(add([kSecValueRef: try certificate(.multi), kSecAttrLabel: "mine"]).status == errSecSuccess)
    #expect(attributes([kSecClass: kSecClassCertificate])?[kSecAttrLabel as String] as? String == "mine")
  }
}
