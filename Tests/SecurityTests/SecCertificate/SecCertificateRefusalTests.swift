import Foundation
import Security
import Testing

private func certificate(_ bytes: Data) -> SecCertificate? { SecCertificateCreateWithData(nil, bytes as CFData) }

/// Asks for every property of a certificate: no call may trap, whatever the bytes were.
private func interrogate(_ certificate: SecCertificate) {
  _ = SecCertificateCopySubjectSummary(certificate)
  var name: CFString?
  _ = SecCertificateCopyCommonName(certificate, &name)
  var addresses: CFArray?
  #expect(SecCertificateCopyEmailAddresses(certificate, &addresses) == errSecSuccess && addresses != nil)
  #expect(SecCertificateCopyNormalizedIssuerSequence(certificate) != nil)
  #expect(SecCertificateCopyNormalizedSubjectSequence(certificate) != nil)
  #expect((SecCertificateCopySerialNumberData(certificate, nil)?.length ?? 0) > 0)
  #expect(SecCertificateCopyNotValidBeforeDate(certificate) != nil)
  #expect(SecCertificateCopyNotValidAfterDate(certificate) != nil)
}

@Test("No prefix of a certificate is a certificate", arguments: CertificateFixture.all)
func noBeginningOfACertificateIsOne(fixture: CertificateFixture) {
  for length in 0..<fixture.der.count { #expect(certificate(fixture.der.prefix(length)) == nil, "\(length)") }
  #expect(certificate(fixture.der + [0]) == nil)
  #expect(certificate(fixture.der + fixture.der) == nil)
}

@Test("A flipped byte is refused or read without a trap", arguments: CertificateFixture.all)
func aFlippedByteIsRefusedOrReadWithoutATrap(fixture: CertificateFixture) {
  for place in 0..<fixture.der.count {
    for mask: UInt8 in [0x01, 0xFF] {
      var bytes = fixture.der
      bytes[place] ^= mask
      if let certificate = certificate(bytes) {
        #expect(SecCertificateCopyData(certificate) as Data == bytes)
        interrogate(certificate)
      }
    }
  }
}

/// Places in `CertificateFixture.printable`, as `openssl asn1parse` counts them.
@Test(
  "A certificate whose fields break the rules is refused",
  arguments: [
    (0, 0x31, "no SEQUENCE"), (4, 0x31, "nothing to be signed"), (8, 0xA1, "a version under another tag"),
    (10, 0x04, "a version that is no INTEGER"), (12, 0x00, "the default version written out"), (12, 0x03, "version 4"),
    (12, 0xFF, "version 0"), (13, 0x04, "a serial number that is no INTEGER"), (16, 0x31, "no algorithm"),
    (18, 0x04, "an algorithm without a name"), (28, 0x31, "an issuer that is no SEQUENCE"),
    (30, 0x30, "an issuer of no SETs"), (32, 0x31, "an issuer's attribute that is no SEQUENCE"),
    (34, 0x04, "an issuer's attribute without a type"), (102, 0x31, "no validity"), (104, 0x04, "no time"),
    (106, 0x3A, "a time with a colon"), (108, 0x39, "month 91"), (134, 0x31, "a subject that is no SEQUENCE"),
    (208, 0x31, "no key"), (231, 0x04, "a key that is no BIT STRING"), (233, 0x08, "8 unused bits"),
    (299, 0xA4, "an unknown last part"), (301, 0x31, "extensions that are no SEQUENCE"),
    (303, 0x31, "an extension that is no SEQUENCE"), (305, 0x04, "an extension without a name"),
  ] as [(Int, UInt8, String)])
func whatIsNotAsItMustBeIsRefused(place: Int, byte: UInt8, reason: String) {
  var bytes = CertificateFixture.printable.der
  #expect(bytes[place] != byte)
  bytes[place] = byte
  #expect(certificate(bytes) == nil, "\(reason)")
}

@Test("A certificate must not be longer than its limit") func aCertificateMustNotBeLongerThanItsLimit() {
  #expect(certificate(Data(count: 256 * 1024 + 1)) == nil)
  // A SEQUENCE full of NULLs: the most nodes that bytes can make.
  var nulls = Data([0x30, 0x83, 0x03, 0xFF, 0xFA])
  for _ in 0..<(0x3FFFA / 2) { nulls += [0x05, 0x00] }
  #expect(nulls.count <= 256 * 1024)
  #expect(certificate(nulls) == nil)
}

@Test("Nesting without end is refused") func nestingWithoutEndIsRefused() {
  var bytes = Data()
  for _ in 0..<200 { bytes = Data([0x30, 0x80]) + bytes }
  #expect(certificate(bytes) == nil)
  var deep = Data([0x05, 0x00])
  for _ in 0..<60 { deep = Data([0x30, UInt8(min(127, deep.count))]) + deep }
  #expect(certificate(deep) == nil)
}

@Test(
  "Short byte strings that are no certificate are refused",
  arguments: [
    "", "00", "30", "3000", "3080", "30840000", "3084FFFFFFFF", "3088FFFFFFFFFFFFFFFF", "1F", "3F81", "0500",
  ])
func shortNonsenseIsRefused(hexadecimal: String) {
  let digits = Array(hexadecimal)
  let bytes = stride(from: 0, to: digits.count, by: 2).map { UInt8(String(digits[$0...$0 + 1]), radix: 16)! }
  #expect(certificate(Data(bytes)) == nil)
}

@Test("PEM text is no certificate") func pemTextIsNoCertificate() {
  let pem = "-----BEGIN CERTIFICATE-----\n\(CertificateFixture.rsa.base64)\n-----END CERTIFICATE-----\n"
  #expect(certificate(Data(pem.utf8)) == nil)
}
