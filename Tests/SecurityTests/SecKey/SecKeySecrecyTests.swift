import Foundation
import LatchkeySwiftTesting
import Security
import Testing

/// No way out of the enclave: whatever the calls hand out is searched for the private scalar, at every place and in hexadecimal.
@Suite("A private key never leaves the enclave")
struct SecKeySecrecyTests {
  /// Whether `data` has the scalar of `key` anywhere: 32 bytes that make a private key of this public one.
  private func hasScalar(_ data: Data, of key: SecKey) throws -> Bool {
    let half = try Keys.bytes(Keys.publicHalf(key))
    let attributes: Item = [kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeyClass: kSecAttrKeyClassPrivate]
    let bytes = [UInt8](data)
    guard bytes.count >= 32 else { return false }
    var tried: Set<ArraySlice<UInt8>> = []
    for start in 0...(bytes.count - 32) {
      let window = bytes[start..<start + 32]
      guard tried.insert(window).inserted else { continue }
      for scalar in [Data(window), Data(window.reversed())]
      where SecKeyCreateWithData((half + scalar) as CFData, attributes as CFDictionary, nil) != nil {
        return true
      }
    }
    return false
  }

  /// The bytes that a text writes in hexadecimal, as far as it does.
  private func digits(in text: String) -> Data {
    let nibbles = text.compactMap { $0.isASCII ? $0.hexDigitValue.map(UInt8.init) : nil }
    return Data(stride(from: 0, to: nibbles.count - 1, by: 2).map { nibbles[$0] << 4 | nibbles[$0 + 1] })
  }

  /// All bytes and texts in an object, however deep.
  private func parts(_ object: Any) -> [Data] {
    switch object {
    case let data as Data: return [data]
    case let text as String: return [Data(text.utf8), digits(in: text), Data(base64Encoded: text) ?? Data()]
    case let list as [Any]: return list.flatMap(parts)
    case let dictionary as [AnyHashable: Any]: return dictionary.flatMap { parts($0.value) }
    default: return parts(String(describing: object)) + parts(String(reflecting: object))
    }
  }

  private func dumped(_ value: Any) -> String {
    var text = ""
    dump(value, to: &text)
    return text
  }

  /// Everything that the calls say of a key.
  private func everything(of key: SecKey) -> [Any] {
    var said: [Any] = [
      "\(key)", key.description, String(describing: key), String(reflecting: key), dumped(key), dumped([key]),
      dumped(Optional(key) as Any), CFCopyDescription(key) as String? ?? "", SecKeyCopyAttributes(key) ?? [:],
      Mirror(reflecting: key).children.map { "\($0)" },
    ]
    let (bytes, exportError) = attempt { SecKeyCopyExternalRepresentation(key, $0) }
    said.append(bytes as Any)
    var errors = [exportError]
    for algorithm in [SecKeyAlgorithm.rsaSignatureRaw, .ecdsaSignatureDigestX962SHA256] {
      errors.append(attempt { SecKeyCreateSignature(key, algorithm, Data([1]) as CFData, $0) }.error)
      errors.append(attempt { SecKeyCreateDecryptedData(key, algorithm, Data([1]) as CFData, $0) }.error)
      errors.append(attempt { SecKeyCopyKeyExchangeResult(key, algorithm, key, [:], $0) }.error)
    }
    for error in errors.compactMap({ $0 }) {
      said += [error.localizedDescription, "\(error)", "\(error.userInfo)", dumped(error)]
    }
    return said
  }

  @Test("the search finds a scalar where there is one")
  func control() throws {
    let key = try Keys.made(.curve(256))
    let bytes = try Keys.bytes(key)
    #expect(try hasScalar(Data([1, 2, 3]) + bytes + Data([4]), of: key))
    #expect(try hasScalar(digits(in: bytes.map { String(format: "%02x", $0) }.joined()), of: key))
    #expect(try !hasScalar(bytes.dropLast(), of: key))
    #expect(try !hasScalar(bytes, of: Keys.made(.curve(256))))
  }

  @Test("no export, attribute, description, dump, mirror or error text has the scalar", .temporaryKeychain)
  func enclave() throws {
    let made = try EnclaveKeys.made(.privateKeyUsage)
    let found = try #require(EnclaveKeys.found())
    for key in [made, found] {
      for part in everything(of: key).flatMap(parts) { #expect(try !hasScalar(part, of: key)) }
    }
    #expect(SecKeyCopyExternalRepresentation(made, nil) == nil)
  }

  @Test("no result of a search or an add has the scalar, or the representation", .temporaryKeychain)
  func items() throws {
    let key = try EnclaveKeys.made(.privateKeyUsage)
    let other = try EnclaveKeys.made(.privateKeyUsage, isPermanent: false)
    let all: Item = [
      kSecReturnData: true, kSecReturnAttributes: true, kSecReturnRef: true, kSecReturnPersistentRef: true,
    ]
    for name in all.keys {
      for answer in [
        find(EnclaveKeys.query, returning: [name: true]),
        find(EnclaveKeys.query, returning: [name: true, kSecMatchLimit: kSecMatchLimitAll]),
        find([kSecValueRef: key], returning: [name: true]),
      ] {
        #expect(answer.status == errSecSuccess)
        for part in parts(answer.object as Any) {
          #expect(try !hasScalar(part, of: key))
          #expect(part.range(of: Data("EN1".utf8)) == nil)
        }
      }
    }
    let found = try #require(find(EnclaveKeys.query, returning: all).dictionary)
    #expect(found["v_Data"] == nil && found["v_Ref"] as? SecKey == key)
    #expect(secret(EnclaveKeys.query) == Data(), "a key that never leaves has no data")
    let added = add([kSecValueRef: other], returning: all)
    #expect(added.status == errSecSuccess && added.dictionary?["v_Data"] == nil)
    for part in parts(added.object as Any) { #expect(try !hasScalar(part, of: other)) }
  }

  @Test(
    "a key in the open is shown by its own call alone: not by descriptions, attributes or dumps", .temporaryKeychain)
  func open() throws {
    let key = try Keys.made(.curve(256))
    var said = everything(of: key)
    let bytes = try Keys.bytes(key)
    said.removeAll { ($0 as? Data) == bytes }
    for part in said.flatMap(parts) { #expect(try !hasScalar(part, of: key)) }
    #expect(Keys.attributes(key)["v_Data"] == nil)
    let identity: Any = IdentityFixture.evesKey
    #expect(!dumped(identity).contains("publicKey"))
  }
}
