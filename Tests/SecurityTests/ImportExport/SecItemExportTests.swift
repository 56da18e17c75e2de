import Foundation
import LatchkeySwiftTesting
import Security
import Testing

@Suite("Exporting items", .temporaryKeychain)
struct SecItemExportTests {
  private let eve = IdentityFixture.eve
  private let key = IdentityFixture.evesKey

  /// Formats of a private key: name, PEM's label, whether a passphrase is needed.
  private static let privateFormats: [(SecExternalFormat, label: String, isEncrypted: Bool)] = [
    (.formatUnknown, "PRIVATE KEY", false), (.formatOpenSSL, "PRIVATE KEY", false),
    (.formatBSAFE, "PRIVATE KEY", false),
    (.formatWrappedPKCS8, "ENCRYPTED PRIVATE KEY", true), (.formatPKCS12, "PKCS12", true),
  ]

  @Test("A private key comes back the same in every format, in DER and PEM", arguments: Keys.kinds)
  func privateKeys(kind: Keys.Kind) throws {
    let key = try Keys.made(kind)
    for (format, label, isEncrypted) in Self.privateFormats {
      for pem in [false, true] {
        let data = try #require(KeyTransfer.write(key, format, pem: pem, passphrase: "pass").data)
        let text = String(decoding: data, as: UTF8.self)
        #expect(text.contains("-----BEGIN ") == pem && (!pem || text.contains("\(label)-----")), "\(format)")
        let back = KeyTransfer.read(data, passphrase: isEncrypted ? "pass" : nil)
        #expect(back.status == errSecSuccess && back.items?.count == 1, "\(format) \(back.status)")
        #expect(back.items?.first as? SecKey == key, "\(format)")
        #expect(back.type == (format == .formatPKCS12 ? .itemTypeAggregate : .itemTypePrivateKey))
      }
    }
    #expect(KeyTransfer.write(key, .formatSSHv2).status == errSecUnsupportedFormat)
  }

  @Test("A public key comes back the same in every format", arguments: Keys.kinds)
  func publicKeys(kind: Keys.Kind) throws {
    let half = try Keys.publicHalf(Keys.made(kind))
    var formats: [(SecExternalFormat, String?)] = [
      (.formatUnknown, "PUBLIC KEY"), (.formatOpenSSL, "PUBLIC KEY"), (.formatSSHv2, nil),
    ]
    if kind == .rsa(2048) {
      formats.append((.formatBSAFE, "RSA PUBLIC KEY"))
    } else {
      #expect(KeyTransfer.write(half, .formatBSAFE).status == errSecUnsupportedFormat)
    }
    for (format, label) in formats {
      for pem in [false, true] {
        let data = try #require(KeyTransfer.write(half, format, pem: pem).data)
        let text = String(decoding: data, as: UTF8.self)
        if let label, pem { #expect(text.hasPrefix("-----BEGIN \(label)-----\n")) }
        if label == nil { #expect(text.hasPrefix("ssh-rsa ") || text.hasPrefix("ecdsa-sha2-nistp")) }
        let back = KeyTransfer.read(data)
        #expect(back.items?.first as? SecKey == half && back.type == .itemTypePublicKey, "\(format)")
      }
    }
    for format in [SecExternalFormat.formatWrappedPKCS8, .formatPKCS12] {
      #expect(KeyTransfer.write(half, format, passphrase: "pass").status == errSecUnsupportedFormat)
    }
  }

  @Test("A certificate is its DER, and CERTIFICATE in PEM")
  func certificates() throws {
    let der = SecCertificateCopyData(eve) as Data
    for format in [SecExternalFormat.formatUnknown, .formatX509Cert] {
      #expect(KeyTransfer.write(eve, format).data == der)
      let pem = try #require(KeyTransfer.write(eve, format, pem: true).data)
      #expect(String(decoding: pem, as: UTF8.self).hasPrefix("-----BEGIN CERTIFICATE-----\n"))
      #expect(KeyTransfer.read(pem).items?.first as? SecCertificate == eve)
    }
    #expect(KeyTransfer.write(eve, .formatOpenSSL).status == errSecParam)
    #expect(KeyTransfer.write(key, .formatX509Cert).status == errSecParam)
  }

  @Test("An identity goes through PKCS #12 and through PEM; the issuer stays beside it")
  func identities() throws {
    let identity = try #require(SecIdentityCreate(nil, eve, key))
    let items = [identity, ItemCertificates.authority] as NSArray
    let file = try #require(KeyTransfer.write(items, .formatPKCS12, passphrase: "pass").data)
    let back = KeyTransfer.read(file, passphrase: "pass")
    #expect(back.format == .formatPKCS12 && back.type == .itemTypeAggregate && back.items?.count == 2)
    #expect(back.items?.first as? SecIdentity == identity)
    #expect(back.items?.last as? SecCertificate == ItemCertificates.authority)
    var older: CFArray?
    let options = [kSecImportExportPassphrase: "pass"] as NSDictionary
    #expect(SecPKCS12Import(file as CFData, options, &older) == errSecSuccess && older?.count == 1)

    let text = try #require(KeyTransfer.write(identity, .formatUnknown).data)
    #expect(KeyTransfer.write(identity, .formatPEMSequence).data == text)
    let parts = KeyTransfer.read(text)
    #expect(parts.format == .formatPEMSequence && parts.type == .itemTypeAggregate && parts.items?.count == 2)
    #expect(parts.items?.first as? SecCertificate == eve && parts.items?.last as? SecKey == key)
  }

  @Test("A passphrase is needed where a key is encrypted, and an empty one is none")
  func passphrases() {
    for format in [SecExternalFormat.formatWrappedPKCS8, .formatPKCS12] {
      #expect(KeyTransfer.write(key, format).status == errSecPassphraseRequired)
      #expect(KeyTransfer.write(key, format, passphrase: "").status == errSecPassphraseRequired)
      #expect(KeyTransfer.write(key, format, passphrase: 7).status == errSecParam)
      let data = KeyTransfer.write(key, format, passphrase: Data("pass".utf8)).data
      #expect(KeyTransfer.read(data ?? Data(), passphrase: "pass").items?.first as? SecKey == key)
    }
  }

  @Test("What is no item, no item at all, and several in a format of one are refused")
  func refused() {
    for odd in [NSNull(), "key" as NSString, [eve, "key"] as NSArray] as [CFTypeRef] {
      #expect(KeyTransfer.write(odd, .formatPEMSequence).status == errSecInvalidItemRef)
    }
    #expect(KeyTransfer.write([] as NSArray, .formatPEMSequence).status == errSecParam)
    for format in [SecExternalFormat.formatX509Cert, .formatOpenSSL, .formatBSAFE, .formatWrappedPKCS8, .formatSSHv2] {
      #expect(KeyTransfer.write([eve, key] as NSArray, format, passphrase: "pass").status == errSecParam)
    }
    #expect(KeyTransfer.write(eve, .formatNetscapeCertSequence).status == errSecUnsupportedFormat)
    for format in [
      SecExternalFormat.formatSSH, .formatRawKey, .formatWrappedOpenSSL, .formatWrappedSSH, .formatWrappedLSH,
    ] {
      #expect(KeyTransfer.write(key, format, passphrase: "pass").status == errSecUnsupportedFormat)
    }
  }

  @Test("A key of the enclave stays there; its public half does not")
  func enclave() throws {
    let attributes: [CFString: Any] = [
      kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
      kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
    ]
    let key = try #require(SecKeyCreateRandomKey(attributes as NSDictionary, nil))
    for (format, _, _) in Self.privateFormats {
      let answer = KeyTransfer.write(key, format, passphrase: "pass")
      #expect(answer.status == errSecKeyIsSensitive && answer.data == nil)
    }
    #expect(KeyTransfer.write([eve, key] as NSArray, .formatPEMSequence).status == errSecKeyIsSensitive)
    #expect(KeyTransfer.write(try Keys.publicHalf(key), .formatOpenSSL).status == errSecSuccess)
  }

  @Test("An encrypted key shows nothing of the key, and two exports share no bytes that show they are the same")
  func secrecy() throws {
    let plain = try #require(KeyTransfer.write(key, .formatBSAFE).data)
    let secret = plain.dropFirst(40).prefix(24)
    for format in [SecExternalFormat.formatWrappedPKCS8, .formatPKCS12] {
      let one = try #require(KeyTransfer.write(key, format, passphrase: "pass").data)
      let two = try #require(KeyTransfer.write(key, format, passphrase: "pass").data)
      #expect(one.range(of: secret) == nil && one != two)
      #expect(one.suffix(32) != two.suffix(32))
    }
  }
}
