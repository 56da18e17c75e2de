import Foundation
import LatchkeySwiftTesting
import Security
import Testing

/// Wycheproof's vectors through the calls. The files are those of the tests of `LatchkeyEnclaveKeys`, and are read there.
@Suite("Wycheproof through SecKey", .temporaryKeychain)
struct SecKeyVectorTests {
  private struct Vectors: Decodable {
    var numberOfTests: Int
    var groups: [Group]

    struct Group: Decodable {
      var key: Data?
      var tests: [Case]
    }

    struct Case: Decodable {
      var id: Int
      var result: String
      var msg: Data?
      var sig: Data?
      var `public`: Data?
    }

    init(_ name: String) throws {
      let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")
      let file = tests.appendingPathComponent("LatchkeyEnclaveKeysTests/Vectors/\(name).json")
      self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: file))
      try #require(groups.map(\.tests.count).reduce(0, +) == numberOfTests && numberOfTests > 0)
    }
  }

  @Test(
    "Every signature is accepted or refused as expected",
    arguments: [
      ("ecdsa_secp256r1_sha256", "algid:sign:ECDSA:message-X962:SHA256"),
      ("ecdsa_secp256r1_sha256_p1363", "algid:sign:ECDSA:message-RFC4754:SHA256"),
      ("ecdsa_secp384r1_sha384_p1363", "algid:sign:ECDSA:message-RFC4754:SHA384"),
      ("ecdsa_secp521r1_sha512", "algid:sign:ECDSA:message-X962:SHA512"),
      ("rsa_pss_2048_sha256_mgf1_32", "algid:sign:RSA:message-PSS:SHA256:SHA256:32"),
      ("rsa_signature_2048_sha512", "algid:sign:RSA:message-PKCS1v15:SHA512"),
    ])
  func signatures(name: String, algorithm: String) throws {
    let type = name.hasPrefix("rsa") ? kSecAttrKeyTypeRSA : kSecAttrKeyTypeEC
    for group in try Vectors(name).groups {
      let key = try Keys.read(try #require(group.key), kSecAttrKeyClassPublic, type: type)
      for test in group.tests where test.result != "acceptable" {
        let (isValid, error) = attempt {
          SecKeyVerifySignature(
            key, SecKeyAlgorithm(rawValue: algorithm as CFString), (test.msg ?? Data()) as CFData,
            (test.sig ?? Data()) as CFData, $0) ? true : nil
        }
        #expect((isValid == true) == (test.result == "valid"), "\(name) \(test.id)")
        if isValid == nil { #expect(error?.code == Int(errSecVerifyFailed), "\(name) \(test.id)") }
      }
    }
  }

  @Test("no point that is none of the curve is agreed with", arguments: [256, 384, 521])
  func points(bits: Int) throws {
    let own = try Keys.made(.curve(bits))
    let attributes: Item = [kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeyClass: kSecAttrKeyClassPublic]
    for test in try Vectors("ecdh_secp\(bits)r1_ecpoint").groups.flatMap(\.tests) {
      let point = SecKeyCreateWithData((test.public ?? Data()) as CFData, attributes as CFDictionary, nil)
      let secret = point.flatMap { SecKeyCopyKeyExchangeResult(own, .ecdhKeyExchangeStandard, $0, [:], nil) }
      if test.result == "valid" { #expect(secret?.length == (bits + 7) / 8, "\(test.id)") }
      if test.result == "invalid" { #expect(secret == nil, "\(test.id)") }
    }
  }
}
