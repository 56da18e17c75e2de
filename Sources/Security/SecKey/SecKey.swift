internal import Foundation
internal import LatchkeyEnclaveKeys
internal import LatchkeyKeychainModel

/// A public or a private key (Apple, SecKey.h). A private key's secret is in this process's memory, or in the enclave and
/// nowhere else.
///
/// Two objects are equal if they are the same key: public keys with equal bytes, private keys of the same pair outside of
/// the enclave, or the same key of the enclave.
public final class SecKey: Hashable, Sendable {
  /// The kind of key, with its value.
  enum Kind: Sendable {
    case `public`(PublicKey)
    case `private`(PrivateKey)
    case enclave(EnclaveKeyHandle)
  }
  let kind: Kind
  /// The allowed operations.
  let usage: KeyUsage

  /// Creates a key. `attributes` overrides the default usage of its class.
  init(_ kind: Kind, attributes: [ItemAttribute: AttributeValue] = [:]) {
    self.kind = kind
    let usage =
      switch kind {
      case .public: KeyUsage.ofPublicKeys
      case .private, .enclave: KeyUsage.ofPrivateKeys
      }
    self.usage = usage.changed(by: attributes)
  }

  /// Whether both are the same key.
  public static func == (a: SecKey, b: SecKey) -> Bool {
    switch (a.kind, b.kind) {
    case (.public(let a), .public(let b)): a == b
    case (.private(let a), .private(let b)): a.publicKey == b.publicKey
    case (.enclave(let a), .enclave(let b)): a.key.id == b.key.id && a.key.publicKey == b.key.publicKey
    default: false
    }
  }

  /// Hashes the public half.
  public func hash(into hasher: inout Hasher) { hasher.combine(publicBytes) }

  /// The public half's external representation.
  var publicBytes: [UInt8] {
    switch kind {
    case .public(let key): key.externalRepresentation
    case .private(let key): key.publicKey.externalRepresentation
    case .enclave(let key): key.key.publicKey
    }
  }

  /// The family and the size.
  var type: KeyType {
    switch kind {
    case .public(let key): key.type
    case .private(let key): key.type
    case .enclave: .ellipticCurve(.p256)
    }
  }

  /// Whether the key supports `operation` with `algorithm`, regardless of its usage.
  func supports(_ algorithm: KeyAlgorithm, for operation: KeyOperation) -> Bool {
    switch kind {
    case .public(let key): key.supports(algorithm, for: operation)
    case .private(let key): key.supports(algorithm, for: operation)
    case .enclave: EnclaveOperations.supports(algorithm, for: operation)
    }
  }
}

extension SecKey: CustomStringConvertible, CustomReflectable {
  /// The family, the class or backend, the size, and the first bytes of the application label, without a secret.
  public var description: String {
    let place =
      switch kind {
      case .public: "public"
      case .private: "private"
      case .enclave(let key): "private ('\(kSecAttrTokenIDSecureEnclave as String)', \(key.key.backend.rawValue))"
      }
    let label = applicationLabel.prefix(4).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    return "<SecKeyRef: \(type.name) \(place), \(type.bits) bits, \(label)…>"
  }

  /// An empty mirror, so that `dump` shows only the description.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension KeyType {
  /// The size in bits.
  var bits: Int {
    switch self {
    case .ellipticCurve(let curve): curve.rawValue
    case .rsa(let bits): bits
    }
  }

  /// The name in descriptions.
  var name: String {
    switch self {
    case .ellipticCurve: "EC"
    case .rsa: "RSA"
    }
  }

  /// The number of the `kSecAttrKeyType`.
  var number: Int64 {
    switch self {
    case .ellipticCurve: KeyFamily.ellipticCurve.number
    case .rsa: KeyFamily.rsa.number
    }
  }
}

extension KeyFamily {
  /// The number of the `kSecAttrKeyType`.
  var number: Int64 {
    switch self {
    case .ellipticCurve: 73
    case .rsa: 42
    }
  }

  /// The family with this number; nil if it is not supported.
  init?(number: Int64) {
    switch number {
    case 73: self = .ellipticCurve
    case 42: self = .rsa
    default: return nil
    }
  }
}

/// The identifier of keys, which ``CFGetTypeID(_:)`` returns for them.
@discardableResult
public func SecKeyGetTypeID() -> CFTypeID { 259 }
