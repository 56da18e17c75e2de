internal import LatchkeyEnclaveKeys
internal import LatchkeyKeychainModel

/// The allowed operations of a key: the `kSecAttrCan…` that are true.
struct KeyUsage: OptionSet, Hashable, Sendable {
  let rawValue: UInt8

  static let encrypt = KeyUsage(rawValue: 1 << 0)
  static let decrypt = KeyUsage(rawValue: 1 << 1)
  static let derive = KeyUsage(rawValue: 1 << 2)
  static let sign = KeyUsage(rawValue: 1 << 3)
  static let verify = KeyUsage(rawValue: 1 << 4)
  static let wrap = KeyUsage(rawValue: 1 << 5)
  static let unwrap = KeyUsage(rawValue: 1 << 6)

  /// The default usage of public keys (SecKey.m of Security-61901).
  static let ofPublicKeys: KeyUsage = [.encrypt, .derive, .verify, .wrap]
  /// The default usage of private keys.
  static let ofPrivateKeys: KeyUsage = [.decrypt, .derive, .sign, .unwrap]

  /// This usage, overridden by `attributes`.
  func changed(by attributes: [ItemAttribute: AttributeValue]) -> KeyUsage {
    var usage = self
    for (attribute, flag) in Self.attributes {
      guard case .number(let value)? = attributes[attribute] else { continue }
      if value == 0 { usage.remove(flag) } else { usage.insert(flag) }
    }
    return usage
  }

  /// The usage as attributes of an item.
  var itemAttributes: [ItemAttribute: AttributeValue] {
    Dictionary(uniqueKeysWithValues: Self.attributes.map { ($0, .number(contains($1) ? 1 : 0)) })
  }

  /// The usage that an operation needs.
  static func needed(for operation: KeyOperation) -> KeyUsage {
    switch operation {
    case .sign: .sign
    case .verify: .verify
    case .encrypt: .encrypt
    case .decrypt: .decrypt
    case .exchange: .derive
    }
  }

  private static let attributes: [(ItemAttribute, KeyUsage)] = [
    (.canEncrypt, .encrypt), (.canDecrypt, .decrypt), (.canDerive, .derive), (.canSign, .sign), (.canVerify, .verify),
    (.canWrap, .wrap), (.canUnwrap, .unwrap),
  ]
}
