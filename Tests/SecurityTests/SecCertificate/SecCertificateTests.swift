import Foundation
import Security
import Testing

@Test("A certificate gives its bytes back", arguments: CertificateFixture.all)
func aCertificateGivesItsBytesBack(fixture: CertificateFixture) throws {
  let certificate = try #require(SecCertificateCreateWithData(nil, fixture.der as CFData))
  #expect(SecCertificateCopyData(certificate) as Data == fixture.der)
  #expect(CFGetTypeID(certificate) == SecCertificateGetTypeID())
}

@Test("A certificate is called as Apple calls it", arguments: CertificateFixture.all)
func aCertificateIsCalledAsAppleCallsIt(fixture: CertificateFixture) throws {
  let certificate = try #require(SecCertificateCreateWithData(kCFAllocatorDefault, fixture.der as CFData))
  #expect(SecCertificateCopySubjectSummary(certificate) as String? == fixture.summary)
  var name: CFString?
  let status = SecCertificateCopyCommonName(certificate, &name)
  #expect(name as String? == fixture.commonName)
  #expect(status == (fixture.commonName == nil ? -26276 : errSecSuccess))
  var addresses: CFArray?
  #expect(SecCertificateCopyEmailAddresses(certificate, &addresses) == errSecSuccess)
  #expect(addresses as? [String] == fixture.mailAddresses)
}

@Test("Names are normalized", arguments: CertificateFixture.all)
func namesAreNormalized(fixture: CertificateFixture) throws {
  let certificate = try #require(SecCertificateCreateWithData(nil, fixture.der as CFData))
  #expect(SecCertificateCopyNormalizedIssuerSequence(certificate) as Data? == CertificateFixture.bytes(fixture.issuer))
  #expect(
    SecCertificateCopyNormalizedSubjectSequence(certificate) as Data? == CertificateFixture.bytes(fixture.subject))
}

@Test("Serial number and dates are those that OpenSSL prints", arguments: CertificateFixture.all)
func numberAndDatesAreThoseThatOpenSSLPrints(fixture: CertificateFixture) throws {
  let certificate = try #require(SecCertificateCreateWithData(nil, fixture.der as CFData))
  var error: Unmanaged<CFError>?
  let number = try #require(SecCertificateCopySerialNumberData(certificate, &error)) as Data
  #expect(error == nil)
  #expect(number.map { String(format: "%02x", $0) }.joined() == fixture.serialNumber)
  let notBefore = try #require(SecCertificateCopyNotValidBeforeDate(certificate)) as Date
  let notAfter = try #require(SecCertificateCopyNotValidAfterDate(certificate)) as Date
  #expect(ISO8601DateFormatter().string(from: notBefore) == fixture.notBefore)
  #expect(ISO8601DateFormatter().string(from: notAfter) == fixture.notAfter)
}

@Test("Certificates are equal when their bytes are") func certificatesAreEqualWhenTheirBytesAre() throws {
  let a = try #require(SecCertificateCreateWithData(nil, CertificateFixture.rsa.der as CFData))
  let b = try #require(SecCertificateCreateWithData(nil, NSMutableData(data: CertificateFixture.rsa.der)))
  let c = try #require(SecCertificateCreateWithData(nil, CertificateFixture.v1.der as CFData))
  #expect(a == b && a !== b && a != c)
  #expect(CFEqual(a, b) && !CFEqual(a, c) && CFHash(a) == CFHash(b))
  #expect(Set([a, b, c]).count == 2)
}

@Test("A certificate does not change with the bytes of the caller") func aCertificateKeepsItsBytesWhenTheCallersChange()
  throws
{
  let data = NSMutableData(data: CertificateFixture.multi.der)
  let certificate = try #require(SecCertificateCreateWithData(nil, data))
  data.resetBytes(in: NSRange(location: 0, length: data.length))
  #expect(SecCertificateCopyData(certificate) as Data == CertificateFixture.multi.der)
}

@Test("Casts of a certificate compile as on Apple's systems") func castsOfACertificateCompileAsOnApplesSystems() throws
{
  let object: CFTypeRef? = SecCertificateCreateWithData(nil, CertificateFixture.far.der as CFData)
  let certificate = object as! SecCertificate
  #expect(SecCertificateCopySubjectSummary(certificate)! as String == "Far Future")
  #expect("\(certificate)" == "<cert s: Far Future i: Far Future>")
}
