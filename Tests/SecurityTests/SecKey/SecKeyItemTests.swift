import Foundation
import LatchkeySwiftTesting
import Security
import Testing

/// Keys in the open as items: by reference, by their bytes, and when a pair is made.
@Suite("Keys as items", .temporaryKeychain)
struct SecKeyItemTests {
  private let keys: Item = [kSecClass: kSecClassKey]

  private func reference(_ query: Item) -> SecKey? { find(query, returning: [kSecReturnRef: true]).object as? SecKey }

  @Test("a key added by reference has its type, size, class and label, and is found again", arguments: Keys.kinds)
  func byReference(kind: Keys.Kind) throws {
    let key = try Keys.made(kind)
    let half = try Keys.publicHalf(key)
    let open = try Keys.bytes(half)
    let added = add([kSecValueRef: half], returning: [kSecReturnData: true])
    #expect(added.status == errSecSuccess && added.data == open, "a public key's data is its bytes")
    #expect(add([kSecValueRef: key, kSecReturnRef: true]).object as? SecKey == key)
    for (one, keyClass) in [(key, kSecAttrKeyClassPrivate), (half, kSecAttrKeyClassPublic)] {
      let query = keys.merging([kSecAttrKeyClass: keyClass]) { $1 }
      let found = try #require(attributes(query))
      let own = Keys.attributes(one)
      #expect(found["bsiz"] as? Int == own["bsiz"] as? Int && found["bsiz"] as? Int != nil)
      #expect(found["esiz"] as? Int == found["bsiz"] as? Int)
      #expect((found["type"] as? Int).map(String.init) == own["type"] as? String)
      #expect(found["klbl"] as? Data == own["klbl"] as? Data && (found["klbl"] as? Data)?.count == 20)
      #expect(found["priv"] as? Bool == (one == key))
      #expect(reference(query) == one)
      #expect(secret(query) == (try Keys.bytes(one)))
      #expect(reference([kSecValueRef: one]) == one)
      #expect(
        reference([kSecClass: kSecClassKey, kSecAttrApplicationLabel: own["klbl"]!, kSecAttrKeyClass: keyClass]) == one)
    }
    #expect(count(keys) == 2)
  }

  @Test("a key stored without a class is a public one", arguments: [Keys.Kind.rsa(2048), .curve(256)])
  func withoutClass(kind: Keys.Kind) throws {
    let half = try Keys.publicHalf(try Keys.made(kind))
    let type = kind == .rsa(2048) ? kSecAttrKeyTypeRSA : kSecAttrKeyTypeECSECPrimeRandom
    let tag = Data("peer".utf8)
    let item: Item = [
      kSecClass: kSecClassKey, kSecAttrKeyType: type, kSecAttrApplicationTag: tag, kSecValueData: try Keys.bytes(half),
    ]
    #expect(add(item, returning: [kSecReturnRef: true]).object as? SecKey == half)
    let query: Item = [kSecClass: kSecClassKey, kSecAttrApplicationTag: tag]
    for query in [query, query.merging([kSecAttrKeyClass: kSecAttrKeyClassPublic]) { $1 }] {
      #expect(reference(query) == half)
      #expect(attributes(query)?["kcls"] as? Int == 0)
    }
    #expect(reference(query.merging([kSecAttrKeyClass: kSecAttrKeyClassPrivate]) { $1 }) == nil)
    // Data that is no public key stays none.
    #expect(delete(query) == errSecSuccess)
    let broken = item.merging([kSecValueData: Data("no key".utf8)]) { $1 }
    #expect(add(broken).status == errSecSuccess)
    #expect(find(query, returning: [kSecReturnRef: true]).status == errSecDecode)
  }

  @Test("the label of a key is the SHA-1 of its public half, as OpenSSL counts it")
  func label() throws {
    let half = try Keys.publicHalf(IdentityFixture.evesKey)
    let certificate = try #require(SecCertificateCopyKey(IdentityFixture.eve))
    #expect(half == certificate)
    #expect(add([kSecValueRef: IdentityFixture.eve]).status == errSecSuccess)
    let hash = attributes([kSecClass: kSecClassCertificate])?["pkhh"] as? Data
    #expect(Keys.attributes(half)["klbl"] as? Data == hash)
    #expect(Keys.attributes(IdentityFixture.evesKey)["klbl"] as? Data == hash)
  }

  @Test("the same key again is a duplicate; another tag makes it another item")
  func duplicates() throws {
    let key = try Keys.made(.curve(256))
    #expect(add([kSecValueRef: key]).status == errSecSuccess)
    let again = add([kSecValueRef: key], returning: [kSecReturnRef: true])
    #expect(again.status == errSecDuplicateItem && again.object == nil)
    #expect(add([kSecValueRef: key, kSecAttrApplicationTag: Data([1])]).status == errSecSuccess)
    #expect(add([kSecValueRef: try Keys.publicHalf(key)]).status == errSecSuccess)
    #expect(count(keys) == 3 && count([kSecValueRef: key]) == 2)
  }

  @Test("the caller's own attributes come before the key's, but not those that say what it is")
  func ownAttributes() throws {
    let half = try Keys.publicHalf(Keys.made(.curve(256)))
    let own: Item = [kSecAttrLabel: "mine", kSecAttrApplicationLabel: Data([1, 2]), kSecAttrEffectiveKeySize: 128]
    #expect(add([kSecValueRef: half].merging(own) { $1 }).status == errSecSuccess)
    let found = try #require(attributes(keys))
    #expect(
      found["labl"] as? String == "mine" && found["klbl"] as? Data == Data([1, 2]) && found["esiz"] as? Int == 128)
    let odd: [Item] = [
      [kSecAttrKeyClass: kSecAttrKeyClassPrivate], [kSecAttrKeyType: kSecAttrKeyTypeRSA],
      [kSecAttrKeySizeInBits: 384], [kSecValueData: Data([1])], [kSecAttrTokenID: kSecAttrTokenIDSecureEnclave],
      [kSecClass: kSecClassCertificate], [kSecClass: kSecClassGenericPassword],
    ]
    for more in odd {
      #expect(add([kSecValueRef: half].merging(more) { $1 }).status == errSecParam, "\(more)")
    }
    #expect(count(keys) == 1)
  }

  @Test("an item is updated and deleted by its key, and no other is")
  func updateAndDelete() throws {
    let (a, b) = (try Keys.made(.curve(256)), try Keys.made(.curve(256)))
    for key in [a, b] { #expect(add([kSecValueRef: key]).status == errSecSuccess) }
    #expect(update([kSecValueRef: a], [kSecAttrLabel: "a"]) == errSecSuccess)
    #expect(count(keys.merging([kSecAttrLabel: "a"]) { $1 }) == 1)
    #expect(find([kSecValueRef: try Keys.publicHalf(a)]).status == errSecItemNotFound)
    #expect(delete([kSecValueRef: try Keys.publicHalf(a)]) == errSecItemNotFound)
    #expect(delete([kSecValueRef: a]) == errSecSuccess)
    #expect(delete([kSecValueRef: a]) == errSecItemNotFound)
    #expect(update([kSecValueRef: a], [kSecAttrLabel: "a"]) == errSecItemNotFound)
    #expect(reference(keys) == b)
  }

  @Test("objects that are none of ours are refused as references")
  func foreignReferences() {
    for odd in [NSObject() as Any, "key", Data([1]), NSNull(), 7] {
      #expect(add([kSecClass: kSecClassKey, kSecValueRef: odd]).status == errSecParam)
      #expect(find([kSecValueRef: odd]).status == errSecParam)
      #expect(delete([kSecClass: kSecClassKey, kSecValueRef: odd]) == errSecParam)
    }
  }

  @Test("a key added by its bytes is found as a reference, if the attributes say what it is")
  func byData() throws {
    let key = try Keys.made(.curve(384))
    let item: Item = [
      kSecClass: kSecClassKey, kSecAttrApplicationTag: Data("tag".utf8), kSecValueData: try Keys.bytes(key),
      kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeyClass: kSecAttrKeyClassPrivate,
    ]
    #expect(add(item, returning: [kSecReturnRef: true]).object as? SecKey == key)
    #expect(reference([kSecClass: kSecClassKey, kSecAttrApplicationTag: Data("tag".utf8)]) == key)
  }

  @Test("data that is no key has no reference: nothing is added where one is asked for")
  func unreadable() throws {
    let bytes = try Keys.bytes(Keys.made(.curve(256)))
    let kind: Item = [kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeyClass: kSecAttrKeyClassPrivate]
    let cases: [(Item, OSStatus)] = [
      (kind, errSecDecode), (kind.merging([kSecValueData: letter]) { $1 }, errSecDecode),
      (kind.merging([kSecValueData: bytes, kSecAttrKeyClass: kSecAttrKeyClassPublic]) { $1 }, errSecDecode),
      (kind.merging([kSecValueData: bytes, kSecAttrKeyType: kSecAttrKeyTypeRSA]) { $1 }, errSecDecode),
      (kind.merging([kSecValueData: bytes, kSecAttrKeyType: kSecAttrKeyTypeAES]) { $1 }, errSecDecode),
      ([kSecValueData: bytes], errSecDecode),
      ([kSecValueData: bytes, kSecAttrKeyClass: kSecAttrKeyClassSymmetric], errSecUnimplemented),
    ]
    for (more, status) in cases {
      let item = keys.merging(more) { $1 }
      let answer = add(item, returning: [kSecReturnRef: true])
      #expect(answer.status == status && answer.object == nil, "\(more)")
      #expect(count(keys) == 0)
      #expect(add(item).status == errSecSuccess)
      let found = find(keys, returning: [kSecReturnRef: true, kSecMatchLimit: kSecMatchLimitAll])
      #expect(found.status == status && found.object == nil)
      #expect(delete(keys) == errSecSuccess)
    }
  }

  @Test("a symmetric key is an item by its data")
  func symmetric() throws {
    let item: Item = [
      kSecClass: kSecClassKey, kSecAttrKeyClass: kSecAttrKeyClassSymmetric, kSecAttrKeyType: kSecAttrKeyTypeAES,
      kSecAttrKeySizeInBits: 256, kSecAttrApplicationLabel: "sym", kSecValueData: Data(0..<32),
    ]
    #expect(add(item).status == errSecSuccess)
    #expect(add(item).status == errSecDuplicateItem)
    #expect(secret([kSecClass: kSecClassKey, kSecAttrApplicationLabel: "sym"]) == Data(0..<32))
    #expect(attributes(keys)?["kcls"] as? Int == 2)
  }

  @Test("a pair is stored as its parameters say: one half, the other, both or none")
  func permanent() throws {
    let kind = Keys.Kind.curve(256)
    let yes: Item = [kSecAttrIsPermanent: true]
    let no: Item = [kSecAttrIsPermanent: false]
    let cases: [(Item, [Int])] = [
      ([:], []), (yes, [0, 1]), (no, []), ([kSecPrivateKeyAttrs: yes], [1]), ([kSecPublicKeyAttrs: yes], [0]),
      ([kSecAttrIsPermanent: true, kSecPublicKeyAttrs: no], [1]),
      ([kSecAttrIsPermanent: false, kSecPublicKeyAttrs: yes, kSecPrivateKeyAttrs: yes], [0, 1]),
    ]
    for (more, stored) in cases {
      let key = try Keys.made(kind, more)
      let all: Item = [kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true]
      let classes = find(keys, returning: all).dictionaries?.compactMap { $0["kcls"] as? Int } ?? []
      #expect(Set(classes) == Set(stored) && classes.count == stored.count, "\(more)")
      if stored.contains(1) { #expect(reference([kSecValueRef: key]) == key) }
      if !stored.isEmpty { #expect(delete(keys) == errSecSuccess) }
    }
  }

  @Test("Each half has its own label and tag, and the attributes that are given for both otherwise")
  func halves() throws {
    let (a, b) = (Data("a".utf8), Data("b".utf8))
    let parameters: Item = [
      kSecAttrLabel: "both", kSecAttrIsPermanent: true,
      kSecPrivateKeyAttrs: [kSecAttrApplicationTag: a, kSecAttrLabel: "mine"] as Item,
      kSecPublicKeyAttrs: [kSecAttrApplicationTag: b, kSecAttrAccessible: kSecAttrAccessibleAlways] as Item,
    ]
    let key = try Keys.made(.curve(256), parameters)
    let mine = try #require(attributes(keys.merging([kSecAttrApplicationTag: a]) { $1 }))
    let theirs = try #require(attributes(keys.merging([kSecAttrApplicationTag: b]) { $1 }))
    #expect(mine["labl"] as? String == "mine" && theirs["labl"] as? String == "both")
    #expect(mine["kcls"] as? Int == 1 && theirs["kcls"] as? Int == 0)
    #expect(mine["pdmn"] as? String == "ak" && theirs["pdmn"] as? String == "dk")
    #expect(mine["klbl"] as? Data == theirs["klbl"] as? Data)
    #expect(reference(keys.merging([kSecAttrApplicationTag: a]) { $1 }) == key)
  }

  @Test("where one half cannot be stored, neither is")
  func atomic() throws {
    let parameters: Item = [
      kSecPublicKeyAttrs: [kSecAttrIsPermanent: true] as Item,
      kSecPrivateKeyAttrs: [
        kSecAttrIsPermanent: true, kSecAttrAccessible: kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly,
      ] as Item,
    ]
    let all = Keys.Kind.curve(256).parameters.merging(parameters) { $1 }
    expectFailure(errSecAuthFailed) { SecKeyCreateRandomKey(all as CFDictionary, $0) }
    #expect(count(keys) == 0)
    var (open, secret): (SecKey?, SecKey?)
    #expect(OlderKeys.calls.generatePair(all, &open, &secret) == errSecAuthFailed)
    #expect(open == nil && secret == nil && count(keys) == 0)
  }

  @Test(
    "a foreign access group and a locked keychain refuse a stored pair", .temporaryKeychain(passcode: "correct horse"))
  func refusedStore() throws {
    let foreign = Keys.Kind.curve(256).parameters.merging([
      kSecAttrIsPermanent: true, kSecAttrAccessGroup: "another",
    ]) { $1 }
    expectFailure(errSecMissingEntitlement) { SecKeyCreateRandomKey(foreign as CFDictionary, $0) }
    let key = try Keys.made(.curve(256))
    #expect(add([kSecValueRef: key]).status == errSecSuccess)
    Keychain.lock()
    let permanent = Keys.Kind.curve(256).parameters.merging([kSecAttrIsPermanent: true]) { $1 }
    expectFailure(errSecInteractionNotAllowed) { SecKeyCreateRandomKey(permanent as CFDictionary, $0) }
    #expect(find([kSecValueRef: key], returning: [kSecReturnRef: true]).status == errSecInteractionNotAllowed)
    _ = try Keys.signature(letter, by: key)
    try Keychain.unlock()
    #expect(reference([kSecValueRef: key]) == key)
  }
}
