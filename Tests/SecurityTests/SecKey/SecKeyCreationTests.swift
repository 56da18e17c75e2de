import Foundation
import LatchkeySwiftTesting
import Security
import Testing

/// Pairs that are made, and keys that are read from bytes.
@Suite("Making keys", .temporaryKeychain)
struct SecKeyCreationTests {
  @Test("a pair is made of each kind; its bytes have the documented form", arguments: Keys.kinds)
  func kinds(kind: Keys.Kind) throws {
    let key = try Keys.made(kind)
    let half = try Keys.publicHalf(key)
    let (secret, open) = (try Keys.bytes(key), try Keys.bytes(half))
    switch kind {
    case .curve(let bits):
      let size = (bits + 7) / 8
      #expect(secret.count == 1 + 3 * size && open.count == 1 + 2 * size)
      #expect(secret.first == 4 && secret.starts(with: open))
      #expect(SecKeyGetBlockSize(key) == size && SecKeyGetBlockSize(half) == size)
    case .rsa(let bits):
      #expect(secret.first == 0x30 && open.first == 0x30)
      #expect(SecKeyGetBlockSize(key) == bits / 8)
    }
    let type = kind.parameters[kSecAttrKeyType] as! CFString
    #expect(try Keys.read(secret, kSecAttrKeyClassPrivate, type: type) == key)
    #expect(try Keys.read(open, kSecAttrKeyClassPublic, type: type) == half)
    #expect(SecKeyCopyPublicKey(half) == half)
    #expect(count([kSecClass: kSecClassKey]) == 0, "nothing is stored unless it is asked for")
  }

  @Test("equal keys are one in a set and for CFEqual; the halves differ, and so do pairs")
  func equality() throws {
    let key = try Keys.made(.curve(256))
    let again = try Keys.read(try Keys.bytes(key), kSecAttrKeyClassPrivate)
    let (half, other) = (try Keys.publicHalf(key), try Keys.made(.curve(256)))
    #expect(key == again && key.hashValue == again.hashValue && CFEqual(key, again))
    #expect(CFHash(key) == CFHash(again))
    #expect(key != half && key != other && !CFEqual(key, half))
    #expect(Set([key, again, half, other]).count == 3)
    #expect(CFGetTypeID(key) == SecKeyGetTypeID() && SecKeyGetTypeID() != 0)
    #expect(CFGetTypeID(IdentityFixture.eve) != SecKeyGetTypeID())
    let any: Any = key
    #expect(any as? SecKey == key && any as! SecKey === key)
  }

  @Test("numbers and texts are alike as type, size and class")
  func spellings() throws {
    let parameters: [Item] = [
      [kSecAttrKeyType: "73", kSecAttrKeySizeInBits: "256"], [kSecAttrKeyType: 73, kSecAttrKeySizeInBits: 256],
      [kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: NSNumber(value: 256)],
      [kSecAttrKeyType: kSecAttrKeyTypeECDSA, kSecAttrKeySizeInBits: 256.0],
    ]
    for parameters in parameters {
      let key = try succeed { SecKeyCreateRandomKey(parameters as CFDictionary, $0) }
      #expect(Keys.attributes(key)["bsiz"] as? Int == 256)
      let attributes: Item = [kSecAttrKeyType: 73, kSecAttrKeyClass: 1]
      #expect(SecKeyCreateWithData(try Keys.bytes(key) as CFData, attributes as CFDictionary, nil) == key)
    }
  }

  @Test("parameters that make no sense are refused, with a text that helps, and nothing is stored")
  func refused() {
    let curve: Item = [kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: 256]
    let cases: [Item] = [
      [:], [kSecAttrKeySizeInBits: 256], [kSecAttrKeyType: kSecAttrKeyTypeEC],
      [kSecAttrKeyType: "EC", kSecAttrKeySizeInBits: 256], [kSecAttrKeyType: "073", kSecAttrKeySizeInBits: 256],
      [kSecAttrKeyType: kSecAttrKeyTypeDSA, kSecAttrKeySizeInBits: 1024],
      [kSecAttrKeyType: kSecAttrKeyTypeAES, kSecAttrKeySizeInBits: 256],
      [kSecAttrKeyType: Data([73]), kSecAttrKeySizeInBits: 256], [kSecAttrKeyType: 73.5, kSecAttrKeySizeInBits: 256],
      [kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: 255],
      [kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: 192],
      [kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: 0],
      [kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: -256],
      [kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: "many"],
      [kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: UInt64.max],
      [kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: 512],
      [kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: 2047],
      [kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: Int.max],
      curve.merging([kSecPrivateKeyAttrs: "attributes"]) { $1 }, curve.merging([kSecPublicKeyAttrs: [1, 2]]) { $1 },
      curve.merging([kSecAttrIsPermanent: "yes"]) { $1 },
      curve.merging([kSecPrivateKeyAttrs: [kSecAttrIsPermanent: 2] as Item]) { $1 },
      curve.merging([kSecAttrCanSign: Data()]) { $1 }, curve.merging([kSecAttrAccessControl: "control"]) { $1 },
      curve.merging([kSecAttrTokenID: "com.example.token"]) { $1 }, curve.merging([kSecAttrTokenID: 1]) { $1 },
      curve.merging([kSecUseAuthenticationContext: NSObject()]) { $1 },
      curve.merging([kSecAttrIsPermanent: true, kSecMatchLimit: kSecMatchLimitAll]) { $1 },
      curve.merging([kSecAttrIsPermanent: true, "u_Nonsense" as CFString: 1]) { $1 },
    ]
    for parameters in cases {
      expectFailure(errSecParam, "\(parameters)") { SecKeyCreateRandomKey(parameters as CFDictionary, $0) }
      #expect(SecKeyCreateRandomKey(parameters as CFDictionary, nil) == nil)
    }
    expectFailure(errSecNoSuchAttr) {
      SecKeyCreateRandomKey(curve.merging([kSecAttrIsPermanent: true, kSecAttrServer: "x"]) { $1 } as CFDictionary, $0)
    }
    #expect(count([kSecClass: kSecClassKey]) == 0)
  }

  @Test("Attributes that a key without storage does not use are not validated, as on Apple's systems")
  func unused() throws {
    let more: Item = [kSecAttrServer: "x", "u_Nonsense" as CFString: 1, kSecReturnRef: true, kSecAttrService: "y"]
    _ = try Keys.made(.curve(256), more)
  }

  @Test("an access control beside an accessibility that says something else is refused")
  func conflict() throws {
    let control = try #require(SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleAlways, [], nil))
    let odd: Item = [kSecAttrAccessControl: control, kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked]
    for more in [odd, [kSecPrivateKeyAttrs: odd]] {
      expectFailure(errSecParam) {
        SecKeyCreateRandomKey(Keys.Kind.curve(256).parameters.merging(more) { $1 } as CFDictionary, $0)
      }
    }
  }

  @Test("bytes that are no key are refused", arguments: [kSecAttrKeyClassPublic as String, "1"])
  func noKeys(keyClass: String) throws {
    let good = try Keys.bytes(keyClass == "1" ? try Keys.made(.curve(256)) : Keys.publicHalf(Keys.made(.curve(256))))
    var offCurve = good
    offCurve[40] ^= 1
    var compressed = good
    compressed[0] = 2
    let types = [kSecAttrKeyTypeEC, kSecAttrKeyTypeRSA]
    let cases = [
      Data(), Data([4]), Data(count: 65), Data(count: 97), Data(repeating: 0xFF, count: good.count), good.dropLast(),
      good + [0], offCurve, compressed, Data(count: 1 << 20), Data([0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF]),
      Data([0x30, 0x80, 0, 0]),
    ]
    for data in cases {
      for type in types {
        let attributes: Item = [kSecAttrKeyType: type, kSecAttrKeyClass: keyClass]
        expectFailure(errSecParam, "\(data as NSData) \(type)") {
          SecKeyCreateWithData(data as CFData, attributes as CFDictionary, $0)
        }
      }
    }
  }

  @Test("a private key whose halves do not belong together, and one out of range, are refused")
  func mismatched() throws {
    let (a, b) = (try Keys.bytes(Keys.made(.curve(256))), try Keys.bytes(Keys.made(.curve(256))))
    let attributes: Item = [kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeyClass: kSecAttrKeyClassPrivate]
    for data in [
      a.prefix(65) + b.suffix(32), a.prefix(65) + Data(count: 32), a.prefix(65) + Data(repeating: 255, count: 32),
    ] {
      expectFailure(errSecParam) { SecKeyCreateWithData(data as CFData, attributes as CFDictionary, $0) }
    }
  }

  @Test("a type or class that is missing, unknown or symmetric is refused; nothing is brought to the enclave")
  func oddAttributes() throws {
    let bytes = try Keys.bytes(Keys.made(.curve(256))) as CFData
    let cases: [(Item, OSStatus)] = [
      ([:], errSecParam), ([kSecAttrKeyType: kSecAttrKeyTypeEC], errSecParam),
      ([kSecAttrKeyClass: kSecAttrKeyClassPrivate], errSecParam),
      ([kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeyClass: "3"], errSecParam),
      ([kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeyClass: "private"], errSecParam),
      ([kSecAttrKeyType: kSecAttrKeyTypeDSA, kSecAttrKeyClass: kSecAttrKeyClassPrivate], errSecParam),
      ([kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeyClass: kSecAttrKeyClassPrivate], errSecParam),
      ([kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeyClass: kSecAttrKeyClassPublic], errSecParam),
      ([kSecAttrKeyType: kSecAttrKeyTypeAES, kSecAttrKeyClass: kSecAttrKeyClassSymmetric], errSecUnimplemented),
      (
        [
          kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeyClass: kSecAttrKeyClassPrivate,
          kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
        ], errSecParam
      ),
      ([kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeyClass: 1, kSecAttrCanSign: Data()], errSecParam),
    ]
    for (attributes, status) in cases {
      expectFailure(status, "\(attributes)") { SecKeyCreateWithData(bytes, attributes as CFDictionary, $0) }
      #expect(SecKeyCreateWithData(bytes, attributes as CFDictionary, nil) == nil)
    }
  }

  @Test("SecKeyGeneratePair makes both halves, or neither")
  func pair() throws {
    var (open, secret): (SecKey?, SecKey?)
    #expect(OlderKeys.calls.generatePair(Keys.Kind.curve(256).parameters, &open, &secret) == errSecSuccess)
    #expect(try SecKeyCopyPublicKey(#require(secret)) == open)
    #expect(OlderKeys.calls.generatePair(Keys.Kind.curve(256).parameters, nil, nil) == errSecSuccess)
    let (oldOpen, oldSecret) = (open, secret)
    #expect(OlderKeys.calls.generatePair(Keys.Kind.curve(255).parameters, &open, &secret) == errSecParam)
    #expect(open === oldOpen && secret === oldSecret)
  }
}
