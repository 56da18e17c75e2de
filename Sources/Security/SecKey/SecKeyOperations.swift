internal import Foundation
internal import LatchkeyEnclaveKeys
internal import LatchkeyKeychainModel

/// The operations of all kinds of keys, with a common check.
extension SecKey {
  /// Checks that the key supports `operation` with `algorithm`, and that its usage allows it.
  ///
  /// - Throws: `errSecParam` if it is not supported, `errSecKeyUsageIncorrect` if it is not allowed.
  func check(_ algorithm: SecKeyAlgorithm, for operation: KeyOperation) throws(KeyFault) -> KeyAlgorithm {
    guard let parts = algorithm.parts, supports(parts, for: operation) else {
      throw KeyFault(
        errSecParam,
        "\(algorithm.rawValue): this key cannot \(operation.name) by it (\(self)); ask SecKeyIsAlgorithmSupported first"
      )
    }
    guard usage.contains(.needed(for: operation)) else {
      throw KeyFault(
        errSecKeyUsageIncorrect,
        "the key may not \(operation.name), as its \(operation.attributeName) says (\(self)): take another key")
    }
    return parts
  }

  /// Whether the key supports `operation` with `algorithm`, and its usage allows it.
  func allows(_ operation: SecKeyOperationType, by algorithm: SecKeyAlgorithm) -> Bool {
    guard let parts = algorithm.parts, let operation = KeyOperation(rawValue: operation.rawValue) else { return false }
    return supports(parts, for: operation) && usage.contains(.needed(for: operation))
  }

  func sign(_ input: [UInt8], by algorithm: SecKeyAlgorithm) throws(KeyFault) -> [UInt8] {
    let parts = try check(algorithm, for: .sign)
    switch kind {
    case .enclave(let key):
      return try inEnclave { () throws(EnclaveOperations.Fault) in
        try EnclaveOperations.sign(input, by: parts, with: key)
      }
    case .private(let key): return try inKey { () throws(KeyError) in try key.sign(input, by: parts) }
    case .public: throw .notPrivate
    }
  }

  func verify(
    _ signature: [UInt8], of input: [UInt8], by algorithm: SecKeyAlgorithm
  ) throws(KeyFault) {
    let parts = try check(algorithm, for: .verify)
    guard case .public(let key) = kind else { throw .notPublic }
    guard try inKey({ () throws(KeyError) in try key.isValid(signature, of: input, by: parts) }) else {
      throw KeyFault(
        errSecVerifyFailed, "the signature is not this key's over these bytes: check key, algorithm and input")
    }
  }

  func encrypt(_ text: [UInt8], by algorithm: SecKeyAlgorithm) throws(KeyFault) -> [UInt8] {
    let parts = try check(algorithm, for: .encrypt)
    guard case .public(let key) = kind else { throw .notPublic }
    return try inKey { () throws(KeyError) in try key.encrypt(text, by: parts) }
  }

  func decrypt(_ ciphertext: [UInt8], by algorithm: SecKeyAlgorithm) throws(KeyFault) -> [UInt8] {
    let parts = try check(algorithm, for: .decrypt)
    switch kind {
    case .enclave(let key):
      let publicKey = try key.publicKey()
      return try inEnclave { () throws(EnclaveOperations.Fault) in
        try EnclaveOperations.decrypt(ciphertext, by: parts, publicKey: publicKey, with: key)
      }
    case .private(let key): return try inKey { () throws(KeyError) in try key.decrypt(ciphertext, by: parts) }
    case .public: throw .notPrivate
    }
  }

  func exchange(
    with other: SecKey, by algorithm: SecKeyAlgorithm, parameters: KeyExchangeParameters
  ) throws(KeyFault) -> [UInt8] {
    let parts = try check(algorithm, for: .exchange)
    let peer = try other.publicHalf()
    guard peer.type == type else {
      throw KeyFault(errSecParam, "the two keys are not on the same curve: \(self) and \(other)")
    }
    let (size, sharedInfo) = try parameters.values(for: parts)
    switch kind {
    case .enclave(let key):
      return try inEnclave { () throws(EnclaveOperations.Fault) in
        try EnclaveOperations.exchange(with: peer, by: parts, size: size, sharedInfo: sharedInfo, with: key)
      }
    case .private(let key):
      return try inKey { () throws(KeyError) in
        try key.exchange(with: peer, by: parts, size: size, sharedInfo: sharedInfo)
      }
    case .public: throw .notPrivate
    }
  }

  /// The public half, or the key itself if it is public.
  func publicHalf() throws(KeyFault) -> PublicKey {
    switch kind {
    case .public(let key): key
    case .private(let key): key.publicKey
    case .enclave(let key): try key.publicKey()
    }
  }
}

extension KeyFault {
  fileprivate static var notPrivate: KeyFault {
    KeyFault(errSecParam, "this wants a private key, and the key is public")
  }
  fileprivate static var notPublic: KeyFault {
    KeyFault(errSecParam, "this wants a public key, and the key is private: take SecKeyCopyPublicKey's")
  }
}

extension KeyOperation {
  /// The name in error texts.
  fileprivate var name: String {
    switch self {
    case .sign: "sign"
    case .verify: "verify"
    case .encrypt: "encrypt"
    case .decrypt: "decrypt"
    case .exchange: "agree"
    }
  }

  /// The attribute that allows the operation.
  fileprivate var attributeName: String {
    switch self {
    case .sign: "kSecAttrCanSign"
    case .verify: "kSecAttrCanVerify"
    case .encrypt: "kSecAttrCanEncrypt"
    case .decrypt: "kSecAttrCanDecrypt"
    case .exchange: "kSecAttrCanDerive"
    }
  }
}

extension [UInt8] {
  /// Copies the bytes of `data` directly, without an intermediate `Data`.
  init(_ data: NSData) {
    self.init(unsafeUninitializedCapacity: data.length) { buffer, count in
      if let start = buffer.baseAddress { data.getBytes(start, length: buffer.count) }
      count = buffer.count
    }
  }

  /// The bytes as an object.
  var object: NSData { NSData(bytes: self, length: count) }
}

/// An operation of a key (Apple, SecKey.h, `SecKeyOperationType`).
public enum SecKeyOperationType: CFIndex, Sendable {
  /// ``SecKeyCreateSignature(_:_:_:_:)``.
  case sign = 0
  /// ``SecKeyVerifySignature(_:_:_:_:_:)``.
  case verify = 1
  /// ``SecKeyCreateEncryptedData(_:_:_:_:)``.
  case encrypt = 2
  /// ``SecKeyCreateDecryptedData(_:_:_:_:)``.
  case decrypt = 3
  /// ``SecKeyCopyKeyExchangeResult(_:_:_:_:_:)``.
  case keyExchange = 4
}
