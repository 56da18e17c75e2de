import Foundation
import LatchkeyKeychainModel
import LatchkeySwiftTesting
import Security
import Testing

@Suite("Importing PKCS#12", .temporaryKeychain(accessGroups: ["app", "group"]))
struct SecPKCS12ImportTests {
  private let identities: Item = [kSecClass: kSecClassIdentity]

  @Test("old ciphers, RSA and empty passwords are read; the certificate's name is the label where the file has none")
  func readable() throws {
    let legacy = Import(PKCS12Fixture.legacy, password: "correct")
    #expect(legacy.status == errSecSuccess && legacy.chain == [PKCS12Fixture.leaf])
    #expect(legacy.items?.first?["label"] as? String == "Ada")
    #expect(Import(PKCS12Fixture.rsa, password: "correct").items?.first?["label"] as? String == "Rivest")
    for options in [[:], [kSecImportExportPassphrase: ""]] as [[CFString: Any]] {
      #expect(Import(PKCS12Fixture.withoutPassword, options).chain == [PKCS12Fixture.leaf])
    }
    #expect(Import(PKCS12Fixture.withoutPassword, password: "correct").status == errSecAuthFailed)
    let certificates = Import(PKCS12Fixture.certificates, password: "correct")
    #expect(certificates.status == errSecSuccess && certificates.items?.isEmpty == true)
  }

  @Test("a file without a MAC, one with a key that there is none of, and a password that is no string are refused")
  func refused() {
    #expect(Import(PKCS12Fixture.withoutMAC, password: "correct").status == errSecDecode)
    #expect(Import(PKCS12Fixture.ed25519, password: "correct").status == errSecDecode)
    for odd in [Data("correct".utf8), 1, NSNull()] as [Any] {
      #expect(Import(PKCS12Fixture.ada, [kSecImportExportPassphrase: odd]).status == errSecParam)
    }
  }

  @Test("Nothing is stored; an item that is returned is added by its reference, and found again")
  func inMemory() throws {
    for options in [
      [:], [kSecImportToMemoryOnly: true], [kSecUseDataProtectionKeychain: true],
      [kSecUseDataProtectionKeychain: true, kSecImportToMemoryOnly: false, kSecAttrLabel: "hers"],
    ] as [[CFString: Any]] {
      let given = options.merging([kSecImportExportPassphrase: "correct"]) { $1 }
      let imported = try #require(Import(PKCS12Fixture.ada, given).identity)
      #expect(find(identities).status == errSecItemNotFound)
      let added = add([kSecValueRef: imported], returning: [kSecReturnPersistentRef: true])
      let reference = try #require(added.data)
      let found = find([kSecValuePersistentRef: reference], returning: [kSecReturnRef: true])
      #expect(found.object as? SecIdentity == imported)
      #expect(delete([kSecValueRef: imported]) == errSecSuccess)
    }
  }

  @Test("an identity is made of a certificate and its key, and of no other key")
  func identity() throws {
    let identity = SecIdentityCreate(nil, IdentityFixture.eve, IdentityFixture.evesKey)
    #expect(identity != nil)
    #expect(SecIdentityCreate(nil, IdentityFixture.eve, IdentityFixture.gracesKey) == nil)
    let half = try #require(SecKeyCopyPublicKey(IdentityFixture.evesKey))
    #expect(SecIdentityCreate(nil, IdentityFixture.eve, half) == nil)
  }

  @Test("The returned trust evaluates the certificate with the file's chain")
  func trust() throws {
    struct StubEvaluator: TrustEvaluator {
      var systemAnchors: [[UInt8]] { [] }
      func evaluate(_ question: TrustQuestion) -> TrustVerdict { .trusted(chain: question.certificates) }
    }
    let trust = try #require(Import(PKCS12Fixture.ada, password: "correct").items?.first?["trust"] as? SecTrust)
    try TrustEvaluatorRegistry.$replacement.withValue(.evaluator(StubEvaluator())) {
      let chain = try #require(SecTrustCopyCertificateChain(trust)) as? [SecCertificate]
      #expect(chain == [PKCS12Fixture.leaf, PKCS12Fixture.authority, PKCS12Fixture.root])
    }
  }

  @Test("no file ends the process: every byte changed, and every length cut")
  func bytes() {
    for file in [PKCS12Fixture.ada, PKCS12Fixture.legacy] {
      for place in stride(from: 0, to: file.count, by: 17) {
        var changed = file
        changed[place] ^= 0x41
        let imported = Import(changed, password: "correct")
        #expect(imported.status != errSecSuccess || imported.items?.count == 1, "\(place)")
        #expect(Import(file.prefix(place), password: "correct").status == errSecDecode, "\(place)")
      }
    }
  }

  @Test("Neither the returned objects nor their descriptions reveal the key or the password")
  func secrecy() throws {
    let imported = Import(PKCS12Fixture.ada, password: "correct")
    let item = try #require(imported.items?.first)
    var text = ""
    dump(item, to: &text)
    text += "\(item)"
    var key: SecKey?
    SecIdentityCopyPrivateKey(try #require(imported.identity), &key)
    let secret = try #require(key)
    let bytes = try #require(SecKeyCopyExternalRepresentation(secret, nil)) as Data
    let scalar = bytes.suffix(32).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    #expect(!text.contains("correct") && !text.lowercased().contains(scalar.prefix(8)))
    #expect(!text.contains(bytes.suffix(32).prefix(3).map { "\($0), " }.joined()))
  }
}
