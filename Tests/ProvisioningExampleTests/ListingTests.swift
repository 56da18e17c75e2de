import EncryptedProvisioning
import Foundation
import LatchkeyProvisioningProtocol
import Testing

/// The document's functions and steps against values that OpenSSL computed (`legacy_provisioning.json`).
struct ListingTests {
  private let vectors: Vectors

  init() throws {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let file = tests.appending(path: "LatchkeyProvisioningProtocolTests/Fixtures/legacy_provisioning.json")
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    vectors = try decoder.decode(Vectors.self, from: Data(contentsOf: file))
  }

  private struct Vectors: Decodable {
    struct Agreement: Decodable {
      var id, `private`, peerPublic, sharedX: String
    }
    struct Text: Decodable {
      var id, key, plaintext, ciphertext: String
      var decryptedHex: String
    }
    struct Special: Decodable {
      var id, key, ciphertext: String
      var decryptedHex: String?
    }
    struct Helper: Decodable {
      var input: String
      var bytes: String?
    }
    struct Invalid: Decodable {
      var id, `public`: String
    }
    var ecdh: [Agreement]
    var invalidPublicKeys: [Invalid]
    var aesCases: [Text]
    var aesSpecial: [Special]
    var hexHelper: [Helper]
  }

  @Test("Aes128EncryptWithContent: and aes128DencryptWithContent:")
  func aes128encryptwithcontentAndAes128DencryptWithContent() throws {
    #expect(vectors.aesCases.count == 18)
    for text in vectors.aesCases {
      #expect(AESTool.aes128Encrypt(withContent: text.plaintext, key: text.key) == text.ciphertext, "\(text.id)")
      let decrypted = AESTool.aes128Dencrypt(withContent: text.ciphertext, key: text.key)
      #expect(AESTool.convertData(toHexStr: decrypted?.data(using: .utf8)) == text.decryptedHex, "\(text.id)")
    }
  }

  @Test("Decrypting gives what our own cipher gives, and nil where a text is not UTF-8 or no multiple of 16")
  func decryptingGivesWhatOurOwnCipherGives() {
    #expect(vectors.aesSpecial.count == 7)
    for text in vectors.aesSpecial {
      let key = try? LegacyMessageKey(bytes: Array(AESTool.convertHexStr(toData: text.key) ?? Data()))
      let ciphertext = Array(AESTool.convertHexStr(toData: text.ciphertext) ?? Data())
      let ours = try? key?.decrypt(ciphertext).bytes
      let expected = ours.flatMap { String(validating: $0, as: UTF8.self) }
      #expect(AESTool.aes128Dencrypt(withContent: text.ciphertext, key: text.key) == expected, "\(text.id)")
    }
    #expect(AESTool.aes128Dencrypt(withContent: "00", key: vectors.aesCases[0].key) == nil)
  }

  @Test("A key of fewer than 24 bytes gives nil", arguments: ["", "00", String(repeating: "a", count: 46)])
  func aKeyOfFewerThan24BytesGivesNil(key: String) {
    #expect(AESTool.aes128Encrypt(withContent: "text", key: key) == nil)
    #expect(AESTool.aes128Dencrypt(withContent: String(repeating: "0", count: 32), key: key) == nil)
  }

  @Test("convertHexStrToData: accepts spaces, an odd digit and both cases; convertDataToHexStr: writes lower case")
  func converthexstrtodataAcceptsSpacesAnOddDigitAnd() {
    for helper in vectors.hexHelper {
      #expect(AESTool.convertHexStr(toData: helper.input).map { AESTool.convertData(toHexStr: $0) } == helper.bytes)
    }
    #expect(AESTool.convertHexStr(toData: nil) == nil)
    #expect(AESTool.convertHexStr(toData: "") == nil)
    #expect(AESTool.convertHexStr(toData: "zz") == Data([0]))
    #expect(AESTool.convertData(toHexStr: nil) == "")
    #expect(AESTool.convertData(toHexStr: Data()) == "")
    #expect(AESTool.convertData(toHexStr: Data(0...255)).count == 512)
  }

  @Test("ComputeECDH:privateKey: agrees with OpenSSL, in both forms of a private key")
  func computeecdhPrivateKeyAgreesWithOpenSSLInBothForms() {
    #expect(vectors.ecdh.count == 31)
    for agreement in vectors.ecdh {
      for zeros in ["", String(repeating: "0", count: 16)] {
        let shared = GMSm2Utils.computeECDH("04" + agreement.peerPublic, privateKey: zeros + agreement.private)
        #expect(shared == agreement.sharedX, "\(agreement.id)")
      }
    }
  }

  @Test("ComputeECDH:privateKey: is nil for points that are not on the curve")
  func computeecdhPrivateKeyIsNilForPointsThatAreNotOnTheCurve() {
    #expect(vectors.invalidPublicKeys.count == 29)
    for key in vectors.invalidPublicKeys {
      let shared = GMSm2Utils.computeECDH("04" + key.public, privateKey: String(repeating: "1", count: 48))
      #expect(shared == nil, "\(key.id)")
    }
  }

  @Test("CreateKeyPair gives GMObjC's forms, and two pairs agree on 24 bytes")
  func createkeypairGivesGMObjCsFormsAndTwoPairsAgreeOn24Bytes() throws {
    #expect(GMSm2Utils.setEllipticCurveType(711))
    #expect(!GMSm2Utils.setEllipticCurveType(415))
    let (app, device) = (GMSm2Utils.createKeyPair(), GMSm2Utils.createKeyPair())
    for pair in [app, device] {
      #expect(pair[0].count == 98 && pair[0].hasPrefix("04"))
      #expect(pair[1].count == 64 && pair[1].hasPrefix("0000000000000000"))
    }
    let shared = try #require(GMSm2Utils.computeECDH(device[0], privateKey: app[1]))
    #expect(shared.count == 48)
    #expect(GMSm2Utils.computeECDH(app[0], privateKey: device[1]) == shared)
    #expect(app[0] != device[0])
  }
}
