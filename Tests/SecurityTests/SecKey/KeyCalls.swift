import Foundation
import Security
import Testing

/// A call's result, and the error that it has set.
func attempt<Result>(
  _ call: (UnsafeMutablePointer<Unmanaged<CFError>?>) -> Result?
) -> (result: Result?, error: NSError?) {
  var error: Unmanaged<CFError>?
  let result = call(&error)
  return (result, error?.takeRetainedValue())
}

/// The result of a call that must succeed.
func succeed<Result>(
  _ call: (UnsafeMutablePointer<Unmanaged<CFError>?>) throws -> Result?, _ location: SourceLocation = #_sourceLocation
) throws -> Result {
  var place: Unmanaged<CFError>?
  let result = try call(&place)
  let error = place?.takeRetainedValue()
  #expect(error == nil, sourceLocation: location)
  return try #require(result, sourceLocation: location)
}

/// Expects a call to fail with this status, with a text, and with nothing else.
func expectFailure<Result>(
  _ status: OSStatus, _ comment: Comment? = nil, _ location: SourceLocation = #_sourceLocation,
  _ call: (UnsafeMutablePointer<Unmanaged<CFError>?>) -> Result?
) {
  let (result, error) = attempt(call)
  #expect(result == nil, comment, sourceLocation: location)
  #expect(error?.domain == NSOSStatusErrorDomain, comment, sourceLocation: location)
  #expect(error?.code == Int(status), comment ?? Comment(rawValue: "\(error as Any)"), sourceLocation: location)
  #expect(error?.localizedDescription.isEmpty == false, comment, sourceLocation: location)
}

/// Keys for tests.
enum Keys {
  /// The kinds of keys.
  enum Kind: Hashable, Sendable, CustomTestStringConvertible {
    case curve(Int)
    case rsa(Int)

    var testDescription: String { "\(self)" }

    /// Parameters of a new pair.
    var parameters: Item {
      switch self {
      case .curve(let bits): [kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: bits]
      case .rsa(let bits): [kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: bits]
      }
    }
  }

  static let kinds: [Kind] = [.curve(256), .curve(384), .curve(521), .rsa(2048)]
  static let operations: [SecKeyOperationType] = [.sign, .verify, .encrypt, .decrypt, .keyExchange]

  /// A new private key, not stored; the one RSA key of 2048 bits is made once.
  static func made(_ kind: Kind, _ more: Item = [:]) throws -> SecKey {
    if kind == .rsa(2048), more.isEmpty { return try #require(rsa) }
    return try succeed { SecKeyCreateRandomKey(kind.parameters.merging(more) { $1 } as CFDictionary, $0) }
  }

  private static let rsa = SecKeyCreateRandomKey(Kind.rsa(2048).parameters as CFDictionary, nil)

  /// The public half.
  static func publicHalf(_ key: SecKey) throws -> SecKey { try #require(SecKeyCopyPublicKey(key)) }

  /// The bytes.
  static func bytes(_ key: SecKey) throws -> Data { try succeed { SecKeyCopyExternalRepresentation(key, $0) } as Data }

  /// A key of bytes.
  static func read(_ data: Data, _ keyClass: CFString, type: CFString = kSecAttrKeyTypeEC, _ more: Item = [:]) throws
    -> SecKey
  {
    let attributes: Item = [kSecAttrKeyClass: keyClass, kSecAttrKeyType: type]
    return try succeed {
      SecKeyCreateWithData(data as CFData, attributes.merging(more) { $1 } as CFDictionary, $0)
    }
  }

  static func signature(
    _ data: Data, by key: SecKey, _ algorithm: SecKeyAlgorithm = .ecdsaSignatureMessageX962SHA256
  ) throws -> Data {
    try succeed { SecKeyCreateSignature(key, algorithm, data as CFData, $0) } as Data
  }

  static func isValid(
    _ signature: Data, of data: Data, by key: SecKey, _ algorithm: SecKeyAlgorithm = .ecdsaSignatureMessageX962SHA256
  ) -> Bool {
    SecKeyVerifySignature(key, algorithm, data as CFData, signature as CFData, nil)
  }

  /// Attributes of a key, as `SecKeyCopyAttributes` has them.
  static func attributes(_ key: SecKey) -> [String: Any] {
    SecKeyCopyAttributes(key) as? [String: Any] ?? [:]
  }
}

/// The older calls. They are deprecated, as Apple's are: through this protocol tests call them without a warning.
protocol OlderKeyCalls: Sendable {
  func generatePair(
    _ parameters: Item, _ publicKey: UnsafeMutablePointer<SecKey?>?, _ privateKey: UnsafeMutablePointer<SecKey?>?
  ) -> OSStatus
  func sign(_ key: SecKey, _ padding: SecPadding, _ digest: [UInt8], room: Int) -> (OSStatus, [UInt8])
  func verify(_ key: SecKey, _ padding: SecPadding, _ digest: [UInt8], _ signature: [UInt8]) -> OSStatus
  func encrypt(_ key: SecKey, _ padding: SecPadding, _ text: [UInt8], room: Int) -> (OSStatus, [UInt8])
  func decrypt(_ key: SecKey, _ padding: SecPadding, _ text: [UInt8], room: Int) -> (OSStatus, [UInt8])
}

struct OlderKeys: OlderKeyCalls {
  /// The calls, as their protocol.
  static let calls: any OlderKeyCalls = OlderKeys()

  @available(*, deprecated)
  func generatePair(
    _ parameters: Item, _ publicKey: UnsafeMutablePointer<SecKey?>?, _ privateKey: UnsafeMutablePointer<SecKey?>?
  ) -> OSStatus { SecKeyGeneratePair(parameters as CFDictionary, publicKey, privateKey) }

  @available(*, deprecated)
  func sign(_ key: SecKey, _ padding: SecPadding, _ digest: [UInt8], room: Int) -> (OSStatus, [UInt8]) {
    filled(room) { SecKeyRawSign(key, padding, digest, digest.count, $0, &$1) }
  }

  @available(*, deprecated)
  func verify(_ key: SecKey, _ padding: SecPadding, _ digest: [UInt8], _ signature: [UInt8]) -> OSStatus {
    SecKeyRawVerify(key, padding, digest, digest.count, signature, signature.count)
  }

  @available(*, deprecated)
  func encrypt(_ key: SecKey, _ padding: SecPadding, _ text: [UInt8], room: Int) -> (OSStatus, [UInt8]) {
    filled(room) { SecKeyEncrypt(key, padding, text, text.count, $0, &$1) }
  }

  @available(*, deprecated)
  func decrypt(_ key: SecKey, _ padding: SecPadding, _ text: [UInt8], room: Int) -> (OSStatus, [UInt8]) {
    filled(room) { SecKeyDecrypt(key, padding, text, text.count, $0, &$1) }
  }

  /// Calls with a buffer of so many bytes, and 8 bytes behind it that must stay.
  private func filled(
    _ room: Int, _ call: (UnsafeMutablePointer<UInt8>, inout Int) -> OSStatus
  ) -> (OSStatus, [UInt8]) {
    var buffer = [UInt8](repeating: 0xA5, count: room + 8)
    var length = room
    let status = buffer.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.map { call($0, &length) } ?? errSecParam
    }
    #expect(buffer[room...].allSatisfy { $0 == 0xA5 })
    if status != errSecSuccess { #expect(buffer.allSatisfy { $0 == 0xA5 } && length == room) }
    return (status, Array(buffer[..<length]))
  }
}
