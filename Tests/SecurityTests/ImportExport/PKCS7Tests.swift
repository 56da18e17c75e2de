import Foundation
import LatchkeySwiftTesting
import Security
import Testing

@Suite("Certificates in PKCS #7", .temporaryKeychain)
struct PKCS7Tests {
  private func read(_ text: String) -> (status: OSStatus, items: [AnyObject]?) {
    let answer = KeyTransfer.read(Data(text.utf8))
    return (answer.status, answer.items)
  }

  /// The bytes of a text with one block.
  private func der(_ text: String) throws -> Data {
    try #require(Data(base64Encoded: text.split(separator: "\n").dropFirst().dropLast().joined()))
  }

  /// `ImportFixture`'s certificate.
  private func imported() throws -> SecCertificate {
    try #require(read(ImportFixture.certificate).items?.first as? SecCertificate)
  }

  private func certificates(_ text: String) throws -> [SecCertificate] {
    try #require(read(text).items as? [SecCertificate])
  }

  @Test(
    "OpenSSL's messages give their certificates in the message's order, in PEM and DER, signed and indefinite or not")
  func certificates() throws {
    let imported = try imported()
    #expect(try certificates(ImportFixture.pkcs7) == [imported])
    let two = try certificates(PKCS7Fixture.two)
    #expect(two.count == 2 && two.first == imported && two.last != imported)
    #expect(try certificates(PKCS7Fixture.streamed) == two.reversed())
    for text in [ImportFixture.pkcs7, PKCS7Fixture.two, PKCS7Fixture.streamed] {
      let answer = KeyTransfer.read(try der(text))
      #expect(answer.status == errSecSuccess && answer.format == .formatPKCS7 && answer.type == .itemTypeAggregate)
      #expect(answer.items as? [SecCertificate] == (try certificates(text)))
    }
  }

  @Test("The block may have each label that OpenSSL reads, and stand between others")
  func labels() throws {
    let imported = try imported()
    for label in ["PKCS7", "PKCS #7 SIGNED DATA", "CMS", "CERTIFICATE"] {
      let text = ImportFixture.pkcs7.replacingOccurrences(of: "PKCS7", with: label)
      let answer = KeyTransfer.read(Data(text.utf8), format: .formatOpenSSL, type: .itemTypePublicKey)
      #expect(answer.items as? [SecCertificate] == [imported])
      #expect(answer.format == .formatPKCS7 && answer.type == .itemTypeAggregate)
    }
    let text = [ImportFixture.publicKey, PKCS7Fixture.two, ImportFixture.certificate].joined(separator: "\n")
    let answer = KeyTransfer.read(Data(text.utf8))
    #expect(answer.format == .formatPEMSequence && answer.type == .itemTypeAggregate && answer.items?.count == 4)
    #expect(answer.items?.first is SecKey && answer.items?.last as? SecCertificate == imported)
    #expect(answer.items?[1] as? SecCertificate == imported)
    let mixed = [ImportFixture.certificate, PKCS7Fixture.enveloped].joined(separator: "\n")
    let refused = KeyTransfer.read(Data(mixed.utf8))
    #expect(refused.status == errSecUnsupportedFormat && refused.items == nil && refused.format == .formatUnknown)
  }

  @Test("What the caller expects is held to")
  func expectations() throws {
    let bytes = try der(PKCS7Fixture.two)
    for (format, type, isRead) in [
      (.formatPKCS7, .itemTypeUnknown, true), (.formatPKCS7, .itemTypeAggregate, true),
      (.formatUnknown, .itemTypeAggregate, true), (.formatPKCS12, .itemTypeUnknown, false),
      (.formatX509Cert, .itemTypeUnknown, false), (.formatUnknown, .itemTypeCertificate, false),
      (.formatPKCS7, .itemTypePrivateKey, false),
    ] as [(SecExternalFormat, SecExternalItemType, Bool)] {
      let answer = KeyTransfer.read(bytes, format: format, type: type)
      #expect(answer.status == (isRead ? errSecSuccess : errSecUnknownFormat))
      if !isRead { #expect(answer.format == format && answer.type == type && answer.items == nil) }
    }
    #expect(KeyTransfer.read(try der(ImportFixture.certificate), format: .formatPKCS7).status == errSecUnknownFormat)
    #expect(
      KeyTransfer.read(PKCS12Fixture.ada, passphrase: "correct", format: .formatPKCS7).status == errSecUnknownFormat)
  }

  @Test("Other content is not supported, and a message without a list of certificates is none of PKCS #7")
  func otherContent() throws {
    for text in [PKCS7Fixture.enveloped, PKCS7Fixture.encrypted] {
      #expect(read(text).status == errSecUnsupportedFormat)
      for format in [SecExternalFormat.formatUnknown, .formatPKCS7] {
        let answer = KeyTransfer.read(try der(text), format: format)
        #expect(answer.status == errSecUnsupportedFormat && answer.items == nil && answer.format == format)
      }
    }
    // Data, and Netscape's sequence of certificates.
    for oid in [[0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 7, 1], [0x60, 0x86, 0x48, 1, 0x86, 0xF8, 0x42, 2, 5]]
      as [[UInt8]]
    {
      #expect(KeyTransfer.read(Data([0x30, 15, 6, 9] + oid + [0xA0, 2, 0x30, 0])).status == errSecUnsupportedFormat)
    }
    #expect(read(PKCS7Fixture.withoutCertificates).status == errSecUnknownFormat)
    let empty = KeyTransfer.read(message(Data()))
    #expect(empty.status == errSecSuccess && empty.items?.isEmpty == true && empty.format == .formatPKCS7)
  }

  @Test("A message that ends early or has a bit flipped ends without a fault, and the former gives nothing")
  func damaged() throws {
    for text in PKCS7Fixture.all {
      let good = try der(text)
      for count in 1..<good.count {
        let answer = KeyTransfer.read(good.prefix(count))
        #expect([errSecUnknownFormat, errSecDecode].contains(answer.status) && answer.items == nil, "\(count)")
      }
      for place in good.indices {
        var bad = good
        bad[place] ^= 0x10
        let answer = KeyTransfer.read(bad)
        #expect((answer.status == errSecSuccess) == (answer.items != nil), "\(place)")
        #expect(
          [errSecSuccess, errSecUnknownFormat, errSecDecode, errSecUnsupportedFormat].contains(answer.status),
          "\(place)")
      }
      #expect(KeyTransfer.read(good + [0]).status != errSecSuccess)
    }
  }

  /// A message with these bytes for its certificates, each length in three bytes.
  private func message(_ certificates: Data, listed: Int? = nil) -> Data {
    func value(_ tag: UInt8, _ content: Data, _ count: Int? = nil) -> Data {
      let count = count ?? content.count
      return Data([tag, 0x83, UInt8(count >> 16), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF)]) + content
    }
    let oid: [UInt8] = [6, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 7]
    let list = value(0xA0, certificates, listed)
    let data = Data([2, 1, 1, 0x31, 0, 0x30, 11] + oid + [1]) + list + Data([0x31, 0])
    return value(0x30, Data(oid + [2]) + value(0xA0, value(0x30, data)))
  }

  @Test(
    "A certificate that is none, a length that does not fit, and more certificates than the limit cannot be decoded")
  func contents() throws {
    let good = try der(ImportFixture.certificate)
    #expect(KeyTransfer.read(message(good + [0xA1, 0] + good)).items?.count == 2)
    for bad in [
      Data([0x30, 0]), Data([0x30, 3, 2, 1, 0]), Data([5, 0]), Data([4, 1, 0]), Data([0x31, 0]), Data([0x30, 0x84]),
      good.dropLast(), good.dropFirst(4), try der(ImportFixture.pkcs8), try der(ImportFixture.publicKey),
      try der(ImportFixture.pkcs7), Data([0x30, 0x80]) + good.dropFirst(4),
    ] {
      for certificates in [bad, good + bad, bad + good] {
        let answer = KeyTransfer.read(message(certificates))
        #expect(answer.status == errSecDecode && answer.items == nil, "\(bad.prefix(8).map { $0 })")
      }
    }
    for listed in [0, 1, good.count - 1, good.count + 1, good.count + 3, 0xFF_FFFF] {
      #expect(KeyTransfer.read(message(good, listed: listed)).status == errSecDecode, "\(listed)")
    }
    func many(_ count: Int) -> Data { message(Data(repeatElement(good, count: count).joined())) }
    #expect(KeyTransfer.read(many(512)).items?.count == 512)
    #expect(KeyTransfer.read(many(513)).status == errSecDecode)
    #expect(KeyTransfer.read(many(3000)).status == errSecUnknownFormat)
    let nested = Data(repeatElement([0x30, 0x80] as [UInt8], count: 100_000).joined())
    #expect(KeyTransfer.read(nested).status == errSecUnknownFormat)
    #expect(KeyTransfer.read(message(nested)).status == errSecDecode)
  }

  @Test("An export has the bytes of OpenSSL's, and PEM's label")
  func export() throws {
    let imported = try imported()
    #expect(KeyTransfer.write(imported, .formatPKCS7).data == (try der(ImportFixture.pkcs7)))
    #expect(
      KeyTransfer.write([imported] as NSArray, .formatPKCS7, pem: true).data == Data((ImportFixture.pkcs7 + "\n").utf8))
  }

  @Test("Several certificates come back sorted by their bytes, in whatever order they are given; none joins or is lost")
  func severalExported() throws {
    let given = [IdentityFixture.eve, ItemCertificates.authority, try imported(), IdentityFixture.eve]
    let sorted = given.sorted {
      (SecCertificateCopyData($0) as Data).lexicographicallyPrecedes(SecCertificateCopyData($1) as Data)
    }
    let data = try #require(KeyTransfer.write(given as NSArray, .formatPKCS7).data)
    #expect(KeyTransfer.write(given.reversed() as NSArray, .formatPKCS7).data == data)
    #expect(KeyTransfer.read(data, format: .formatPKCS7).items as? [SecCertificate] == sorted)
    let pem = try #require(KeyTransfer.write(given as NSArray, .formatPKCS7, pem: true).data)
    #expect(KeyTransfer.read(pem).items as? [SecCertificate] == sorted)
  }

  @Test("Keys and identities do not go into PKCS #7, nor does nothing")
  func refused() throws {
    let (eve, key) = (IdentityFixture.eve, IdentityFixture.evesKey)
    let identity = try #require(SecIdentityCreate(nil, eve, key))
    for odd in [
      key, try Keys.publicHalf(key), identity, [eve, key] as NSArray, [identity, eve] as NSArray, [] as NSArray,
    ]
      as [CFTypeRef]
    {
      let answer = KeyTransfer.write(odd, .formatPKCS7, passphrase: "pass")
      #expect(answer.status == errSecParam && answer.data == nil)
    }
    #expect(KeyTransfer.write([eve, "eve"] as NSArray, .formatPKCS7).status == errSecInvalidItemRef)
  }
}
