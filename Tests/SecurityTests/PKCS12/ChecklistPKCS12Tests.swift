import Foundation
import LatchkeySwiftTesting
import Security
import Testing

/// An import's status, and the result that it wrote.
struct Import {
  let status: OSStatus
  /// Nil if it was left as it was.
  let items: [[String: Any]]?

  init(_ file: Data, _ options: [CFString: Any]) {
    let before = NSArray(object: "before")
    var items: CFArray? = before
    status = SecPKCS12Import(file as NSData, options as CFDictionary, &items)
    self.items = items === before ? nil : items as? [[String: Any]]
  }

  init(_ file: Data, password: String) { self.init(file, [kSecImportExportPassphrase: password]) }

  var identity: SecIdentity? { items?.first?["identity"] as? SecIdentity }
  var chain: [SecCertificate]? { items?.first?["chain"] as? [SecCertificate] }
}

/// Rows 57 to 60 (Apple's si-61-pkcs12), as iOS answers.
@Suite("Checklist: PKCS#12", .temporaryKeychain)
struct ChecklistPKCS12Tests {
  @Test("row 57: without the password, or with a wrong one, it is errSecAuthFailed and nothing is returned")
  func password() {
    for options in [
      [:], [kSecImportExportPassphrase: ""], [kSecImportExportPassphrase: "Correct"],
      [kSecImportExportPassphrase: "correct "],
    ] as [[CFString: Any]] {
      let imported = Import(PKCS12Fixture.ada, options)
      #expect(imported.status == errSecAuthFailed && imported.items == nil, "\(options)")
    }
    #expect(errSecAuthFailed == -25293)
  }

  @Test("row 58: with the password there is one item, with its identity, trust, chain, label and key identifier")
  func good() throws {
    let imported = Import(PKCS12Fixture.ada, password: "correct")
    #expect(imported.status == errSecSuccess)
    let item = try #require(imported.items?.first)
    #expect(imported.items?.count == 1 && Set(item.keys) == ["identity", "trust", "chain", "label", "keyid"])
    let identity = try #require(imported.identity)
    var certificate: SecCertificate?
    SecIdentityCopyCertificate(identity, &certificate)
    #expect(certificate == PKCS12Fixture.leaf)
    #expect(imported.chain == [PKCS12Fixture.leaf, PKCS12Fixture.authority, PKCS12Fixture.root])
    #expect(item["label"] as? String == "Ada's identity")
    let key = try #require(SecCertificateCopyKey(PKCS12Fixture.leaf))
    #expect(item["keyid"] as? Data == Keys.attributes(key)["klbl"] as? Data)
    let trust = item["trust"] as AnyObject
    #expect(CFGetTypeID(trust) == SecTrustGetTypeID())
  }

  @Test("row 59: its key signs, and the certificate's verifies")
  func signs() throws {
    for (file, name) in [(PKCS12Fixture.ada, "curve"), (PKCS12Fixture.rsa, "RSA")] {
      let identity = try #require(Import(file, password: "correct").identity)
      var key: SecKey?
      var certificate: SecCertificate?
      SecIdentityCopyPrivateKey(identity, &key)
      SecIdentityCopyCertificate(identity, &certificate)
      let algorithm: SecKeyAlgorithm =
        name == "RSA" ? .rsaSignatureMessagePKCS1v15SHA256 : .ecdsaSignatureMessageX962SHA256
      let (secret, whose) = (try #require(key), try #require(certificate))
      let signature = try #require(SecKeyCreateSignature(secret, algorithm, letter as NSData, nil))
      let half = try #require(SecCertificateCopyKey(whose))
      #expect(SecKeyVerifySignature(half, algorithm, letter as NSData, signature, nil))
      #expect(!SecKeyVerifySignature(half, algorithm, otherLetter as NSData, signature, nil))
    }
  }

  @Test("row 60: undecodable data is errSecDecode")
  func undecodable() {
    let file = PKCS12Fixture.ada
    for bytes in [Data(), Data([0x30]), letter, Data(repeating: 0x30, count: 4096), file.dropLast(), file + [0]] {
      let imported = Import(bytes, password: "correct")
      #expect(imported.status == errSecDecode && imported.items == nil, "\(bytes.count)")
    }
    #expect(Import(Data(count: 2 << 20), password: "correct").status == errSecDecode)
    #expect(errSecDecode == -26275)
  }
}
