import Foundation
import LatchkeySwiftTesting
import Security
import Testing

@Suite("Importing items", .temporaryKeychain)
struct SecItemImportTests {
  private func read(_ text: String, passphrase: Any? = nil) -> (status: OSStatus, items: [AnyObject]?) {
    let answer = KeyTransfer.read(Data(text.utf8), passphrase: passphrase)
    return (answer.status, answer.items)
  }

  /// The bytes of a text's last block.
  private func der(_ text: String) throws -> Data {
    let lines = text.split(separator: "\n")
    let start = try #require(lines.lastIndex { $0.hasPrefix("-----BEGIN") })
    return try #require(Data(base64Encoded: lines[(start + 1)...].dropLast().joined()))
  }

  private static let opensslForms: [(String, SecExternalFormat, SecExternalItemType)] = [
    (ImportFixture.traditional, .formatOpenSSL, .itemTypePrivateKey),
    (ImportFixture.pkcs8, .formatBSAFE, .itemTypePrivateKey),
    (ImportFixture.encrypted, .formatWrappedPKCS8, .itemTypePrivateKey),
    (ImportFixture.legacy, .formatWrappedPKCS8, .itemTypePrivateKey),
    (ImportFixture.publicKey, .formatOpenSSL, .itemTypePublicKey),
    (ImportFixture.certificate, .formatX509Cert, .itemTypeCertificate),
    (ImportFixture.rsa, .formatOpenSSL, .itemTypePrivateKey),
    (ImportFixture.rsaPublicKey, .formatBSAFE, .itemTypePublicKey),
  ]

  private func key() throws -> SecKey { try #require(read(ImportFixture.pkcs8).items?.first as? SecKey) }

  @Test(
    "OpenSSL's files are read, in PEM and DER, and told apart",
    arguments: opensslForms)
  func forms(text: String, format: SecExternalFormat, type: SecExternalItemType) throws {
    let pem = KeyTransfer.read(Data(text.utf8), passphrase: "correct")
    let der = KeyTransfer.read(try der(text), passphrase: "correct")
    for answer in [pem, der] {
      #expect(answer.status == errSecSuccess && answer.format == format && answer.type == type)
      #expect(answer.items?.count == 1)
    }
    #expect(CFEqual(pem.items?.first, der.items?.first))
  }

  @Test("All forms of one key are the same key, with its public half and its certificate")
  func sameKey() throws {
    let key = try key()
    for text in [ImportFixture.traditional, ImportFixture.encrypted, ImportFixture.legacy] {
      #expect(read(text, passphrase: "correct").items?.first as? SecKey == key)
    }
    #expect(read(ImportFixture.publicKey).items?.first as? SecKey == SecKeyCopyPublicKey(key))
    let certificate = try #require(read(ImportFixture.certificate).items?.first as? SecCertificate)
    #expect(SecIdentityCreate(nil, certificate, key) != nil)
    let rsa = try #require(read(ImportFixture.rsa).items?.first as? SecKey)
    #expect(read(ImportFixture.rsaPublicKey).items?.first as? SecKey == SecKeyCopyPublicKey(rsa))
  }

  @Test("Several blocks are a sequence, in their order; other blocks and text between them are skipped")
  func sequence() throws {
    let text = """
      Bag Attributes
      \(ImportFixture.certificate)
      -----BEGIN X509 CRL-----
      MAA=
      -----END X509 CRL-----
      \(ImportFixture.traditional)
      """
    let answer = KeyTransfer.read(Data(text.utf8), format: .formatX509Cert, type: .itemTypeCertificate)
    #expect(answer.status == errSecSuccess && answer.format == .formatPEMSequence && answer.type == .itemTypeAggregate)
    #expect(answer.items?.count == 2 && answer.items?.first is SecCertificate)
    #expect(answer.items?.last as? SecKey == (try key()))
  }

  @Test("A passphrase that is missing, wrong or no text is told")
  func passphrases() {
    for text in [ImportFixture.encrypted, ImportFixture.legacy] {
      #expect(read(text).status == errSecPassphraseRequired)
      #expect(read(text, passphrase: "wrong").status == errSecPkcs12VerifyFailure)
      #expect(read(text, passphrase: "").status == errSecPkcs12VerifyFailure)
      for odd in [7, NSNull(), Data([0xFF])] as [Any] { #expect(read(text, passphrase: odd).status == errSecParam) }
      #expect(read(text, passphrase: Data("correct".utf8)).status == errSecSuccess)
    }
    #expect(KeyTransfer.read(PKCS12Fixture.ada).status == errSecPassphraseRequired)
    #expect(KeyTransfer.read(PKCS12Fixture.ada, passphrase: "wrong").status == errSecPkcs12VerifyFailure)
    var parameters = SecItemImportExportKeyParameters()
    parameters.flags = .securePassphrase
    let data = Data(ImportFixture.encrypted.utf8) as CFData
    #expect(SecItemImport(data, nil, nil, nil, [], &parameters, nil, nil) == errSecPassphraseRequired)
    let passphrase = "correct" as NSString
    parameters.passphrase = Unmanaged.passUnretained(passphrase)
    #expect(SecItemImport(data, nil, nil, nil, [], &parameters, nil, nil) == errSecParam)
  }

  @Test("A PKCS #12 file gives its identity, then the certificates that belong to none")
  func file() {
    let ada = KeyTransfer.read(PKCS12Fixture.ada, passphrase: "correct")
    #expect(ada.status == errSecSuccess && ada.format == .formatPKCS12 && ada.type == .itemTypeAggregate)
    #expect(ada.items?.count == 3 && ada.items?.first is SecIdentity)
    #expect(ada.items?.dropFirst().allSatisfy { $0 is SecCertificate } == true)
    let certificates = KeyTransfer.read(PKCS12Fixture.certificates, passphrase: "correct")
    #expect(certificates.items?.count == 2 && certificates.items?.first is SecCertificate)
    #expect(KeyTransfer.read(PKCS12Fixture.withoutMAC, passphrase: "correct").status == errSecDecode)
    #expect(KeyTransfer.read(PKCS12Fixture.ed25519, passphrase: "correct").status == errSecUnsupportedFormat)
  }

  @Test("What the caller expects is held to, but for PEM, whose labels say what it is")
  func expectations() throws {
    let certificate = try der(ImportFixture.certificate)
    for (format, type, isRead) in [
      (.formatX509Cert, .itemTypeUnknown, true), (.formatUnknown, .itemTypeCertificate, true),
      (.formatOpenSSL, .itemTypeUnknown, false), (.formatUnknown, .itemTypePrivateKey, false),
      (.formatX509Cert, .itemTypePublicKey, false),
    ] as [(SecExternalFormat, SecExternalItemType, Bool)] {
      let answer = KeyTransfer.read(certificate, format: format, type: type)
      #expect(answer.status == (isRead ? errSecSuccess : errSecUnknownFormat))
      if !isRead { #expect(answer.format == format && answer.type == type, "a failed call told something") }
      let pem = KeyTransfer.read(Data(ImportFixture.certificate.utf8), format: format, type: type)
      #expect(pem.status == errSecSuccess && pem.format == .formatX509Cert)
    }
    let key = try der(ImportFixture.pkcs8)
    #expect(KeyTransfer.read(key, format: .formatOpenSSL, type: .itemTypePrivateKey).format == .formatBSAFE)
  }

  @Test("Forms that are not read are said to be known and not supported")
  func unsupported() {
    for text in [ImportFixture.ed25519, ImportFixture.traditionalEncrypted] {
      #expect(read(text, passphrase: "correct").status == errSecUnsupportedFormat)
    }
    let ssh = "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----"
    #expect(read(ssh).status == errSecUnsupportedFormat)
    #expect(
      read("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f").status
        == errSecUnsupportedFormat)
  }

  @Test("What is not recognized is an unknown format, and what is damaged cannot be decoded")
  func damaged() throws {
    #expect(KeyTransfer.read(Data()).status == errSecParam)
    for odd in [
      Data([0x30]), Data("nonsense".utf8), Data([0x30, 0]), Data([0x30, 0x80]), Data([4, 1, 0]),
      Data([0x30, 3, 2, 1, 0]), Data("-----BEGIN X509 CRL-----\nMAA=\n-----END X509 CRL-----".utf8),
      Data(count: 1 << 20 + 1),
    ] {
      #expect(KeyTransfer.read(odd).status == errSecUnknownFormat, "\(odd.prefix(8).map { $0 })")
    }
    for text in ["-----BEGIN CERTIFICATE-----\n*\n-----END CERTIFICATE-----", "-----BEGIN CERTIFICATE-----\nMAA="] {
      #expect(read(text).status == errSecDecode)
    }
    for text in [ImportFixture.certificate, ImportFixture.pkcs8, ImportFixture.publicKey, ImportFixture.traditional] {
      let good = try der(text)
      for place in good.indices {
        var bad = good
        bad[place] ^= 0x10
        let answer = KeyTransfer.read(bad)
        #expect((answer.status == errSecSuccess) == (answer.items?.count == 1), "\(place)")
      }
      for count in good.indices.dropFirst() {
        #expect(KeyTransfer.read(good.prefix(count)).status != errSecSuccess, "\(count)")
      }
    }
  }

  @Test("The usage of imported keys is held to")
  func usage() throws {
    let letter = Data("letter".utf8) as CFData
    let signer = try #require(
      KeyTransfer.read(Data(ImportFixture.pkcs8.utf8), usage: [kSecAttrCanSign]).items?.first as? SecKey)
    let deriver = try #require(
      KeyTransfer.read(Data(ImportFixture.pkcs8.utf8), usage: [kSecAttrCanDerive]).items?.first as? SecKey)
    #expect(SecKeyCreateSignature(signer, .ecdsaSignatureMessageX962SHA256, letter, nil) != nil)
    expectFailure(errSecKeyUsageIncorrect) {
      SecKeyCreateSignature(deriver, .ecdsaSignatureMessageX962SHA256, letter, $0)
    }
    for usage in [[kSecAttrLabel], ["nonsense"]] as [[CFString]] {
      #expect(KeyTransfer.read(Data(ImportFixture.pkcs8.utf8), usage: usage).status == errSecParam)
    }
  }

  @Test("Attributes of imported keys: permanent ones would need a keychain of macOS's, and unknown ones are refused")
  func attributes() {
    let data = Data(ImportFixture.pkcs8.utf8)
    #expect(KeyTransfer.read(data, attributes: [kSecAttrIsPermanent]).status == errSecInvalidKeychain)
    #expect(KeyTransfer.read(data, attributes: [kSecAttrIsExtractable, kSecAttrIsSensitive]).status == errSecSuccess)
    #expect(KeyTransfer.read(data, attributes: [kSecAttrLabel]).status == errSecParam)
  }

  @Test("Nothing is stored; what is returned is added by its reference")
  func inMemory() throws {
    let key = try key()
    #expect(find([kSecClass: kSecClassKey]).status == errSecItemNotFound)
    #expect(add([kSecValueRef: key]).status == errSecSuccess)
    #expect(find([kSecClass: kSecClassKey], returning: [kSecReturnRef: true]).object as? SecKey == key)
  }
}
